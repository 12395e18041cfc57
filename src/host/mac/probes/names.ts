import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import { OPEN, type Probe, SHUT, starting } from "./probe.ts";

/** What giving a file another name asks. */
export const NAMES: readonly Probe[] = [
  {
    id: "rename-over",
    asks: "what moving a file over another one asks about that one",
    relies: "both are denied for whatever is protected",
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
      {
        value: "create-and-unlink",
        says: "whether it may be made and removed",
        standing: "expected",
        when: { create: "refused", unlink: "refused", "both over": "refused", "both away": "refused" },
      },
      {
        value: "create",
        says: "whether it may be made",
        standing: "expected",
        when: { create: "refused", unlink: "done", "both over": "refused", "both away": "refused" },
      },
      {
        value: "unlink",
        says: "whether it may be removed",
        standing: "expected",
        when: { create: "done", unlink: "refused", "both over": "refused", "both away": "refused" },
      },
    ],
    otherwise: { says: "nothing that rules can deny", standing: "problem" },
  },
  {
    id: "swap",
    asks: "whether two files can be exchanged of which one is protected",
    relies: "what is protected can be neither made, moved nor removed",
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
    outcomes: [
      {
        value: "no",
        says: "no",
        standing: "expected",
        when: { "for it": "refused", "it for another": "refused" },
      },
    ],
    otherwise: { says: "yes", standing: "problem" },
  },
  {
    id: "link",
    asks: "what a hard link asks",
    relies:
      "no rule lets files be linked, so that what is hidden or read-only has no second name in a writable folder",
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
      {
        value: "link",
        says: "whether a file may be linked",
        standing: "expected",
        when: { create: "done", link: "refused", "a hidden file": "refused", "a read-only file": "refused" },
      },
      {
        value: "link-and-create",
        says: "whether a file may be linked, and the new name made",
        standing: "expected",
        when: {
          create: "refused",
          link: "refused",
          "a hidden file": "refused",
          "a read-only file": "refused",
        },
      },
      {
        value: "otherwise",
        says: "something that no rule gives",
        standing: "expected",
        when: { "a hidden file": "refused", "a read-only file": "refused" },
      },
    ],
    otherwise: {
      says: "whether the new name may be made: what is hidden or read-only gets a second name in a writable folder",
      standing: "problem",
    },
  },
  {
    id: "clone",
    asks: "whether what is hidden can be copied by its blocks (clonefile)",
    relies: "no rule lets files be cloned but where they can be read, nor a folder with what is hidden in it",
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
    outcomes: [
      {
        value: "no",
        says: "no",
        standing: "expected",
        when: { "a hidden file": "refused", "a folder with one in it": "refused" },
      },
    ],
    otherwise: { says: "yes", standing: "problem" },
  },
];

/** All can be read but what is hidden, one folder can be written: as rules on files are rendered. */
function copying(...[hidden, folder, other = hidden]: readonly [string, string, string?]): string {
  const reading = `(require-not (literal ${quoteText(hidden)} ${quoteText(other)}))`;
  const writing = `(require-any (literal ${quoteText(folder)}) (subpath ${quoteText(folder)}))`;
  return `${SHUT}${starting("file-read*", "file-write*")}(allow file-read* (require-all (require-any (literal "/") (subpath "/")) ${reading}))
(allow file-write-data file-write-create file-write-unlink file-write-mode file-write-times file-write-xattr ${writing})
`;
}
