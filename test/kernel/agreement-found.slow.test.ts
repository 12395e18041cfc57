import { describe, expect, it } from "vitest";
import { FOUND } from "../support/kernel/found.ts";
import { CAN_MOUNT, STANCES, start } from "../support/kernel/start.ts";
import { requireSandbox, UNUSABLE } from "../support/kernel/usable.ts";

const TIMEOUT_MS = 60_000;

requireSandbox("what random cases once found");
if (!CAN_MOUNT) console.warn("folders with two names: not tried here, because this user can't mount");

describe.skipIf(UNUSABLE !== undefined)("what random cases once found stays mended", () => {
  it.each(STANCES)(
    `as $name: ${Object.keys(FOUND).length} cases, each with the mistake that would bring it back`,
    { timeout: TIMEOUT_MS },
    async (stance) => {
      const report = await start(
        stance,
        { kind: "found", cases: 0, seed: 0 },
        AbortSignal.timeout(TIMEOUT_MS),
      );
      expect(report.failure).toBeNull();
      expect(report.left).toEqual([]);
    },
  );
});
