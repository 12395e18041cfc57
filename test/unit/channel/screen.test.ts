import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TerminalScreen } from "../../../src/channel/screen.ts";

/** Whether a promise has resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  for (let turns = 0; turns < 3; turns += 1) await turn();
  return done;
}

test("tty: a screen is lent when no question is up, and to one program at a time", async () => {
  const screen = new TerminalScreen();
  screen.take();
  const first = screen.lend();
  const second = screen.lend();
  expect(await isDone(first)).toBe(false);
  screen.release();
  expect([await isDone(first), await isDone(second), screen.isLent]).toEqual([true, false, true]);
  const lent = await first;
  lent[Symbol.dispose]();
  expect(await isDone(second)).toBe(true);
  // Given back twice, it is not taken from the next.
  lent[Symbol.dispose]();
  expect([screen.isLent, await isDone(screen.back())]).toEqual([true, false]);
  (await second)[Symbol.dispose]();
  expect([screen.isLent, await isDone(screen.back())]).toEqual([false, true]);
});
