import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LookUps } from "../../../src/network/look-ups.ts";

/** Look-ups that end when the test says so. */
function held() {
  const begun: string[] = [];
  const ends = new Map<string, (found: readonly string[] | Error) => void>();
  const over = new AbortController();
  const lookUps = new LookUps((name) => {
    begun.push(name);
    return new Promise((resolve, reject) => {
      ends.set(name, (found) => (found instanceof Error ? reject(found) : resolve(found)));
    });
  }, over.signal);
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
  it("are done two at a time, in their order, and a name that is asked for twice meanwhile is looked up once", async () => {
    const at = held();
    const found = ["a", "b", "a", "c", "d"].map((name) => at.find(name));
    await turn();
    expect(at.begun).toEqual(["a", "b"]);
    await at.end("b");
    expect(at.begun).toEqual(["a", "b", "c"]);
    await at.end("c", new Error("nowhere"));
    await at.end("a");
    await at.end("d");
    expect(await Promise.allSettled(found)).toMatchObject([
      { value: ["of a"] },
      { value: ["of b"] },
      { value: ["of a"] },
      { reason: { message: "nowhere" } },
      { value: ["of d"] },
    ]);
    void at.find("a");
    await turn();
    expect(at.begun).toEqual(["a", "b", "c", "d", "a"]);
  });

  it("that wait when the call is over are never begun", async () => {
    const at = held();
    const found = ["a", "b", "c", "d"].map((name) => at.find(name));
    await turn();
    at.over.abort(new Error("over"));
    await at.end("a");
    await at.end("b");
    expect(await Promise.allSettled(found.slice(2))).toMatchObject([
      { reason: { message: "over" } },
      { reason: { message: "over" } },
    ]);
    expect(at.begun).toEqual(["a", "b"]);
  });
});
