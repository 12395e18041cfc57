import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import { expected, type KernelProbe, OPEN, SHUT, starting } from "./probe.ts";

/** Rules that the kernel checks when a file gets another name. */
export const NAMES: readonly KernelProbe[] = [
  {
    id: "rename-over",
    asks: "which operations moving a file over another one needs for that one",
    relies: "both are denied for protected paths",
    trials: [
      {
        given: ["a", "held"],
        text: (at) => `${OPEN}(deny file-write-create (literal ${quoteText(at("held"))}))\n`,
        acts: { create: (at) => ({ kind: "rename", from: at("a"), to: at("held") }) },
      },
      {
        given: ["a", "held"],
        text: (at) => `${OPEN}(deny file-write-unlink (literal ${quoteText(at("held"))}))\n`,
        acts: { unlink: (at) => ({ kind: "rename", from: at("a"), to: at("held") }) },
      },
      {
        given: ["a", "held"],
        text: (at) =>
          `${OPEN}(deny file-write-create file-write-unlink (literal ${quoteText(at("held"))}))\n`,
        acts: {
          "both over": (at) => ({ kind: "rename", from: at("a"), to: at("held") }),
          "both away": (at) => ({ kind: "rename", from: at("held"), to: at("b") }),
        },
      },
    ],
    outcomes: [
      expected("create-and-unlink", "creating and removing it", {
        create: "refused",
        unlink: "refused",
        "both over": "refused",
        "both away": "refused",
      }),
      expected("create", "creating it", {
        create: "refused",
        unlink: "done",
        "both over": "refused",
        "both away": "refused",
      }),
      expected("unlink", "removing it", {
        create: "done",
        unlink: "refused",
        "both over": "refused",
        "both away": "refused",
      }),
    ],
    otherwise: { says: "none that rules can deny", standing: "problem" },
  },
  {
    id: "swap",
    asks: "whether a file can be exchanged with a protected file",
    relies: "protected files can't be created, moved or removed",
    trials: [
      {
        given: ["a", "held"],
        text: (at) =>
          `${OPEN}(deny file-write-create file-write-unlink (literal ${quoteText(at("held"))}))\n`,
        acts: {
          "for it": (at) => ({ kind: "swap", from: at("a"), to: at("held") }),
          "it for another": (at) => ({ kind: "swap", from: at("held"), to: at("a") }),
        },
      },
    ],
    outcomes: [expected("no", "no", { "for it": "refused", "it for another": "refused" })],
    otherwise: { says: "yes", standing: "problem" },
  },
  {
    id: "link",
    asks: "which operations a hard link needs",
    relies:
      "no rule allows links to files, so no hidden or read-only file gets a second name in a writable folder",
    trials: [
      {
        given: ["a"],
        text: (at) => `${OPEN}(deny file-write-create (literal ${quoteText(at("b"))}))\n`,
        acts: { create: (at) => ({ kind: "link", from: at("a"), to: at("b") }) },
      },
      {
        given: ["a"],
        text: () => `${OPEN}(if (defined? 'file-link) (deny file-link))\n`,
        acts: { link: (at) => ({ kind: "link", from: at("a"), to: at("b") }) },
      },
      {
        given: ["hidden", "page", "w/"],
        text: (at) => copying(at("hidden"), at("w")),
        acts: {
          "a hidden file": (at) => ({ kind: "link", from: at("hidden"), to: at("w/b") }),
          "a read-only file": (at) => ({ kind: "link", from: at("page"), to: at("w/c") }),
        },
      },
    ],
    outcomes: [
      expected("link", "linking the file", {
        create: "done",
        link: "refused",
        "a hidden file": "refused",
        "a read-only file": "refused",
      }),
      expected("link-and-create", "linking the file, and creating the new name", {
        create: "refused",
        link: "refused",
        "a hidden file": "refused",
        "a read-only file": "refused",
      }),
      expected("otherwise", "an operation that no rule allows", {
        "a hidden file": "refused",
        "a read-only file": "refused",
      }),
    ],
    otherwise: {
      says: "creating the new name: a hidden or read-only file gets a second name in a writable folder",
      standing: "problem",
    },
  },
  {
    id: "clone",
    asks: "whether a hidden file can be cloned (clonefile)",
    relies: "only readable files can be cloned, and no folder with a hidden file in it",
    trials: [
      {
        given: ["hidden", "w/", "d/", "d/hidden"],
        text: (at) => copying(at("hidden"), at("w"), at("d/hidden")),
        acts: {
          "a hidden file": (at) => ({ kind: "clone", from: at("hidden"), to: at("w/b") }),
          "a folder with one in it": (at) => ({ kind: "clone", from: at("d"), to: at("w/d") }),
        },
      },
    ],
    outcomes: [expected("no", "no", { "a hidden file": "refused", "a folder with one in it": "refused" })],
    otherwise: { says: "yes", standing: "problem" },
  },
];

/** Allows reading all but the hidden path, and writing one folder, as rules on files are rendered. */
function copying(...[hidden, folder, other = hidden]: readonly [string, string, string?]): string {
  const reading = `(require-not (literal ${quoteText(hidden)} ${quoteText(other)}))`;
  const writing = `(require-any (literal ${quoteText(folder)}) (subpath ${quoteText(folder)}))`;
  return `${SHUT}${starting("file-read*", "file-write*")}(allow file-read* (require-all (require-any (literal "/") (subpath "/")) ${reading}))
(allow file-write-data file-write-create file-write-unlink file-write-mode file-write-times file-write-xattr ${writing})
`;
}
