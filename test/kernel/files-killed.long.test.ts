import { once } from "node:events";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { testSession } from "../support/approval/test-session.ts";
import { descendantsOf, parentsOf, untilGone, workersOf } from "../support/battery/descendants.ts";
import { heldAmidst } from "../support/battery/held.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end } from "../support/battery/processes.ts";
import { recordsOf, temporariesIn } from "../support/files/temporaries.ts";
import { toldOf } from "../support/files/told.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("kills during writes");

/** So often a worker is killed, and a supervisor. */
const [WORKERS, SUPERVISORS] = IS_LONG ? [100, 40] : [4, 2];
const MANY = 4 * 1024 ** 2;
const OLD = "a".repeat(MANY);
const NEW = "b".repeat(MANY);

describe.skipIf(unusable !== null)("a worker that is killed", () => {
  it("at any moment of a write leaves old or new, whole, and the next call sweeps what it left", {
    timeout: 120_000,
  }, async () => {
    await using at = await testSession((place) => place.file("ws/a", OLD));
    const { session, place } = at;
    const file = `${place.ws}/a`;
    chmodSync(file, 0o604);
    const write = (content: string) => session.call("write_file", { path: "ws:a", content });
    const began = performance.now();
    expect(toldOf(await write(OLD))).toMatchObject({ path: "ws:a" });
    const tookMs = performance.now() - began;
    const seen = new Map<string, number>();
    let left = 0;
    const begin = () => {
      const before = readFileSync(file, "utf8");
      return { before, writing: write(before === OLD ? NEW : OLD) };
    };
    for (let round = 0; round < WORKERS; round += 1) {
      // All workers that a write needs are there, and known.
      expect(toldOf(await write(readFileSync(file, "utf8")))).toMatchObject({ path: "ws:a" });
      const killed = workersOf(process.pid);
      const parents = parentsOf(killed);
      const { ino } = statSync(file);
      let { before, writing } = begin();
      // In turn: amid the write, as soon as it is done, and at any moment.
      if (round % 3 === 0)
        while (!(await heldAmidst(killed, () => temporariesIn(place.ws).length > 0, writing)))
          ({ before, writing } = begin());
      else if (round % 3 === 1)
        await vi.waitUntil(() => statSync(file).ino !== ino, { timeout: 20_000, interval: 1 });
      else await passed((1.2 * tookMs * round) / WORKERS);
      end(killed);
      const outcome = toldOf(await writing);
      await untilGone([...killed, ...parents]);
      const after = readFileSync(file, "utf8");
      expect([OLD, NEW].includes(after)).toBe(true);
      const word = `${typeof outcome === "string" ? outcome : "done"}, ${after === before ? "old" : "new"}`;
      seen.set(word, (seen.get(word) ?? 0) + 1);
      left += temporariesIn(place.ws).length;
      // The next call has another worker, and is not told of it.
      expect(toldOf(await session.call("list_dir", { path: "ws:" }))).toMatchObject({ total: 1 });
      expect(temporariesIn(place.ws)).toEqual([]);
    }
    // The twin: there was something to sweep, and kills came before and behind the moment that counts.
    expect(left).toBeGreaterThan(0);
    const words = [...seen.keys()].flatMap((word) => word.split(", "));
    expect(words).toEqual(expect.arrayContaining(["WORKER_LOST", "old", "new"]));
    expect(seen.get("done, old")).toBeUndefined();
    expect([...seen.keys()].filter((word) => !/^(WORKER_LOST|done), /.test(word))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o604);
    expect(recordsOf(place).length).toBe(1);
    await session[Symbol.asyncDispose]();
    expect(recordsOf(place)).toEqual([]);
    expect(workersOf(process.pid)).toEqual([]);
  });
});

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
    const listing = { calls: [], steps: [{ tool: "list_dir", input: { path: "ws:" } }] };
    // A second one lives all the while, in the same root.
    const beside = place.start({ job: writing("beside", 100_000) }, "beside.json");
    const told = { text: "" };
    beside.stdout?.on("data", (chunk: Buffer) => {
      told.text += chunk.toString();
    });
    try {
      await untilTold(beside.stdout);
      const [record = ""] = recordsOf(place);
      const others = (): readonly string[] =>
        temporariesIn(place.ws).filter((name) => !name.includes(record.replace(".json", "")));
      for (let round = 0; round < SUPERVISORS; round += 1) {
        const child = place.start({ job: writing("a", 1_000) });
        const closed = once(child, "close");
        await untilTold(child.stdout);
        const below = descendantsOf(child.pid ?? -1);
        expect(below.length).toBeGreaterThan(0);
        // At any instant; and in every other round in the middle of a write, which is held there until the kill. The one that
        // lives beside is held as well: it would sweep what is left before that is seen.
        const isHeld = round % 2 === 1;
        const held = [...below, ...(beside.pid === undefined ? [] : [beside.pid])];
        if (isHeld) expect(await heldAmidst(held, () => others().length > 0, passed(20_000))).toBe(true);
        else await passed(Math.random() * 120);
        child.kill("SIGKILL");
        await closed;
        await untilGone(below);
        if (isHeld) expect(others().length).toBeGreaterThan(0);
        beside.kill("SIGCONT");
        const content = readFileSync(`${place.ws}/a`, "utf8");
        expect([OLD, NEW].includes(content)).toBe(true);
        const replies = await place.run({ job: listing });
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
    await place.run({ job: listing });
    expect(temporariesIn(place.ws)).toEqual([]);
    // Where somebody wrote is known until all that wrote there have surely ended.
    expect(recordsOf(place).length).toBeGreaterThan(0);
    await passed(5_100);
    await place.run({ job: listing });
    expect([...temporariesIn(place.ws), ...recordsOf(place)]).toEqual([]);
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
