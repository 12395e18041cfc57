import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { KINDS, recordedAsk, recordedCall, recordedResume, SITUATIONS } from "../support/recorded/calls.ts";

sandboxMustWork("recorded calls");

const ASKED = ["allow", "deny", "ask-yes", "ask-no", "fails"] as const;
const RESUMED = ["program", "file", "function"] as const;

/** The record of a call is a contract: journals are read by other programs, and a change of it must be seen in review. */
describe.skipIf(unusable !== null)("a call leaves the events and the outcome that are recorded", () => {
  it.each(KINDS.flatMap((kind) => SITUATIONS.map((situation) => [kind, situation] as const)))(
    "of a %s tool: %s",
    async (kind, situation) => {
      const text = await recordedCall(kind, situation);
      await expect(`${text}\n`).toMatchFileSnapshot(`../golden/calls/${kind}-${situation}.jsonl`);
    },
  );

  it.each(RESUMED.flatMap((kind) => ASKED.map((situation) => [kind, situation] as const)))(
    "of a %s tool that is asked about first: %s",
    async (kind, situation) => {
      const text = await recordedAsk(kind, situation);
      await expect(`${text}\n`).toMatchFileSnapshot(`../golden/calls/${kind}-first-${situation}.jsonl`);
    },
  );

  it.each(RESUMED.flatMap((kind) => ASKED.map((situation) => [kind, situation] as const)))(
    "of a %s tool that is left pending, answered and resumed: %s",
    async (kind, situation) => {
      const text = await recordedResume(kind, situation);
      await expect(`${text}\n`).toMatchFileSnapshot(`../golden/calls/${kind}-later-${situation}.jsonl`);
    },
  );
});
