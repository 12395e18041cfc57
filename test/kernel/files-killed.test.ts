import { chmodSync, readFileSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { TEMPORARY } from "../../src/tool/files/protocol.ts";
import { standingIn } from "../support/approval/standing.ts";
import { parentsOf, untilGone, workersOf } from "../support/battery/descendants.ts";
import { heldAmidst } from "../support/battery/held.ts";
import { end } from "../support/battery/processes.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { rootsIn } from "../support/files/notes.ts";
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
    for (let round = 0; round < 40; round += 1) {
      // All workers that a write needs are there, and known.
      expect(toldOf(await write(readFileSync(file, "utf8")))).toMatchObject({ path: "ws:a" });
      const killed = workersOf(process.pid);
      const walls = parentsOf(killed);
      const { ino } = statSync(file);
      let { before, writing } = begin();
      // In turn: amid the write, as soon as it is done, and at any moment.
      if (round % 3 === 0)
        while (!(await heldAmidst(killed, () => temporariesIn(place.ws).length > 0, writing)))
          ({ before, writing } = begin());
      else if (round % 3 === 1)
        await vi.waitUntil(() => statSync(file).ino !== ino, { timeout: 20_000, interval: 1 });
      else await pause((1.2 * tookMs * round) / 40);
      end(killed);
      const outcome = toldOf(await writing);
      await untilGone([...killed, ...walls]);
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

describe.skipIf(unusable !== null)("what a supervisor left that has ended", () => {
  it("is swept before the next call where tools may write, and stays everywhere else, written down", async () => {
    const prefixOf = (name: string): string => `${TEMPORARY}ended-${name}-`;
    await using at = await standingIn(
      (place) => {
        rootsIn(place);
        const record = (name: string, ...folders: readonly string[]) => {
          for (const folder of folders) place.file(`${folder}/${prefixOf(name)}0`, "left");
          place.folder("state/cofferdam/temporaries", 0o700);
          place.file(
            `state/cofferdam/temporaries/${name}.json`,
            JSON.stringify({
              pid: process.pid,
              startedAt: "0",
              prefix: prefixOf(name),
              folders: folders.map((folder) => `${place.top}/${folder}`),
            }),
          );
        };
        record("in-here", "cache");
        record("elsewhere", "ws", "docs", "outside");
      },
      { settings: (place) => ({ sandbox: { paths: rootsIn(place) } }) },
    );
    const { session, place } = at;
    expect(toldOf(await session.call("list_dir", { path: "ws:" }))).toMatchObject({ is_end: true });
    const found = ["cache", "ws", "docs", "outside"].map((name) => temporariesIn(`${place.top}/${name}`));
    const left = [`${prefixOf("elsewhere")}0`];
    expect(found).toEqual([[], [], left, left]);
    expect(recordsOf(place)).toEqual(["elsewhere.json"]);
  });
});
