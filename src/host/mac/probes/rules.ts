import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import { OPEN, type Probe, SHUT, starting } from "./probe.ts";

/** Which of several rules counts, and whether what walls are made of does what it must whatever the answer is. */
export const RULES: readonly Probe[] = [
  {
    id: "precedence",
    asks: "which of several rules that hold counts",
    relies: "no two rules of the walls say different things about one act, so that the order means nothing",
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
      {
        value: "specific",
        says: "that on the most specific operation; of those the last that has a path",
        standing: "expected",
        when: {
          "narrow allow, wide deny": "done",
          "narrow deny, wide allow": "refused",
          "deny with a path, allow without": "refused",
          "allow with a path, deny without": "done",
          "narrow deny without a path, wide allow": "refused",
          "two of one kind": "done",
        },
      },
      {
        value: "last",
        says: "the last",
        standing: "harmless",
        when: {
          "narrow allow, wide deny": "refused",
          "narrow deny, wide allow": "done",
          "deny with a path, allow without": "done",
          "allow with a path, deny without": "refused",
          "narrow deny without a path, wide allow": "done",
          "two of one kind": "done",
        },
      },
      {
        value: "first",
        says: "the first",
        standing: "harmless",
        when: {
          "narrow allow, wide deny": "done",
          "narrow deny, wide allow": "refused",
          "deny with a path, allow without": "refused",
          "allow with a path, deny without": "done",
          "narrow deny without a path, wide allow": "refused",
          "two of one kind": "refused",
        },
      },
    ],
    otherwise: { says: "another order than those that are known", standing: "harmless" },
  },
  {
    id: "exceptions",
    asks: "whether what an allow leaves out is left out, and what a deny says beside it holds",
    relies:
      "masks, nearer entries and folders that must stay are left out of the rules that give what is around them",
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
      {
        value: "hold",
        says: "yes",
        standing: "expected",
        when: {
          "beside it": "done",
          "what is left out": "refused",
          "made in it": "refused",
          "removed from it": "refused",
          "moved away": "refused",
          "without the deny": "refused",
        },
      },
    ],
    otherwise: { says: "no", standing: "problem" },
  },
  {
    id: "new-folder",
    asks: "whether a rule on folders is about one that is not there yet",
    relies: "in a root with a suffix list no folder is made",
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
      {
        value: "yes",
        says: "yes",
        standing: "expected",
        when: { "a folder by its kind": "refused", "a file by its kind": "done" },
      },
      {
        value: "no",
        says: "no: in a root with a suffix list folders can be made",
        standing: "weaker",
        when: { "a folder by its kind": "done", "a file by its kind": "done" },
      },
    ],
    otherwise: { says: "it is about files as well", standing: "harmless" },
  },
  {
    id: "subpath-itself",
    asks: "whether a rule on what lies below a folder is about the folder, too",
    relies: "nothing: rules name a folder itself beside what is below it",
    trials: [
      {
        text: (at) => `${OPEN}(deny file-write-create (subpath ${quoteText(at("new"))}))\n`,
        acts: { "the folder": (at) => ({ kind: "mkdir", path: at("new") }) },
      },
    ],
    outcomes: [
      { value: "yes", says: "yes", standing: "expected", when: { "the folder": "refused" } },
      { value: "no", says: "no", standing: "harmless", when: { "the folder": "done" } },
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "literal-and-subpath",
    asks: "whether both together are about a folder that is not there yet, and all that would be below it",
    relies: "what is protected and missing can't be made",
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
      {
        value: "yes",
        says: "yes",
        standing: "expected",
        when: { "the folder": "refused", "a file of its name": "refused", "a file below": "refused" },
      },
    ],
    otherwise: { says: "no", standing: "problem" },
  },
];

/** A folder that may be written, but for one in it: as rules on files are rendered. */
function exceptions(folder: string, but: string, hasDeny: boolean): string {
  const around = `(require-any (literal ${quoteText(folder)}) (subpath ${quoteText(folder)}))`;
  const operations = "file-write-data file-write-create file-write-unlink";
  const allow = `(allow ${operations} (require-all ${around} (require-not (literal ${quoteText(but)})) (require-not (subpath ${quoteText(but)}))))`;
  const deny = `(deny file-write* ${operations} (require-any (literal ${quoteText(but)}) (subpath ${quoteText(but)})))`;
  return `${SHUT}${starting("file-write*")}${allow}\n${hasDeny ? `${deny}\n` : ""}`;
}
