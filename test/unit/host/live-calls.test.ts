import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LiveCall, LiveCalls } from "../../../src/host/launch/live-calls.ts";
import { printProcess, processAt, thisProcess } from "../../../src/host/launch/process-id.ts";
import type { CallWork } from "../../../src/host/launch/work.ts";
import { absolutePath } from "../../../src/profile/path.ts";

let state = "";
const live = (hasShelter = true): LiveCalls => new LiveCalls(absolutePath(state), hasShelter);
const names = (): readonly string[] => readdirSync(join(state, "live"));

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "cofferdam-live-"));
});
afterEach(() => rmSync(state, { recursive: true }));

/** Work on folders: `w` and `r` before a path say how. */
function work(places: readonly string[], how: Partial<CallWork> = {}): CallWork {
  return {
    places: places.map((text) => ({
      path: text.slice(1),
      device: null,
      root: null,
      access: text.startsWith("w") ? "write" : "read",
    })),
    isIsolated: false,
    acts: true,
    builds: true,
    ...how,
  };
}

const ISOLATED = { isIsolated: true } as const;
const STANDS = thisProcess();

/** What has entered after a moment, or null. */
function soon(entering: Promise<LiveCall | null>): Promise<LiveCall | null> {
  return Promise.race([entering, pause(60, null)]);
}

describe("isolated calls", () => {
  test.each([
    ["write the same", "w/a", "w/a"],
    ["write and read the same", "w/a", "r/a"],
    ["write above what the other reads", "w/a", "r/a/b"],
    ["read above what the other writes", "r/a", "w/a/b"],
  ])("that %s run one after another, and the later one knows that it waited", async (_what, one, other) => {
    const first = await live().enter(work([one], ISOLATED), null);
    const entering = live().enter(work([other], ISOLATED), null);
    expect(await soon(entering)).toBeNull();
    first[Symbol.dispose]();
    using second = await entering;
    expect([first.hadToWait, second.hadToWait]).toEqual([false, true]);
  });

  test.each([
    ["only read the same", ["r/a"], ["r/a"], ISOLATED],
    ["write different folders", ["w/a"], ["w/ab"], ISOLATED],
    ["are an isolated one whose sandbox is ready and one that is not isolated", ["w/a"], ["w/a"], {}],
  ] as const)("that %s run at once", async (_what, one, other, how) => {
    using first = await live().enter(work(one, ISOLATED), null);
    first.stands(STANDS);
    using second = await live().enter(work(other, how), null);
    expect(second.hadToWait).toBe(false);
  });

  test("that share a folder by another name of it run one after another", async () => {
    const named = (path: string): CallWork => {
      const [place] = work([`w${path}`]).places;
      if (place === undefined) throw new Error("no place");
      return { ...work([]), ...ISOLATED, places: [{ ...place, device: "8:1", root: "/data" }] };
    };
    using _first = await live().enter(named("/a"), null);
    const stop = new AbortController();
    const entering = live().enter(named("/elsewhere"), stop.signal);
    expect(await soon(entering)).toBeNull();
    stop.abort();
    await expect(entering).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  });

  test("come in the order in which they asked, and share nothing between them", async () => {
    const order: number[] = [];
    let atOnce = 0;
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        await pause(at * 8);
        using _entered = await live().enter(work(["w/a"], ISOLATED), null);
        atOnce += 1;
        expect(atOnce).toBe(1);
        order.push(at);
        await pause(10);
        atOnce -= 1;
      }),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(names()).toEqual([]);
  });

  test("that are given up while they wait leave nothing, and those behind them go on", async () => {
    const first = await live().enter(work(["w/a"], ISOLATED), null);
    const stop = new AbortController();
    const second = live().enter(work(["w/a"], ISOLATED), stop.signal);
    await pause(20);
    const third = live().enter(work(["w/a"], ISOLATED), null);
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    expect(names()).toEqual([]);
  });

  test("of a supervisor that was killed are followed when their sandbox's first process has ended", async () => {
    const [owner, init] = [spawn("/bin/sleep", ["60"]), spawn("/bin/sleep", ["60"])];
    try {
      const label = [owner, init].map(({ pid = 0 }) => printProcess(processAt(pid) ?? thisProcess()));
      mkdirSync(join(state, "live"));
      writeFileSync(
        join(state, `live/1-${label[0]}`),
        JSON.stringify({ state: "safe", work: work(["w/a"], ISOLATED) }),
      );
      writeFileSync(join(state, `live/1-${label.join("-")}`), "");
      const entering = live().enter(work(["w/a"], ISOLATED), null);
      await ended(owner);
      expect(await soon(entering)).toBeNull();
      await ended(init);
      using _entered = await entering;
      expect(names()).toHaveLength(1);
    } finally {
      owner.kill("SIGKILL");
      init.kill("SIGKILL");
    }
  });
});

describe("a sandbox", () => {
  test("is built in a shelter beside a call that may write in the same folders, otherwise outside one", async () => {
    using first = await live().enter(work(["w/a"]), null);
    first.stands(STANDS);
    using beside = await live().enter(work(["r/a/b"]), null);
    using apart = await live().enter(work(["w/c"]), null);
    expect([first, beside, apart].map((one) => one.isShared)).toEqual([false, true, false]);
  });

  test("is built outside a shelter beside a call that only reads there, or does nothing on its own", async () => {
    using reads = await live().enter(work(["r/a"]), null);
    reads.stands(STANDS);
    using ready = await live().enter(work(["w/a"], { acts: false }), null);
    ready.stands(STANDS);
    using own = await live().enter(work(["w/a"]), null);
    expect(own.isShared).toBe(false);
  });

  test("outside a shelter is not disturbed: a call that may write there does nothing before it is ready", async () => {
    using rising = await live().enter(work(["w/a"]), null);
    const entering = live().enter(work(["w/a"], { builds: false }), null);
    expect(await soon(entering)).toBeNull();
    rising.stands(STANDS);
    using later = await entering;
    expect([later.hadToWait, later.isShared]).toEqual([false, true]);
  });

  test("of a killed supervisor keeps others back for a second at most", async () => {
    const dead = spawn("/bin/sleep", ["60"]);
    const name = `1-${printProcess(processAt(dead.pid ?? 0) ?? thisProcess())}`;
    await ended(dead);
    mkdirSync(join(state, "live"));
    const file = join(state, "live", name);
    writeFileSync(file, JSON.stringify({ state: "rising", work: work(["w/a"]) }));
    const entering = live().enter(work(["w/a"]), null);
    expect(await soon(entering)).toBeNull();
    const before = new Date(Date.now() - 2_000);
    utimesSync(file, before, before);
    (await entering)[Symbol.dispose]();
    using again = await live().enter(work(["w/a"]), null);
    expect([again.isShared, names().length]).toEqual([false, 1]);
  });

  test("waits for calls that may write there, where there is no shelter", async () => {
    const first = await live(false).enter(work(["w/a"]), null);
    first.stands(STANDS);
    const entering = live(false).enter(work(["w/a"]), null);
    expect(await soon(entering)).toBeNull();
    first[Symbol.dispose]();
    using second = await entering;
    expect([second.hadToWait, second.isShared]).toEqual([true, false]);
  });
});

test("a call whose file says nothing that can be read keeps others from beginning", async () => {
  mkdirSync(join(state, "live"));
  writeFileSync(join(state, `live/1-${printProcess(thisProcess())}`), "{");
  await expect(live().enter(work(["w/a"]), null)).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  expect(names()).toHaveLength(1);
});

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
}
