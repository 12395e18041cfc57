import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import { expected, harmless, type KernelProbe, OPEN } from "./probe.ts";

/** `é` as one character, and as a letter followed by an accent. */
const COMPOSED = "\u00e9";
const DECOMPOSED = "e\u0301";

/** The names that the kernel uses when it asks about files, and how rules compare them. */
export const SPELLING: readonly KernelProbe[] = [
  {
    id: "folds-case",
    asks: "which rules ignore case",
    relies: "nothing: rules name denied files in their own spelling, and by a regex in every other",
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
      expected("nowhere", "nowhere", { literal: "done", subpath: "done", regex: "done" }),
      expected("paths", "paths, not regexes", { literal: "refused", subpath: "refused", regex: "done" }),
      harmless("paths-and-regexes", "paths and regexes", {
        literal: "refused",
        subpath: "refused",
        regex: "refused",
      }),
    ],
    otherwise: { says: "only some kinds of rules", standing: "harmless" },
  },
  {
    id: "asked-case",
    asks: "which spelling the kernel checks if a file is opened by its name in another case",
    relies: "a mask covers every case of its name if the disk ignores case",
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
      expected("on-disk", "the one on the disk", {
        "by its own name": "refused",
        "by any case of it": "refused",
        "moved by another case": "refused",
      }),
      harmless("as-given", "the requested one, which rules also name", {
        "by its own name": "done",
        "by any case of it": "refused",
        "moved by another case": "refused",
      }),
    ],
    otherwise: { says: "one that no rule names", standing: "problem" },
  },
  {
    id: "accents",
    asks: "which spelling of an accented letter the kernel checks",
    relies: "rules name granted folders with such names as on the disk",
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
      expected("on-disk", "the one on the disk", {
        "the rule spells it so": "refused",
        "the rule spells it otherwise": "done",
        "asked for otherwise": "refused",
        "both otherwise": "done",
      }),
      expected("any", "both are the same to rules", {
        "the rule spells it so": "refused",
        "the rule spells it otherwise": "refused",
        "asked for otherwise": "refused",
        "both otherwise": "refused",
      }),
      harmless("as-given", "the requested one: granted folders are found only by their own spelling", {
        "the rule spells it so": "refused",
        "the rule spells it otherwise": "done",
        "asked for otherwise": "done",
        "both otherwise": "refused",
      }),
      harmless("decomposed", "the decomposed one: a granted folder with such a name is not found", {
        "the rule spells it so": "done",
        "the rule spells it otherwise": "refused",
        "both otherwise": "refused",
      }),
    ],
    otherwise: { says: "neither", standing: "harmless" },
  },
  {
    id: "foreign-letters",
    asks: "whether a regex matches non-ASCII letters in either spelling",
    relies: "a mask for such a name becomes a regex that matches them as characters outside printable ASCII",
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
      expected("yes", "yes", {
        "by its own spelling": "refused",
        "by the other": "refused",
        "for any one letter": "refused",
      }),
    ],
    otherwise: { says: "not all of them", standing: "problem" },
  },
  {
    id: "regex-unit",
    asks: "which unit is one character to a regex",
    relies: "nothing: a pattern for one letter also matches one to four bytes",
    trials: [
      {
        given: [`u${COMPOSED}v`],
        text: () => `${OPEN}(deny file-read-data (regex "/u[^/]v$"))\n`,
        acts: { "one for the letter": (at) => ({ kind: "read", path: at(`u${COMPOSED}v`) }) },
      },
    ],
    outcomes: [
      expected("byte", "a byte", { "one for the letter": "done" }),
      expected("character", "a letter", { "one for the letter": "refused" }),
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
];
