import { chmodSync, readFileSync, statSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { standingIn } from "../support/approval/standing.ts";
import { untilGone, workersOf } from "../support/battery/descendants.ts";
import { end } from "../support/battery/processes.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { recordsOf, temporariesIn } from "../support/files/temporaries.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("kills during writes");

const MANY = 4 * 1024 ** 2;
const OLD = "a".repeat(MANY);
const NEW = "b".repeat(MANY);

describe.skipIf(unusable !== null)("a worker that is killed", () => {
  it("at any moment of a write leaves old or new, whole, and the next call sweeps what it left", {
    timeout: 120_000,
  }, async () => {
    await using at = await standingIn((place) => place.file("ws/a", OLD));
    chmodSync(`${at.place.ws}/a`, 0o604);
    const { session, place } = at;
    const write = (content: string) => session.call("write_file", { path: "ws:a", content });
    const began = performance.now();
    expect(toldOf(await write(OLD))).toMatchObject({ path: "ws:a" });
    const tookMs = performance.now() - began;
    const seen = new Map<string, number>();
    let left = 0;
    for (let round = 0; round < 40; round += 1) {
      const before = readFileSync(`${place.ws}/a`, "utf8");
      const writing = write(before === OLD ? NEW : OLD);
      const killed = workersOf(process.pid);
      // Every other time, as soon as there is something that could be left.
      const until = performance.now() + (round % 2 === 0 ? (1.2 * tookMs * round) / 40 : 10_000);
      while (temporariesIn(place.ws).length === 0 && performance.now() < until) await nextTurn();
      end(killed);
      const outcome = toldOf(await writing);
      await untilGone(killed);
      const after = readFileSync(`${place.ws}/a`, "utf8");
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
    expect(seen.get("WORKER_LOST, old")).toBeGreaterThan(0);
    expect(seen.get("done, new")).toBeGreaterThan(0);
    expect(seen.get("done, old")).toBeUndefined();
    expect([...seen.keys()].filter((word) => !/^(WORKER_LOST|done), /.test(word))).toEqual([]);
    expect(statSync(`${place.ws}/a`).mode & 0o777).toBe(0o604);
    expect(recordsOf(place).length).toBe(1);
    await session[Symbol.asyncDispose]();
    expect(recordsOf(place)).toEqual([]);
    expect(workersOf(process.pid)).toEqual([]);
  });

  it("fails that call alone: another one that runs beside it goes on", async () => {
    await using at = await standingIn((place) => place.file("ws/a", `${"x".repeat(30)}\n`.repeat(10)));
    const { session } = at;
    await session.call("read_file", { path: "ws:a" });
    const runaway = () => session.call("search_files", { path: "ws:a", regex: "^(x+x+)+y$" });
    const searches = [runaway(), runaway()];
    while (workersOf(process.pid).length < 2) await pause(10);
    await pause(500);
    const [first] = workersOf(process.pid);
    end(first === undefined ? [] : [first]);
    const told = await Promise.race(searches.map(async (search) => toldOf(await search)));
    expect(told).toBe("WORKER_LOST");
    end(workersOf(process.pid));
    expect((await Promise.all(searches)).map(toldOf)).toEqual(["WORKER_LOST", "WORKER_LOST"]);
    expect(toldOf(await session.call("read_file", { path: "ws:a" }))).toMatchObject({ lines: 10 });
  });
});
