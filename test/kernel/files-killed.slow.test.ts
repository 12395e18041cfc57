import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { descendantsOf, untilGone } from "../support/battery/descendants.ts";
import { heldAmidst } from "../support/battery/held.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { recordsOf, temporariesIn } from "../support/files/temporaries.ts";

sandboxMustWork("supervisors that are killed during writes");

const MANY = 4 * 1024 ** 2;
const OLD = "a".repeat(MANY);
const NEW = "b".repeat(MANY);

describe.skipIf(unusable !== null).each(PEOPLE)("a supervisor of $name that is killed", (person) => {
  it("during writes leaves old or new, whole, no process, and nothing that the next one does not sweep", {
    timeout: 240_000,
  }, async () => {
    using place = new Place(person);
    place.file("ws/a", OLD);
    const writing = (name: string, rounds: number) => ({
      calls: [],
      rounds,
      steps: ["a", "b"].map((letter) => ({
        tool: "write_file",
        input: { path: `ws:${name}`, content: letter.repeat(MANY) },
      })),
    });
    // A second one lives all the while, in the same root.
    const beside = place.start({ job: writing("beside", 100_000) }, "beside.json");
    const told = { text: "" };
    beside.stdout?.on("data", (chunk: Buffer) => {
      told.text += chunk.toString();
    });
    let left = 0;
    try {
      await untilTold(beside.stdout);
      const [record = ""] = recordsOf(place);
      const others = (): readonly string[] =>
        temporariesIn(place.ws).filter((name) => !name.includes(record.replace(".json", "")));
      for (let round = 0; round < 12; round += 1) {
        const child = place.start({ job: writing("a", 1_000) });
        const closed = once(child, "close");
        await untilTold(child.stdout);
        const below = descendantsOf(child.pid ?? -1);
        expect(below.length).toBeGreaterThan(0);
        // At any instant; and in every other round in the middle of a write, which is held there until the kill.
        if (round % 2 === 0) await passed(Math.random() * 120);
        else expect(await heldAmidst(below, () => others().length > 0, passed(20_000))).toBe(true);
        child.kill("SIGKILL");
        await closed;
        await untilGone(below);
        const content = readFileSync(`${place.ws}/a`, "utf8");
        expect([OLD, NEW].includes(content)).toBe(true);
        left += others().length;
        const replies = await place.run({
          job: { calls: [], steps: [{ tool: "list_dir", input: { path: "ws:" } }] },
        });
        expect(replies[1]).toMatchObject({ kind: "told", told: { is_end: true } });
        expect(others()).toEqual([]);
      }
    } finally {
      const closed = once(beside, "close");
      beside.kill("SIGKILL");
      await closed;
    }
    const replies = told.text.trim().split("\n").slice(1, -1);
    expect(replies.filter((line) => !line.includes('"path":"ws:beside"'))).toEqual([]);
    expect(replies.length).toBeGreaterThan(20);
    expect(left).toBeGreaterThan(0);
    await place.run({ job: { calls: [], steps: [{ tool: "list_dir", input: { path: "ws:" } }] } });
    expect(temporariesIn(place.ws)).toEqual([]);
    expect(recordsOf(place)).toEqual([]);
  });
});

/** Until a write was told of. */
async function untilTold(output: NodeJS.ReadableStream | null): Promise<void> {
  let text = "";
  if (output === null) throw new Error("no standard output");
  await new Promise<void>((resolve) => {
    output.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('"told"')) resolve();
    });
    output.once("end", resolve);
  });
}
