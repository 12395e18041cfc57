import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { TerminalScreen } from "../../../src/channel/screen.ts";
import { Print } from "../../../src/cli/print.ts";
import { KeptOutput, passOn } from "../../../src/cli/tool-output.ts";
import { screen } from "./screen.ts";

const never = new AbortController().signal;

test("a terminal gets the filtered output, a pipe the bytes as they are", async () => {
  for (const [isTTY, shown] of [
    [true, "ab\u{fffd}"],
    [false, "a\u{1b}[2Jb\u{fffd}"],
  ] as const) {
    const { print, stdout } = screen({ isTTY });
    const { sinks, finish } = passOn(print, never);
    await sinks.stdout(Buffer.from("a\u{1b}["));
    await sinks.stdout(Buffer.from([0x32, 0x4a, 0x62, 0xff]));
    await finish();
    expect(stdout()).toBe(shown);
  }
});

test("a slow reader is waited for, until nobody should be waited for any more", async () => {
  const waiting: (() => void)[] = [];
  const slow = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) });
  const ending = new AbortController();
  const { sinks } = passOn(new Print(slow, slow, {}), ending.signal);
  let taken = 0;
  const first = Promise.resolve(sinks.stdout(Buffer.from("a"))).then(() => (taken += 1));
  await new Promise(setImmediate);
  expect(taken).toBe(0);
  waiting.shift()?.();
  await first;
  expect(taken).toBe(1);
  const second = Promise.resolve(sinks.stdout(Buffer.from("b"))).then(() => (taken += 1));
  ending.abort();
  await second;
  await sinks.stderr(Buffer.from("never shown"));
  expect(waiting).toHaveLength(1);
});

test("what is kept for JSON is bounded, and the rest is counted", () => {
  const output = new KeptOutput();
  const megabyte = Buffer.alloc(1024 ** 2, "x");
  for (let count = 0; count < 20; count += 1) output.sinks.stdout(megabyte);
  const { data, droppedBytes } = output.kept("stdout", { droppedBytes: 5, tail: Buffer.from("end") });
  expect([data.length, droppedBytes]).toEqual([16 * 1024 ** 2, 4 * 1024 ** 2 + 5]);
});

test("what goes to a terminal waits while a question stands there, what goes to a pipe does not", async () => {
  for (const [isTTY, shown] of [
    [true, ""],
    [false, "a"],
  ] as const) {
    const question = new TerminalScreen();
    const ending = new AbortController();
    const { print, stdout } = screen({ isTTY });
    const { sinks } = passOn(print, ending.signal, question);
    question.take();
    const first = sinks.stdout(Buffer.from("a"));
    await new Promise(setImmediate);
    expect(stdout()).toBe(shown);
    question.release();
    await first;
    expect(stdout()).toBe("a");
    question.take();
    const second = sinks.stdout(Buffer.from("b"));
    ending.abort();
    await second;
    expect(stdout()).toBe(isTTY ? "a" : "ab");
  }
});
