import { getEventListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { AnySignal } from "../../../src/host/any-signal.ts";

it("is aborted with the reason of the first that is, before it is made or after", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  using any = new AnySignal(one.signal, null, two.signal, undefined);
  expect(any.signal.aborted).toBe(false);
  two.abort("two");
  one.abort("one");
  using late = new AnySignal(undefined, one.signal);
  expect([any.signal.reason, late.signal.reason]).toEqual(["two", "one"]);
});

it("listens to nobody when it is aborted, and when it is disposed of", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const heard = () => [one, two].map(({ signal }) => getEventListeners(signal, "abort").length);
  {
    using any = new AnySignal(one.signal, two.signal);
    expect([any.signal.aborted, heard()]).toEqual([false, [1, 1]]);
  }
  expect(heard()).toEqual([0, 0]);
  using any = new AnySignal(one.signal, two.signal);
  one.abort();
  expect([any.signal.aborted, heard()]).toEqual([true, [0, 0]]);
});

it("hears of a timeout that nobody listened to until it was over and memory was collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("memory can't be collected");
  const lasting = new AbortController();
  // As callers make one: of a signal of theirs and a time.
  const made = Array.from(
    { length: 20 },
    () => new AnySignal(AbortSignal.any([lasting.signal, AbortSignal.timeout(20)]), lasting.signal),
  );
  await pause(60);
  for (let round = 0; round < 2; round += 1) {
    collect();
    await pause(5);
  }
  expect(made.filter(({ signal }) => signal.aborted)).toHaveLength(20);
});
