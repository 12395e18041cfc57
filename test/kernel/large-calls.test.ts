import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRun, recordedRuns } from "../../src/journal/record.ts";
import { knownPath } from "../../src/profile/path.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("large calls");

describe.skipIf(unusable !== null).each(PEOPLE.slice(0, 1))("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  const word = (bytes: number): string => "x".repeat(bytes);

  it("what a call may hold can be started, and its record stays small", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const inputs = [
      { script: `: ${word(128 * 1024 - 3)}` },
      { argv: ["true", ...Array.from({ length: 5_999 }, () => "word")] },
      { argv: ["true", ...Array.from({ length: 15 }, () => word(128 * 1024 - 1))] },
    ] as const;
    for (const input of inputs) expect(await session.call("shell", input)).toMatchObject({ kind: "done" });
    const folder = knownPath(`${place.state}/cofferdam/journal`);
    const [run = ""] = recordedRuns(folder);
    const sizes = readRun(folder, run).events.map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(300_000);
  });

  it("a variable that no program could be started with is told by its name", async () => {
    await using supervisor = await place.supervisor({ sandbox: { env: { set: { BIG: word(128 * 1024) } } } });
    const call = supervisor.session({ caller: "person" }).call("shell", { argv: ["true"] });
    await expect(call).rejects.toMatchObject({
      code: "USAGE",
      message: "the variable `BIG` has 131076 bytes, 131071 are the most for one",
    });
  });

  it("words that look like deep paths don't keep the supervisor busy", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const deep = Array.from({ length: 15 }, (_, index) => "a/".repeat(30_000 + index));
    const many = Array.from({ length: 490 }, (_, index) => "a/".repeat(1_900 + (index % 90)));
    for (const words of [deep, many])
      expect(await session.call("shell", { argv: ["true", ...words] })).toMatchObject({ kind: "done" });
  });
});
