import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { readShellInput } from "../../../src/tool/call.ts";
import { tooLargeToStart } from "../../../src/tool/start-size.ts";

const KIB = 1024;

function refusalOf(input: unknown): readonly [string, string, string | undefined] {
  try {
    readShellInput(input);
  } catch (error) {
    if (error instanceof CofferdamError) return [error.code, error.message, error.hint];
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("an input of the shell tool", () => {
  test("may be as large as a program can be started with", () => {
    const inputs = [
      { argv: ["true", "x".repeat(128 * KIB - 1)] },
      { argv: Array.from({ length: 6_000 }, () => "x") },
      { argv: Array.from({ length: 15 }, () => "x".repeat(128 * KIB - 1)) },
      { script: "x".repeat(128 * KIB - 1), cwd: "x".repeat(4_095) },
    ];
    for (const input of inputs) expect(readShellInput(input)).toEqual(input);
  });

  test.each([
    ["a word", { argv: ["true", "é".repeat(64 * KIB)] }, "word 2 has 131072 bytes; the maximum is 131071"],
    ["a script", { script: "x".repeat(128 * KIB) }, "the script has 131072 bytes; the maximum is 131071"],
    [
      "all words together",
      { argv: Array.from({ length: 16 }, () => "x".repeat(130_100)) },
      "the call's words and environment have 2081744 bytes; the maximum is 2080768",
    ],
    [
      "how many words",
      { argv: Array.from({ length: 6_001 }, () => "") },
      "the call has 6001 words; the maximum is 6000",
    ],
    [
      "the folder to start in",
      { argv: ["true"], cwd: "x".repeat(4_096) },
      "`cwd` has 4096 bytes; the maximum for a path is 4095",
    ],
  ])("is refused by name and size when it is too large: %s", (_, input, message) => {
    expect(refusalOf(input)).toEqual([
      "USAGE",
      message,
      "its keys: argv (array, optional), cwd (string, optional), ports (array, optional), script (string, optional); pass large data in a file or by standard input",
    ]);
  });

  test.each([
    [{ argv: [] }, "invalid arguments of `shell`: `argv`: the call has no words"],
    [{ argv: ["a\0b"] }, "invalid arguments of `shell`: `argv.0`: a word can't contain NUL"],
    [{ script: "a\0b" }, "invalid arguments of `shell`: `script`: a script can't contain NUL"],
    [
      { argv: ["echo", "\udc80"] },
      "invalid arguments of `shell`: `argv.1`: a word can't contain half a character (a lone surrogate)",
    ],
    [
      { argv: ["\ud83d"] },
      "invalid arguments of `shell`: `argv.0`: a word can't contain half a character (a lone surrogate)",
    ],
    [
      { script: "echo \ude00\ud83d" },
      "invalid arguments of `shell`: `script`: a script can't contain half a character (a lone surrogate)",
    ],
    [null, "invalid arguments of `shell`: write `{ argv: [word, …] }` or `{ script }`"],
  ])("is refused when it is malformed: %j", (input, message) => {
    expect(refusalOf(input).slice(0, 2)).toEqual(["USAGE", message]);
  });
});

test("a word may hold any whole character, and a folder may be named by bytes that are not UTF-8", () => {
  for (const input of [
    { argv: ["echo", "\u{1F600}", "\ufffd", '"\\udc80"'], cwd: "\udc80" },
    { script: "echo \u{1F600}" },
  ])
    expect(readShellInput(input)).toEqual(input);
});

test("the environment counts with the words, and each variable by itself", () => {
  const words = Array.from({ length: 15 }, () => "x".repeat(128 * KIB - 1));
  expect([
    tooLargeToStart(words),
    tooLargeToStart(words, { A: "x".repeat(128 * KIB - 3) }),
    tooLargeToStart(["true"], { A: "x".repeat(128 * KIB - 3) }),
    tooLargeToStart(["true"], { A: "x".repeat(128 * KIB - 2) }),
  ]).toEqual([
    null,
    "the call's words and environment have 2097280 bytes; the maximum is 2080768",
    null,
    "the variable `A` has 131072 bytes; the maximum is 131071",
  ]);
});
