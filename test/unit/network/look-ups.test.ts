import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LookUps } from "../../../src/network/look-ups.ts";
import { LimitedWork } from "../../../src/network/turns.ts";

/** Look-ups that end when the test says so. */
function held(all = new LimitedWork(2)) {
  const begun: string[] = [];
  const ends = new Map<string, (found: readonly string[] | Error) => void>();
  const over = new AbortController();
  const resolve = (name: string) => {
    begun.push(name);
    return new Promise<readonly string[]>((done, reject) => {
      ends.set(name, (found) => (found instanceof Error ? reject(found) : done(found)));
    });
  };
  const lookUps = new LookUps(resolve, over.signal, all);
  const end = async (name: string, found: readonly string[] | Error = [`of ${name}`]) => {
    ends.get(name)?.(found);
    await turn();
  };
  /** What becomes of it may be asked later. */
  const find = (name: string) => {
    const found = lookUps.find(name);
    found.catch(() => undefined);
    return found;
  };
  return { find, begun, end, over };
}

describe("look-ups of a call", () => {
  it("are done one at a time, in their order, and a name that is asked for twice meanwhile is looked up once", async () => {
    const at = held();
    const found = ["a", "b", "a", "c", "d"].map((name) => at.find(name));
    await turn();
    expect(at.begun).toEqual(["a"]);
    await at.end("a");
    expect(at.begun).toEqual(["a", "b"]);
    await at.end("b", new Error("nowhere"));
    await at.end("c");
    await at.end("d");
    expect(await Promise.allSettled(found)).toMatchObject([
      { value: ["of a"] },
      { reason: { message: "nowhere" } },
      { value: ["of a"] },
      { value: ["of c"] },
      { value: ["of d"] },
    ]);
    void at.find("a");
    await turn();
    expect(at.begun).toEqual(["a", "b", "c", "d", "a"]);
  });

  it("that wait when the call is over are never begun", async () => {
    const at = held();
    const found = ["a", "b", "c"].map((name) => at.find(name));
    await turn();
    at.over.abort(new Error("over"));
    await at.end("a");
    expect(await Promise.allSettled(found.slice(1))).toMatchObject([
      { reason: { message: "over" } },
      { reason: { message: "over" } },
    ]);
    expect(at.begun).toEqual(["a"]);
  });

  it("leave a turn to other calls, in whatever number they come, and those of ended calls count until they end", async () => {
    const all = new LimitedWork(2);
    const [many, other, third] = [held(all), held(all), held(all)];
    for (const name of ["a", "b", "c", "d"]) void many.find(name);
    await turn();
    const found = other.find("x");
    await turn();
    expect([many.begun, other.begun]).toEqual([["a"], ["x"]]);
    void third.find("y");
    await other.end("x");
    expect([await found, third.begun]).toEqual([["of x"], ["y"]]);
    many.over.abort();
    void other.find("z");
    await turn();
    expect(other.begun).toEqual(["x"]);
    await many.end("a");
    expect([many.begun, other.begun]).toEqual([["a"], ["x", "z"]]);
  });

  it("have their time from when they are begun, and then lead nowhere; whoever waits has it still", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const at = held();
    const found = [at.find("a"), at.find("b")];
    await turn();
    vi.advanceTimersByTime(20_000);
    await expect(found[0]).rejects.toThrow("the name could not be resolved in time");
    vi.advanceTimersByTime(60_000);
    expect(at.begun).toEqual(["a"]);
    await at.end("a");
    await at.end("b");
    expect(await found[1]).toEqual(["of b"]);
  });
});
