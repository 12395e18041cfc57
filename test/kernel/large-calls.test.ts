import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRun, recordedRuns } from "../../src/journal/record.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { heldMs, leastOfTries, slowness } from "../support/load/held-loop.ts";

sandboxMustWork("large calls");

const MIB = 1024 ** 2;

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
      message: "the variable `BIG` has 131076 bytes; the maximum is 131071",
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

  // Every kind of call, and what calls leave behind, is tried in `event-loop.long.test.ts`.
  it("the longest line, the most words and a large file hold up no other call", async () => {
    await using supervisor = await place.supervisor(settings());
    await using session = supervisor.session();
    await session.ask("shell", { argv: ["true"] });
    const calls = [
      ["shell", { script: "$(".repeat(64 * 1024 - 1) }],
      ["shell", { argv: ["env", ...Array.from({ length: 5_999 }, () => word(330))] }],
      ["write_file", { path: "ws:new", content: "line\n".repeat(MIB) }],
    ] as const;
    for (const [tool, input] of calls) {
      const least = await leastOfTries(100, async () => {
        const held = await heldMs(async () => {
          const asked = await session.ask(tool, input);
          expect(asked.kind).toBe("pending");
          if (asked.kind === "pending") await session.dismiss(asked.approvalId, "it is only looked at");
        });
        return held / slowness();
      });
      expect(least).toBeLessThanOrEqual(100);
    }
  });

  it("one that is too large to be kept for its answer is refused, and one nearly as large is asked about", async () => {
    await using supervisor = await place.supervisor(settings());
    await using session = supervisor.session();
    const ask = (length: number) =>
      session.ask("write_file", { path: "ws:new", content: "line\n".repeat(length / 5) });
    expect(await ask(12 * MIB)).toMatchObject({
      kind: "denied",
      reason: "one request would take more than 14MiB",
    });
    const asked = await ask(10 * MIB);
    expect(asked.kind).toBe("pending");
    if (asked.kind === "pending") await session.dismiss(asked.approvalId, "it is only looked at");
  });

  it("a folder to start in may lie 256 names deep, and no deeper", async () => {
    await using supervisor = await place.supervisor({
      shell: { rules: [{ pattern: "ls", approval: false }] },
    });
    await using session = supervisor.session();
    const deep = "c/".repeat(256);
    mkdirSync(join(place.ws, deep, "c"), { recursive: true });
    expect(await session.ask("shell", { argv: ["ls"], cwd: deep })).toMatchObject({ kind: "allowed" });
    await expect(session.ask("shell", { argv: ["ls"], cwd: `${deep}c` })).rejects.toMatchObject({
      code: "USAGE",
      message: "`cwd` has more than 256 names",
    });
  });

  /** A root that is written to after a yes. */
  const settings = () => ({
    sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
  });
});
