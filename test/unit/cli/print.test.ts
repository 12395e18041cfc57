import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { reportFailure } from "../../../src/cli/failure.ts";
import { Print } from "../../../src/cli/print.ts";
import { CofferdamError, ERRORS, type ErrorCode } from "../../../src/errors.ts";
import { screen } from "./screen.ts";

test("results go to stdout, talk goes to stderr", () => {
  const { print, stdout, stderr } = screen();
  print.result("result");
  print.talk("talk");
  print.json({ a: 1 });
  expect([stdout(), stderr()]).toEqual(['result\n{\n  "a": 1\n}\n', "talk\n"]);
});

test("JSON has no character that acts on a terminal or hides text, and means the same; half a character is spelled out", () => {
  const { print, stdout } = screen();
  const value = { a: "\u{1b}[2J\u{9b}2J\u{7f}\u{202e}gnp\u{e0041}\u{2028}é😀\n", b: ["\udc80"] };
  print.json(value);
  print.json(value, 0);
  expect(stdout().replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u);
  expect(stdout()).toContain("\\u009b2J");
  const [last = ""] = stdout().trimEnd().split("\n").slice(-1);
  expect(JSON.parse(last)).toEqual({ ...value, b: ['"\\udc80"'] });
});

test("an error is three lines: what was found, where, what to do", () => {
  const { print, stdout, stderr } = screen();
  const at = { file: "/p/cofferdam.yaml", line: 3, column: 7 };
  const error = new CofferdamError("CONFIG_INVALID", "unknown key `netwrok` in `shell`", {
    at,
    hint: "did you mean `network`?",
  });
  expect(reportFailure(print, error)).toBe(65);
  expect(stderr()).toBe(
    "cofferdam: unknown key `netwrok` in `shell`\n  at: /p/cofferdam.yaml:3:7\n  do: did you mean `network`?\n",
  );
  expect(stdout()).toBe("");
});

test("what an error says is made visible, wherever it came from", () => {
  const { print, stderr } = screen();
  reportFailure(print, new CofferdamError("DENIED", "a\u{1b}]0;x\u{7}", { hint: "b\nc" }));
  expect(stderr()).toBe("cofferdam: a\\u{1b}]0;x\\u{7}\n  do: b\\u{a}c\n");
});

test("with JSON an error stands on stdout too", () => {
  const { print, stdout } = screen();
  expect(reportFailure(print, new CofferdamError("USAGE", "no", { hint: "yes" }), true)).toBe(64);
  expect(JSON.parse(stdout())).toEqual({
    error: { code: "USAGE", message: "no", at: null, hint: "yes" },
    exit: 64,
  });
});

test("every code has the exit status of the table", () => {
  for (const [code, { exit }] of Object.entries(ERRORS)) {
    const known = Object.keys(ERRORS).find((one): one is ErrorCode => one === code) ?? "INTERNAL";
    expect([code, reportFailure(screen().print, new CofferdamError(known, "x"))]).toEqual([code, exit]);
  }
});

test("what nobody expected is an internal error, shown with where it came from", () => {
  const { print, stderr } = screen();
  expect(reportFailure(print, new TypeError("x is not a function"))).toBe(70);
  expect(stderr()).toMatch(
    /^cofferdam: internal error: x is not a function\n {2}do: please report this.*\nTypeError: x/,
  );
});

test.each([
  [true, "half", "half\nours\nmore\n"],
  [true, "whole\n", "whole\nours\nmore\n"],
  [false, "half", "halfours\nmore\n"],
])("on a terminal (%s) a line of ours does not go on in a tool's: %j", async (isTTY, tool, shown) => {
  const { print, stderr } = screen({ isTTY });
  if (isTTY) await print.text("stderr", tool);
  else await print.stream("stderr", Buffer.from(tool));
  print.talk("ours");
  print.talk("more");
  expect(stderr()).toBe(shown);
});

test("a reader that goes away is noticed and breaks nothing", async () => {
  const stdout = new PassThrough();
  const print = new Print(stdout, new PassThrough(), {});
  stdout.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await print.stream("stdout", "more");
  print.result("and more");
  expect(print.broken.aborted).toBe(true);
});
