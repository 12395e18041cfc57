import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import { expected, harmless, type KernelProbe, OPEN, type ProbeOutcome, type Trial } from "./probe.ts";

/** Reading of texts: strings, parameters, and the maximum of their size. */
export const LANGUAGE: readonly KernelProbe[] = [
  {
    id: "sharp-strings",
    asks: 'whether a backslash in `#"…"` is itself',
    relies: "nothing: no rule has such a text",
    trials: [
      {
        given: ["sharp.x"],
        text: () => `${OPEN}(deny file-read-data (regex #"/sharp\\\\.x$"))\n`,
        acts: { "two backslashes": (at) => ({ kind: "read", path: at("sharp.x") }) },
      },
    ],
    outcomes: [
      expected("raw", "yes", { "two backslashes": "done" }),
      harmless("cooked", "no", { "two backslashes": "refused" }),
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "parameters",
    asks: "which paths `-D` can pass to rules",
    relies: "rules name the call's own folders this way, and granted folders with non-ASCII names",
    isOurs: true,
    trials: [
      ["plain", "plain"],
      ["not ASCII", "\u00fc\u4e2d"],
      ["with an equals sign", "a=b"],
      ["with a line break", "a\nb"],
    ].map(([name = "", path = ""]) => ({
      given: [path],
      text: () => `${OPEN}(deny file-read-data (literal (param "NAME")))\n`,
      parameters: (at) => ({ NAME: at(path) }),
      acts: { [name]: (at) => ({ kind: "read", path: at(path) }) },
    })),
    outcomes: [
      expected("all", "all of them", {
        plain: "refused",
        "not ASCII": "refused",
        "with an equals sign": "refused",
        "with a line break": "refused",
      }),
      expected("most", "all but those with characters that are not used", {
        plain: "refused",
        "not ASCII": "refused",
      }),
      harmless("ascii", "only ASCII paths: a granted folder with another name is not found", {
        plain: "refused",
        "not ASCII": "done",
      }),
    ],
    otherwise: { says: "none: the folders of a call would not be granted", standing: "problem" },
  },
  {
    id: "brackets",
    asks: "whether a path with brackets and other special characters is literal",
    relies: "paths in rules are literal, not patterns",
    isOurs: true,
    trials: [
      {
        given: ["[x]", "x", "a*", "ab", "q(1);", "b\\c"],
        text: (at) =>
          `${OPEN}(deny file-read-data (literal ${["[x]", "a*", "q(1);", "b\\c"].map((name) => quoteText(at(name))).join(" ")}))\n`,
        acts: {
          brackets: (at) => ({ kind: "read", path: at("[x]") }),
          "what they would match": (at) => ({ kind: "read", path: at("x") }),
          "an asterisk": (at) => ({ kind: "read", path: at("a*") }),
          "what it would match": (at) => ({ kind: "read", path: at("ab") }),
          "parentheses and a semicolon": (at) => ({ kind: "read", path: at("q(1);") }),
          "a backslash": (at) => ({ kind: "read", path: at("b\\c") }),
        },
      },
    ],
    outcomes: [
      expected("yes", "yes", {
        brackets: "refused",
        "what they would match": "done",
        "an asterisk": "refused",
        "what it would match": "done",
        "parentheses and a semicolon": "refused",
        "a backslash": "refused",
      }),
    ],
    otherwise: { says: "no", standing: "problem" },
  },
  {
    id: "size",
    asks: "the maximum length of a text",
    relies: "no text has more than 900 bytes; the maximum is 4,096 rules, and 256 conditions in one rule",
    isOurs: true,
    trials: [
      ...[900, 1_024, 1_026].map(
        (length): Trial => ({
          text: () => `${OPEN}(deny file-read-data (literal ${quoteText(`/${"x".repeat(length - 1)}`)}))\n`,
          acts: { [`${length} bytes`]: () => ({ kind: "start" }) },
        }),
      ),
      {
        text: () =>
          `${OPEN}${Array.from({ length: 4_096 }, (_, at) => `(deny file-read-data (literal "/none/${at}"))\n`).join("")}`,
        acts: { "4,096 rules": () => ({ kind: "start" }) },
      },
      {
        text: () =>
          `${OPEN}(deny file-read-data (require-any ${Array.from({ length: 256 }, (_, at) => `(literal "/none/${"y".repeat(200)}${at}")`).join(" ")}))\n`,
        acts: { "256 conditions": () => ({ kind: "start" }) },
      },
    ],
    outcomes: [
      expected("1025", "the known maximum: 1,025 bytes", {
        "900 bytes": "done",
        "1024 bytes": "done",
        "1026 bytes": "rejected",
        "4,096 rules": "done",
        "256 conditions": "done",
      }),
      expected("enough", "long enough", {
        "900 bytes": "done",
        "4,096 rules": "done",
        "256 conditions": "done",
      }),
    ],
    otherwise: { says: "less than known: some calls are rejected", standing: "harmless" },
  },
];

/** A form of regex: the source as rules have it, a name that it matches, and true if rules use it. */
const FORMS: readonly (readonly [name: string, source: string, file: string, isUsed: boolean])[] = [
  ["any folders within", "/r1/(.*/)?[^/]*[.]x$", "r1/a/b.x", true],
  ["none of the folders within", "/r1/(.*/)?[^/]*[.]x$", "r1/c.x", true],
  ["any name", "/r3[^/]*[.]x$", "r3-abc.x", true],
  ["one of two endings", "/r4(ab|cd)$", "r4cd", true],
  ["a search without its start", "/r5$", "r5", true],
  ["all below", "/r6/", "r6/a", true],
  ["letters in both cases", "/[rR]7[xX]$", "r7X", true],
  ["a bracket by a backslash", "/r8\\\\[y$", "r8[y", true],
  ["signs in brackets", "/r9[(][+][)][$][|]$", "r9(+)$|", true],
  ["a line break in a name", "/ra[^/]*b$", "ra\nb", true],
  ["a line break in a folder", "/rb/(.*/)?c$", "rb/x\ny/c", true],
  ["two letters, or one that a disk takes for both", "/rg([fF][fF]|[fF]*[^ -~]+[fF]*)h$", "rg\ufb00h", true],
  ["the same, spelled out", "/ri([fF][fF]|[fF]*[^ -~]+[fF]*)j$", "riFfj", true],
  ["a folder with what may be below", "/rk(/[aA])?$", "rk/a", true],
  ["a dot for a line break", "/rc.d$", "rc\nd", false],
  ["a dot for a letter", "/rd.e$", "rdxe", false],
  ["an asterisk behind a group", "/re/([^/]+/)*f$", "re/a/f", false],
  ["a bounded repetition", "/rf[0-9]{2}$", "rf12", false],
];

const USED = FORMS.filter(([, , , isUsed]) => isUsed).map(([name]) => name);
const MATCHED = Object.fromEntries(USED.map((name) => [name, "refused"] as const));

/** Supported forms of regexes, and whether they match as expected. */
export const REGEXES: readonly KernelProbe[] = [
  {
    id: "regexes",
    asks: "whether the regexes that rules use are accepted and match",
    relies: "masks with wildcards become such regexes",
    isOurs: true,
    trials: trialsOf(true),
    outcomes: [expected("yes", "yes", MATCHED)],
    otherwise: { says: "not all of them: masks with wildcards do not work", standing: "problem" },
  },
  ...FORMS.filter(([, , , isUsed]) => !isUsed).map(
    ([name], at): KernelProbe => ({
      id: `regex-form-${at + 1}`,
      asks: `the meaning of a regex with ${name}`,
      relies: "nothing: no rule has one",
      trials: trialsOf(false).filter(({ acts }) => Object.hasOwn(acts, name)),
      outcomes: formOutcomes(name),
      otherwise: { says: "no answer", standing: "harmless" },
    }),
  ),
];

function formOutcomes(name: string): readonly ProbeOutcome[] {
  return [
    expected("found", "it matches", { [name]: "refused" }),
    expected("not-found", "it does not match", { [name]: "done" }),
    expected("rejected", "it is rejected", { [name]: "rejected" }),
  ];
}

function trialsOf(isUsed: boolean): readonly Trial[] {
  return FORMS.filter((form) => form[3] === isUsed).map(
    ([name, source, file]): Trial => ({
      given: [...foldersOf(file), file],
      text: () => `${OPEN}(deny file-read-data (regex "${source}"))\n`,
      acts: { [name]: (at) => ({ kind: "read", path: at(file) }) },
    }),
  );
}

function foldersOf(file: string): readonly string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
}
