import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import { expected, harmless, type KernelProbe, OPEN, SHUT, starting, weaker } from "./probe.ts";

const SPECIFIC = {
  "narrow allow, wide deny": "done",
  "narrow deny, wide allow": "refused",
  "deny with a path, allow without": "refused",
  "allow with a path, deny without": "done",
  "narrow deny without a path, wide allow": "refused",
  "two of one kind": "done",
} as const;

/** Precedence among several rules, and whether the rules of a sandbox work with any answer. */
export const RULES: readonly KernelProbe[] = [
  {
    id: "precedence",
    asks: "which of several matching rules decides",
    relies: "no two rules of the sandbox contradict each other, so their order has no effect",
    trials: [
      {
        given: ["a"],
        text: (at) =>
          `${OPEN}(allow file-read-data (subpath ${quoteText(at("."))}))\n(deny file-read* (literal ${quoteText(at("a"))}))\n`,
        acts: { "narrow allow, wide deny": (at) => ({ kind: "read", path: at("a") }) },
      },
      {
        given: ["k/", "k/a"],
        text: (at) =>
          `${OPEN}(deny file-read-data (subpath ${quoteText(at("k"))}))\n(allow file-read* (literal ${quoteText(at("k/a"))}))\n`,
        acts: { "narrow deny, wide allow": (at) => ({ kind: "read", path: at("k/a") }) },
      },
      {
        given: ["s="],
        text: (at) =>
          `${OPEN}(deny network-outbound (literal ${quoteText(at("s"))}))\n(allow network-outbound)\n`,
        acts: { "deny with a path, allow without": (at) => ({ kind: "connect-socket", path: at("s") }) },
      },
      {
        given: ["a"],
        text: (at) =>
          `(version 1)\n(allow file-write* (literal ${quoteText(at("a"))}))\n(deny file-write*)\n(allow default)\n`,
        acts: { "allow with a path, deny without": (at) => ({ kind: "write", path: at("a") }) },
      },
      {
        given: ["a"],
        text: (at) =>
          `${OPEN}(deny file-write-unlink)\n(allow file-write* (literal ${quoteText(at("a"))}))\n`,
        acts: { "narrow deny without a path, wide allow": (at) => ({ kind: "remove", path: at("a") }) },
      },
      {
        given: ["x/", "x/a"],
        text: (at) =>
          `${OPEN}(deny file-write* (subpath ${quoteText(at("x"))}))\n(allow file-write* (literal ${quoteText(at("x/a"))}))\n`,
        acts: { "two of one kind": (at) => ({ kind: "write", path: at("x/a") }) },
      },
    ],
    outcomes: [
      expected(
        "specific",
        "the one for the most specific operation; of those the last with a path",
        SPECIFIC,
      ),
      harmless("last", "the last", {
        "narrow allow, wide deny": "refused",
        "narrow deny, wide allow": "done",
        "deny with a path, allow without": "done",
        "allow with a path, deny without": "refused",
        "narrow deny without a path, wide allow": "done",
        "two of one kind": "done",
      }),
      harmless("first", "the first", { ...SPECIFIC, "two of one kind": "refused" }),
    ],
    otherwise: { says: "an unknown order", standing: "harmless" },
  },
  {
    id: "exceptions",
    asks: "whether an exception of an allow works, and a deny beside it too",
    relies:
      "masks, nearer entries and fixed folders are exceptions of the rules that allow the folders around them",
    isOurs: true,
    trials: [
      {
        given: ["p/", "p/a", "p/s/", "p/s/a"],
        text: (at) => exceptions(at("p"), at("p/s"), true),
        acts: {
          "beside it": (at) => ({ kind: "write", path: at("p/a") }),
          "what is left out": (at) => ({ kind: "write", path: at("p/s/a") }),
          "made in it": (at) => ({ kind: "create", path: at("p/s/b") }),
          "removed from it": (at) => ({ kind: "remove", path: at("p/s/a") }),
          "moved away": (at) => ({ kind: "rename", from: at("p/s"), to: at("p/t") }),
        },
      },
      {
        given: ["p/", "p/s/", "p/s/a"],
        text: (at) => exceptions(at("p"), at("p/s"), false),
        acts: { "without the deny": (at) => ({ kind: "write", path: at("p/s/a") }) },
      },
    ],
    outcomes: [
      expected("hold", "yes", {
        "beside it": "done",
        "what is left out": "refused",
        "made in it": "refused",
        "removed from it": "refused",
        "moved away": "refused",
        "without the deny": "refused",
      }),
    ],
    otherwise: { says: "no", standing: "problem" },
  },
  {
    id: "new-folder",
    asks: "whether a rule for folders covers a folder that does not exist yet",
    relies: "no folder can be created in a root with a suffix list",
    trials: [
      {
        given: ["f/"],
        text: (at) =>
          `${OPEN}(deny file-write-create (require-all (subpath ${quoteText(at("f"))}) (vnode-type DIRECTORY)))\n`,
        acts: {
          "a folder by its kind": (at) => ({ kind: "mkdir", path: at("f/new") }),
          "a file by its kind": (at) => ({ kind: "create", path: at("f/file") }),
        },
      },
    ],
    outcomes: [
      expected("yes", "yes", { "a folder by its kind": "refused", "a file by its kind": "done" }),
      weaker("no", "no: folders can be created in a root with a suffix list", {
        "a folder by its kind": "done",
        "a file by its kind": "done",
      }),
    ],
    otherwise: { says: "it covers files too", standing: "harmless" },
  },
  {
    id: "subpath-itself",
    asks: "whether a rule for the paths below a folder covers the folder too",
    relies: "nothing: rules name the folder and the paths below it",
    trials: [
      {
        text: (at) => `${OPEN}(deny file-write-create (subpath ${quoteText(at("new"))}))\n`,
        acts: { "the folder": (at) => ({ kind: "mkdir", path: at("new") }) },
      },
    ],
    outcomes: [
      expected("yes", "yes", { "the folder": "refused" }),
      harmless("no", "no", { "the folder": "done" }),
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "literal-and-subpath",
    asks: "whether both together cover a folder that does not exist yet, and all paths below it",
    relies: "missing protected files can't be created",
    isOurs: true,
    trials: [
      {
        given: ["there/"],
        text: (at) =>
          `${OPEN}(deny file-write-create (require-any (literal ${quoteText(at("new"))}) (subpath ${quoteText(at("new"))}) (literal ${quoteText(at("other"))}) (subpath ${quoteText(at("there"))})))\n`,
        acts: {
          "the folder": (at) => ({ kind: "mkdir", path: at("new") }),
          "a file of its name": (at) => ({ kind: "create", path: at("other") }),
          "a file below": (at) => ({ kind: "create", path: at("there/a") }),
        },
      },
    ],
    outcomes: [
      expected("yes", "yes", {
        "the folder": "refused",
        "a file of its name": "refused",
        "a file below": "refused",
      }),
    ],
    otherwise: { says: "no", standing: "problem" },
  },
];

/** A writable folder with an exception in it, as rules on files are rendered. */
function exceptions(folder: string, but: string, hasDeny: boolean): string {
  const around = `(require-any (literal ${quoteText(folder)}) (subpath ${quoteText(folder)}))`;
  const operations = "file-write-data file-write-create file-write-unlink";
  const allow = `(allow ${operations} (require-all ${around} (require-not (literal ${quoteText(but)})) (require-not (subpath ${quoteText(but)}))))`;
  const deny = `(deny file-write* ${operations} (require-any (literal ${quoteText(but)}) (subpath ${quoteText(but)})))`;
  return `${SHUT}${starting("file-write*")}${allow}\n${hasDeny ? `${deny}\n` : ""}`;
}
