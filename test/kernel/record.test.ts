import { describe, expect, it } from "vitest";
import { createSupervisor, type SessionOptions } from "../../src/index.ts";
import { MemoryJournal } from "../../src/journal/journal.ts";
import { knownPath } from "../../src/profile/path.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("the record of calls");

const RULES = {
  rules: [
    { pattern: "rm", allowed: false },
    { pattern: "true", approval: false },
  ],
};
const yes: SessionOptions["approve"] = async () => ({ approved: true, by: "a test" });

describe.skipIf(unusable !== null)("a call that was received", () => {
  it.each<[string, readonly string[], string, SessionOptions["approve"], outcome: string]>([
    ["runs", ["true"], ".", yes, "done"],
    ["fails by itself", ["false"], ".", yes, "failed"],
    ["is denied by a rule", ["rm", "x"], ".", yes, "denied"],
    ["is denied for lack of a person", ["false"], ".", undefined, "denied"],
    ["names a program that is not there", ["no-such-program"], ".", yes, "failed"],
    ["starts in a folder that is not there", ["true"], "no/such/folder", yes, "failed"],
    [
      "is put to somebody who breaks down",
      ["false"],
      ".",
      () => Promise.reject(new Error("the line is dead")),
      "failed",
    ],
  ])("and %s ends once in the record, as what it came to", async (_, argv, cwd, approve, outcome) => {
    using place = new Place(CALLER);
    const journal = new MemoryJournal();
    await using supervisor = await createSupervisor({
      config: place.config({ shell: RULES }),
      cwd: knownPath(place.ws),
      host: place.host(),
      journal,
    });
    const session = supervisor.session(approve === undefined ? {} : { approve });
    await session.call({ argv: [...argv], cwd }).catch(() => undefined);
    const ends = journal.events.filter((event) => event.type === "call.ended");
    expect(ends.map((event) => event.outcome)).toEqual([outcome]);
    expect(journal.events.at(-1)).toBe(ends[0]);
  });
});
