import { describe, expect, test } from "vitest";
import { COMMON, chosen, knownWord, parseWords, readArguments } from "../../../src/cli/arguments.ts";
import { refusalOf } from "../config/machine.ts";

const OPTIONS = { ...COMMON, "dry-run": { type: "boolean" } } as const;
const read = (...args: string[]) => readArguments("run", args, OPTIONS);
const told = (run: () => unknown) => {
  const { exit, message, hint } = refusalOf(run);
  return [exit, message, hint];
};

test("options and words are told apart, repeated ones kept in order", () => {
  const { values, positionals } = read("a", "--profile", "p", "--profile=q", "--dry-run", "-h", "b");
  expect({ ...values }).toEqual({ profile: ["p", "q"], "dry-run": true, help: true });
  expect(positionals).toEqual(["a", "b"]);
  expect(chosen(values)).toEqual({ profiles: ["p", "q"] });
});

describe("what a command does not have is refused with the nearest word", () => {
  test.each([
    [["--dyr-run"], "unknown option `--dyr-run`", "did you mean `--dry-run`?"],
    [["--zzzzzzzz"], "unknown option `--zzzzzzzz`", "run `cofferdam run --help`"],
    [["-x"], "unknown option `-x`", "run `cofferdam run --help`"],
    [["--config"], "option `--config` needs a value", "run `cofferdam run --help`"],
    [["--config", "--json"], "option `--config` needs a value", "run `cofferdam run --help`"],
    [["--json=yes"], "option `--json` takes no value", "run `cofferdam run --help`"],
    [["--config", "a", "--config", "b"], "option `--config` is given twice", "run `cofferdam run --help`"],
    [["--\u{202e}gnp"], "unknown option `--\\u{202e}gnp`", "run `cofferdam run --help`"],
    [["--__proto__"], "unknown option `--__proto__`", "run `cofferdam run --help`"],
  ])("%j", (args, message, hint) => {
    expect(told(() => read(...args))).toEqual([64, message, hint]);
  });
});

test("a value may begin with a dash when it is joined to its option", () => {
  expect(read("--config=-odd.yaml").values.config).toBe("-odd.yaml");
});

test("a missing word is named, and one too many is shown", () => {
  expect(told(() => parseWords("explain", ["read"], ["read|write|connect", "TARGET"]))).toEqual([
    64,
    "`explain` needs TARGET",
    "run `cofferdam explain --help`",
  ]);
  expect(told(() => parseWords("check", ["x"], []))[1]).toBe("unexpected argument `x`");
});

test("a word of a list is found, else the nearest is proposed", () => {
  expect(knownWord("schema", "schema", "config", ["config", "profile"])).toBe("config");
  expect(told(() => knownWord("schema", "schema", "profil", ["config", "profile"]))).toEqual([
    64,
    "unknown schema `profil`",
    "did you mean `profile`?",
  ]);
});
