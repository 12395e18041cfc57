import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import { OPEN, type Outcome, type Probe, type Trial } from "./probe.ts";

/** How texts are read: strings, parameters, and how much of them there may be. */
export const LANGUAGE: readonly Probe[] = [
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
      { value: "raw", says: "yes", standing: "expected", when: { "two backslashes": "done" } },
      { value: "cooked", says: "no", standing: "harmless", when: { "two backslashes": "refused" } },
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "parameters",
    asks: "which paths reach rules by `-D`",
    relies: "the call's own places, and granted folders whose names are not ASCII, are named so",
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
      {
        value: "all",
        says: "all of them",
        standing: "expected",
        when: {
          plain: "refused",
          "not ASCII": "refused",
          "with an equals sign": "refused",
          "with a line break": "refused",
        },
      },
      {
        value: "most",
        says: "all but those with signs that are not used",
        standing: "expected",
        when: { plain: "refused", "not ASCII": "refused" },
      },
      {
        value: "ascii",
        says: "those that are ASCII: a granted folder with another name is not found",
        standing: "harmless",
        when: { plain: "refused", "not ASCII": "done" },
      },
    ],
    otherwise: { says: "none: the places of a call would not be given", standing: "problem" },
  },
  {
    id: "brackets",
    asks: "whether a path with brackets and other signs is taken as it is written",
    relies: "paths of rules are what they say, and no patterns",
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
      {
        value: "yes",
        says: "yes",
        standing: "expected",
        when: {
          brackets: "refused",
          "what they would match": "done",
          "an asterisk": "refused",
          "what it would match": "done",
          "parentheses and a semicolon": "refused",
          "a backslash": "refused",
        },
      },
    ],
    otherwise: { says: "no", standing: "problem" },
  },
  {
    id: "size",
    asks: "how long a text may be",
    relies: "no text has more than 900 bytes; 4,096 rules, and 256 conditions in one, are the most",
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
      {
        value: "1025",
        says: "as long as is known: 1,025 bytes",
        standing: "expected",
        when: {
          "900 bytes": "done",
          "1024 bytes": "done",
          "1026 bytes": "rejected",
          "4,096 rules": "done",
          "256 conditions": "done",
        },
      },
      {
        value: "enough",
        says: "as long as is needed",
        standing: "expected",
        when: { "900 bytes": "done", "4,096 rules": "done", "256 conditions": "done" },
      },
    ],
    otherwise: { says: "shorter than is known: some calls are refused", standing: "harmless" },
  },
];

/** A form of regex: the source as rules have it, a name that it is for, and whether rules use it. */
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

/** Which forms of regexes are taken, and find what they say. */
export const REGEXES: readonly Probe[] = [
  {
    id: "regexes",
    asks: "whether the regexes that rules use are taken, and find what they say",
    relies: "masks with wildcards are such regexes",
    isOurs: true,
    trials: trialsOf(true),
    outcomes: [{ value: "yes", says: "yes", standing: "expected", when: MATCHED }],
    otherwise: { says: "not all of them: masks with wildcards do not hold", standing: "problem" },
  },
  ...FORMS.filter(([, , , isUsed]) => !isUsed).map(
    ([name], at): Probe => ({
      id: `regex-form-${at + 1}`,
      asks: `what a regex with ${name} is`,
      relies: "nothing: no rule has one",
      trials: trialsOf(false).filter(({ acts }) => Object.hasOwn(acts, name)),
      outcomes: formOutcomes(name),
      otherwise: { says: "no answer", standing: "harmless" },
    }),
  ),
];

function formOutcomes(name: string): readonly Outcome[] {
  return [
    { value: "found", says: "it finds what it says", standing: "expected", when: { [name]: "refused" } },
    { value: "not-found", says: "it does not find that", standing: "expected", when: { [name]: "done" } },
    { value: "rejected", says: "it is not taken", standing: "expected", when: { [name]: "rejected" } },
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
