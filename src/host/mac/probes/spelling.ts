import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import { OPEN, type Probe } from "./probe.ts";

/** `é` in one character, and as a letter with an accent behind it. */
const COMPOSED = "\u00e9";
const DECOMPOSED = "e\u0301";

/** By which names the kernel asks about files, and how rules compare them. */
export const SPELLING: readonly Probe[] = [
  {
    id: "folds-case",
    asks: "where upper and lower case are the same to rules",
    relies: "nothing: what is taken away is named in its own spelling, and by a regex in every other",
    trials: [
      {
        given: ["literal", "subpath/", "subpath/a", "regex"],
        text: (at) =>
          `${OPEN}(deny file-read-data (require-any (literal ${quoteText(at("LITERAL"))}) (subpath ${quoteText(at("SUBPATH"))}) (regex "/REGEX$")))\n`,
        acts: {
          literal: (at) => ({ kind: "read", path: at("literal") }),
          subpath: (at) => ({ kind: "read", path: at("subpath/a") }),
          regex: (at) => ({ kind: "read", path: at("regex") }),
        },
      },
    ],
    outcomes: [
      {
        value: "nowhere",
        says: "nowhere",
        standing: "expected",
        when: { literal: "done", subpath: "done", regex: "done" },
      },
      {
        value: "paths",
        says: "in paths, and not in regexes",
        standing: "expected",
        when: { literal: "refused", subpath: "refused", regex: "done" },
      },
      {
        value: "paths-and-regexes",
        says: "in paths and in regexes",
        standing: "harmless",
        when: { literal: "refused", subpath: "refused", regex: "refused" },
      },
    ],
    otherwise: { says: "in some kinds of rules alone", standing: "harmless" },
  },
  {
    id: "asked-case",
    asks: "by which spelling the kernel asks about a file that is opened by another case of its name",
    relies: "a mask is about every case of its name where the disk takes them for one",
    trials: [
      {
        given: ["name"],
        text: (at) => `${OPEN}(deny file-read-data (literal ${quoteText(at("name"))}))\n`,
        acts: { "by its own name": (at) => ({ kind: "read", path: at("NAME") }) },
      },
      {
        given: ["name"],
        text: (at) =>
          `${OPEN}(deny file-read-data (require-any (literal ${quoteText(at("name"))}) (regex "/[nN][aA][mM][eE]$")))\n`,
        acts: { "by any case of it": (at) => ({ kind: "read", path: at("NAME") }) },
      },
      {
        given: ["name"],
        text: (at) =>
          `${OPEN}(deny file-write-unlink file-write-create (require-any (literal ${quoteText(at("name"))}) (regex "/[nN][aA][mM][eE]$")))\n`,
        acts: {
          "moved by another case": (at) => ({ kind: "rename", from: at("NAME"), to: at("elsewhere") }),
        },
      },
    ],
    outcomes: [
      {
        value: "on-disk",
        says: "by the one on the disk",
        standing: "expected",
        when: {
          "by its own name": "refused",
          "by any case of it": "refused",
          "moved by another case": "refused",
        },
      },
      {
        value: "as-given",
        says: "by the one that was asked for, which rules hold too",
        standing: "harmless",
        when: {
          "by its own name": "done",
          "by any case of it": "refused",
          "moved by another case": "refused",
        },
      },
    ],
    otherwise: { says: "by one that no rule holds", standing: "problem" },
  },
  {
    id: "accents",
    asks: "by which spelling of an accented letter the kernel asks",
    relies: "granted folders with such names are named as they are on the disk",
    trials: [COMPOSED, DECOMPOSED].map((rule, number) => ({
      given: [`${COMPOSED}x`],
      text: () => `${OPEN}(deny file-read-data (literal (param "NAME")))\n`,
      parameters: (at) => ({ NAME: at(`${rule}x`) }),
      acts: {
        [number === 0 ? "the rule spells it so" : "the rule spells it otherwise"]: (at) => ({
          kind: "read",
          path: at(`${COMPOSED}x`),
        }),
        [number === 0 ? "asked for otherwise" : "both otherwise"]: (at) => ({
          kind: "read",
          path: at(`${DECOMPOSED}x`),
        }),
      },
    })),
    outcomes: [
      {
        value: "on-disk",
        says: "by the one on the disk",
        standing: "expected",
        when: {
          "the rule spells it so": "refused",
          "the rule spells it otherwise": "done",
          "asked for otherwise": "refused",
          "both otherwise": "done",
        },
      },
      {
        value: "any",
        says: "rules take both for one",
        standing: "expected",
        when: {
          "the rule spells it so": "refused",
          "the rule spells it otherwise": "refused",
          "asked for otherwise": "refused",
          "both otherwise": "refused",
        },
      },
      {
        value: "as-given",
        says: "by the one that was asked for: what is granted is only found by its own spelling",
        standing: "harmless",
        when: {
          "the rule spells it so": "refused",
          "the rule spells it otherwise": "done",
          "asked for otherwise": "done",
          "both otherwise": "refused",
        },
      },
      {
        value: "decomposed",
        says: "by the decomposed one: a granted folder with such a name is not found",
        standing: "harmless",
        when: {
          "the rule spells it so": "done",
          "the rule spells it otherwise": "refused",
          "both otherwise": "refused",
        },
      },
    ],
    otherwise: { says: "by neither", standing: "harmless" },
  },
  {
    id: "foreign-letters",
    asks: "whether a regex finds letters that are not ASCII, in either spelling",
    relies: "a mask on such a name is a regex in which they are what is no printable ASCII",
    isOurs: true,
    trials: [
      {
        given: [`m${COMPOSED}k`, `a${COMPOSED}b`],
        text: () =>
          `${OPEN}(deny file-read-data (require-any (regex "/m[^ -~]+k$") (regex "/me[^ -~]+k$")))\n`,
        acts: {
          "by its own spelling": (at) => ({ kind: "read", path: at(`m${COMPOSED}k`) }),
          "by the other": (at) => ({ kind: "read", path: at(`m${DECOMPOSED}k`) }),
        },
      },
      {
        given: [`a${COMPOSED}b`],
        text: () => `${OPEN}(deny file-read-data (regex "/a([^/]|[^ -~][^ -~]?[^ -~]?[^ -~]?)b$"))\n`,
        acts: { "for any one letter": (at) => ({ kind: "read", path: at(`a${COMPOSED}b`) }) },
      },
    ],
    outcomes: [
      {
        value: "yes",
        says: "yes",
        standing: "expected",
        when: {
          "by its own spelling": "refused",
          "by the other": "refused",
          "for any one letter": "refused",
        },
      },
    ],
    otherwise: { says: "not all of them", standing: "problem" },
  },
  {
    id: "regex-unit",
    asks: "what a regex takes for one character",
    relies: "nothing: where one letter is meant, one to four bytes are as well",
    trials: [
      {
        given: [`u${COMPOSED}v`],
        text: () => `${OPEN}(deny file-read-data (regex "/u[^/]v$"))\n`,
        acts: { "one for the letter": (at) => ({ kind: "read", path: at(`u${COMPOSED}v`) }) },
      },
    ],
    outcomes: [
      { value: "byte", says: "a byte", standing: "expected", when: { "one for the letter": "done" } },
      {
        value: "character",
        says: "a letter",
        standing: "expected",
        when: { "one for the letter": "refused" },
      },
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
];
