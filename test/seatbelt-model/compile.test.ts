import { describe, expect, test } from "vitest";
import { type CompileOptions, compile, MAX_RULES } from "./compile.ts";
import { LEAST_KNOWN, LIKELY } from "./readings.ts";

const compiling = (rules: string, options: CompileOptions = {}) =>
  compile(`(version 1)\n(deny default)\n${rules}`, LIKELY, options);

test("a rule is its action, its operations and its filters, with its message and its line", () => {
  const profile = compile(
    '(version 1)\n(debug deny)\n(deny default (with message "run-7"))\n(allow file-read* signal\n)',
    LIKELY,
  );
  expect(profile).toMatchObject({
    kind: "profile",
    rules: [
      { action: "deny", operations: ["default"], filters: [], message: "run-7", line: 3 },
      { action: "allow", operations: ["file-read*", "signal"], filters: [], message: null, line: 4 },
    ],
  });
});

/** What is wrong with a rule, the rule, what the system says, and the same without the mistake. */
const errors: readonly (readonly [string, string, string, string])[] = [
  ["an unknown operation", "(allow file-read)", "unbound variable: file-read", "(allow file-read*)"],
  ["a rule on nothing", "(allow)", "`allow` without an operation", "(allow signal)"],
  [
    "a rule on a filter alone",
    '(allow (literal "/a"))',
    "`allow` without an operation",
    '(allow file* (literal "/a"))',
  ],
  [
    "an unknown filter",
    '(allow file-read* (file "/a"))',
    "unbound variable: file",
    '(allow file-read* (path "/a"))',
  ],
  [
    "a filter without a name",
    "(allow file-read* ())",
    "a filter without a name",
    '(allow file-read* (prefix "/a"))',
  ],
  [
    "a string for a filter",
    '(allow file-read* "/a")',
    "what stands for a filter is none",
    '(allow file-read* (subpath "/a"))',
  ],
  [
    "an empty path",
    '(allow file-read* (subpath ""))',
    "`subpath` of ``, which is no absolute path",
    '(allow file-read* (subpath "/"))',
  ],
  [
    "a relative path",
    '(allow file-read* (literal "/a" "b"))',
    "`literal` of `b`, which is no absolute path",
    '(allow file-read* (literal "/a" "/b"))',
  ],
  [
    "an operation after a filter",
    '(allow file-read* (literal "/a") file-write*)',
    "`file-write*` after a filter",
    '(allow file-read* file-write* (literal "/a"))',
  ],
  [
    "a host",
    '(allow network-outbound (remote ip "127.0.0.1:80"))',
    "host must be * or localhost in network address",
    '(allow network-outbound (remote ip "localhost:80"))',
  ],
  [
    "a host without a port",
    '(allow network-outbound (remote ip "*"))',
    "host must be * or localhost in network address",
    '(allow network-outbound (remote ip "*:*"))',
  ],
  [
    "a port that is none",
    '(allow network-outbound (remote tcp "*:65536"))',
    "no port is `65536`",
    '(allow network-outbound (remote tcp "*:65535"))',
  ],
  [
    "an empty require-all",
    "(allow file-read* (require-all))",
    "an empty `require-all`",
    '(allow file-read* (require-all (literal "/a")))',
  ],
  [
    "an empty require-any",
    "(allow file-read* (require-any))",
    "an empty `require-any`",
    '(allow file-read* (require-any (literal "/a")))',
  ],
  [
    "an empty require-not",
    "(allow file-read* (require-not))",
    "an empty `require-not`",
    '(allow file-read* (require-not (literal "/a")))',
  ],
  [
    "a parameter in the place of a filter",
    '(allow file-read* (param "A"))',
    "`param` in the place of a filter: illegal argument",
    '(allow file-read* (literal (param "A")))',
  ],
  [
    "a missing parameter",
    '(allow file-read* (literal (param "B")))',
    "the parameter `B` is missing: expected pattern, got boolean",
    '(allow file-read* (literal (string-append (param "A") "/b")))',
  ],
  [
    "a symbol for a string",
    "(allow file-read* (literal a))",
    "what stands for a string is none",
    '(allow file-read* (literal #"/a"))',
  ],
  [
    "a report of a denial",
    "(deny file-read* (with report))",
    "report modifier does not apply to deny action",
    "(allow file-read* (with report))",
  ],
  [
    "a guard with nothing in it",
    "(when (defined? 'signal))",
    "`when` with 0 forms",
    "(when (defined? 'signal) (allow signal))",
  ],
  ["a word for a form", "allow", "a form that is no list", "(allow signal)"],
];

describe("an error is", () => {
  test.each(errors)("%s", (_what, rules, message, control) => {
    expect(compiling(rules)).toEqual({ kind: "error", line: 3, message });
    expect(compiling(control, { params: new Map([["A", "/a"]]) }).kind).toBe("profile");
  });

  test.each([
    ["no version", "(deny default)", "no version specified"],
    ["a version after a rule", "(deny default)\n(version 1)", "no version specified"],
    ["no text", "", "no version specified"],
    ["another version", "(version 2)", "a version other than 1"],
    ["a version without a number", "(version)", "a version other than 1"],
  ])("%s", (_what, text, message) => {
    expect(compile(text, LIKELY)).toEqual({ kind: "error", line: 1, message });
    expect(compile(`(version 1)`, LIKELY).kind).toBe("profile");
  });

  test("a rule whose strings have over 65,535 bytes", () => {
    const path = `"/${"a".repeat(899)}"`;
    const rule = (count: number) => `(allow file-read* (require-not (literal ${`${path} `.repeat(count)})))`;
    expect(compiling(rule(73))).toEqual({
      kind: "error",
      line: 3,
      message: "pattern serialization length 65700 exceeds maximum (65535)",
    });
    expect(compiling(rule(72)).kind).toBe("profile");
  });

  test("one rule too many", () => {
    const rules = "(allow signal)\n".repeat(MAX_RULES - 1);
    expect(compiling(rules).kind).toBe("profile");
    expect(compiling(`${rules}(allow signal)`)).toEqual({
      kind: "error",
      line: MAX_RULES + 2,
      message: "over 17770 rules",
    });
  });
});

describe("not known, and so neither allowed nor denied, is", () => {
  test.each([
    ["an import", '(import "system.sb")'],
    ["a definition", '(define home "/a")'],
    ["another condition", '(if (equal? (param "A") "/a") (allow signal))'],
    ["a condition on a filter", "(when (defined? 'subpath) (allow signal))"],
    ["another debug", "(debug all)"],
    ["a rule that runs without a sandbox", '(allow process-exec (literal "/bin/ps") (with no-sandbox))'],
    ["a rule that sends a signal", "(deny file-read* (with send-signal SIGKILL))"],
    ["an unknown modifier", "(deny file-read* (with no-report))"],
    ["a modifier of nothing", "(deny file-read* (with))"],
    ["a filter that no question answers", "(allow file-read* (file-mode #x1ff))"],
    ["a filter on all operations", '(allow default (literal "/a"))'],
    ["a filter on an operation that has none such", "(allow file-read* (target self))"],
    ["a filter that only some of the operations have", '(allow file-read* signal (literal "/a"))'],
    ["such a filter within others", "(allow file-read* (require-not (require-any (target self))))"],
    ["a filter that compares with nothing", "(allow file-read* (literal))"],
    ["a kind of file that no question has", "(allow file-read* (vnode-type WHITEOUT))"],
    ["several kinds of file at once", "(allow file-read* (vnode-type DIRECTORY SYMLINK))"],
    ["a target that no question has", "(allow signal (target pgrp))"],
    ["a command by its name", "(deny file-ioctl (ioctl-command TIOCSTI))"],
    ["a protocol by its name", "(allow system-socket (socket-protocol SYSPROTO_CONTROL))"],
    ["another protocol of the remote end", '(allow network-outbound (remote ip4 "*:*"))'],
    ["the remote end of what listens", '(allow network-inbound (remote ip "localhost:*"))'],
    ["the local end of a socket that connects to a path", "(allow network-outbound (local unix-socket))"],
    ["anything but a path on a unix socket", "(allow network-outbound (remote unix-socket (target self)))"],
    ["several filters in a require-not", '(allow file-read* (require-not (literal "/a") (literal "/b")))'],
    ["an escape that only other languages have", String.raw`(allow file-read* (literal "/a\u0041"))`],
    ["a regex of another language", '(allow file-read* (regex "^/a{2}$"))'],
    ["a name of nothing", '(allow mach-lookup (global-name-prefix ""))'],
    ["a string from a function", '(allow file-read* (literal (string-upcase "/a")))'],
  ])("%s", (_what, rules) => {
    expect(compiling(rules, { params: new Map([["A", "/a"]]) })).toMatchObject({
      kind: "unsupported",
      line: 3,
    });
  });
});

describe("a guard", () => {
  const rule = "(deny nvram*)";
  const ofRules = (text: string, knows = LIKELY.knows) => {
    const profile = compile(`(version 1) ${text}`, { ...LIKELY, knows });
    return profile.kind === "profile" ? profile.rules.map(({ operations }) => operations.join()) : profile;
  };

  test("keeps its rules where the operation is known", () => {
    expect(ofRules(`(when (defined? 'nvram*) ${rule} (deny signal))`)).toEqual(["nvram*", "signal"]);
    expect(ofRules(`(if (defined? 'nvram*) ${rule} (deny signal))`)).toEqual(["nvram*"]);
  });

  test("leaves them out where it is not, or has others in their place", () => {
    expect(ofRules(`(when (defined? 'nvram*) ${rule})`, LEAST_KNOWN)).toEqual([]);
    expect(ofRules(`(if (defined? 'nvram*) ${rule})`, LEAST_KNOWN)).toEqual([]);
    expect(ofRules(`(if (defined? 'nvram*) ${rule} (deny signal))`, LEAST_KNOWN)).toEqual(["signal"]);
  });

  test("may stand in another", () => {
    const text = `(when (defined? 'signal) (when (defined? 'nvram*) ${rule}))`;
    expect([ofRules(text), ofRules(text, LEAST_KNOWN)]).toEqual([["nvram*"], []]);
  });

  test("is what keeps a profile from being refused", () => {
    expect(ofRules(rule, LEAST_KNOWN)).toEqual({
      kind: "error",
      line: 1,
      message: "unbound variable: nvram*",
    });
  });

  test("of a name that no system has leaves its rules out", () => {
    expect(ofRules("(when (defined? 'file-teleport) (allow file-teleport))")).toEqual([]);
  });
});
