import { quoteText } from "../../../backend/seatbelt/sbpl.ts";
import { OPEN, type Probe, SHUT, starting, type Trial } from "./probe.ts";

/** Operations that rules name only where a system has them. */
export const GUARDED = [
  "process-info*",
  "nvram*",
  "iokit-get-properties",
  "file-map-executable",
  "file-write-setugid",
  "mach-priv-task-port",
  "mach-task-name",
] as const;

/** Operations that rules name on every system: without one of them no text would be taken. */
export const NAMED = [
  "file-ioctl",
  "file-map-executable",
  "file-read*",
  "file-read-data",
  "file-read-metadata",
  "file-read-xattr",
  "file-write*",
  "file-write-create",
  "file-write-data",
  "file-write-flags",
  "file-write-mode",
  "file-write-owner",
  "file-write-times",
  "file-write-unlink",
  "file-write-xattr",
  "ipc-posix-sem*",
  "ipc-posix-shm-read-data",
  "ipc-posix-shm-read-metadata",
  "ipc-posix-shm-write-create",
  "ipc-posix-shm-write-data",
  "ipc-posix-shm-write-unlink",
  "mach-lookup",
  "network-bind",
  "network-inbound",
  "network-outbound",
  "process-exec",
  "process-exec*",
  "process-fork",
  "process-info*",
  "pseudo-tty",
  "signal",
  "sysctl-read",
  "sysctl-write",
  "system-socket",
  "user-preference-read",
] as const;

const MISTAKES = [
  "an unknown operation",
  "a missing parameter",
  "a parenthesis too few",
  "an address",
] as const;

/** The part of perl that the act loads (perl, `use Socket`). */
const LIBRARY = '(regex "/auto/Socket/Socket[.]bundle$")';

/**
 * What `(deny default)` is known to leave open, with an act of it. Of libraries one is meant that a program can do without: a
 * program that may load none is ended by the loader, which others would be told of.
 */
const LEFT_OPEN = [
  { name: "process-info*", kind: "inspect", others: "", filter: "" },
  {
    name: "file-map-executable",
    kind: "load",
    others: `(allow file-map-executable (require-not ${LIBRARY}))\n`,
    filter: ` ${LIBRARY}`,
  },
  { name: "iokit-get-properties", kind: "registry", others: "", filter: "" },
  { name: "nvram*", kind: "firmware", others: "", filter: "" },
] as const;

/** What this system has, and what it does about sandboxes. */
export const SYSTEM: readonly Probe[] = [
  {
    id: "named-operations",
    asks: "whether there is every operation that rules name",
    relies: "a text that names an unknown one is not taken, so that nothing runs",
    isOurs: true,
    trials: [
      {
        text: () => `${OPEN}${NAMED.map((name) => `(allow ${name})\n`).join("")}`,
        acts: { "all of them": () => ({ kind: "start" }) },
      },
    ],
    outcomes: [{ value: "all", says: "yes", standing: "expected", when: { "all of them": "done" } }],
    otherwise: { says: "not all of them: no call will start", standing: "problem" },
  },
  ...GUARDED.map(
    (name): Probe => ({
      id: `has ${name}`,
      asks: `whether there is the operation ${name}`,
      relies: "nothing: it is named where there is one",
      trials: [defined([name])],
      outcomes: [
        { value: "yes", says: "yes", standing: "expected", when: { [name]: "refused" } },
        { value: "no", says: "no", standing: "harmless", when: { [name]: "done" } },
      ],
      otherwise: { says: "no answer", standing: "harmless" },
    }),
  ),
  ...LEFT_OPEN.map(
    ({ name, kind, others, filter }): Probe => ({
      id: `default ${name}`,
      asks: `whether a profile that denies by default denies ${name}`,
      relies: "it is denied by its name as well",
      trials: [
        { text: () => `${SHUT}${starting(name)}${others}`, acts: { "by default": () => ({ kind }) } },
        {
          text: () => `${SHUT}${starting(name)}${others}(if (defined? '${name}) (deny ${name}${filter}))\n`,
          acts: { "by its name": () => ({ kind }) },
        },
      ],
      outcomes: [
        {
          value: "no",
          says: "no; by its name it is denied",
          standing: "expected",
          when: { "by default": "done", "by its name": "refused" },
        },
        {
          value: "yes",
          says: "yes",
          standing: "harmless",
          when: { "by default": "refused", "by its name": "refused" },
        },
      ],
      otherwise: {
        says: "nor is it by its name",
        standing: "weaker",
      },
    }),
  ),
  {
    id: "nested",
    asks: "how a sandbox inside of another one is refused",
    relies:
      "nothing: that this process already runs in one is told by status 71, else by the launcher's words",
    trials: [
      {
        text: () => `${SHUT}${starting("signal")}(allow signal (target self))\n`,
        isInsideOnly: true,
        acts: {
          "status 71": () => ({ kind: "nest", status: 71 }),
          entered: () => ({ kind: "nest", status: 0 }),
        },
      },
    ],
    outcomes: [
      { value: "71", says: "with status 71", standing: "expected", when: { "status 71": "done" } },
      {
        value: "entered",
        says: "not at all: a program can put further walls into its own",
        standing: "harmless",
        when: { entered: "done" },
      },
      {
        value: "other",
        says: "with another status",
        standing: "harmless",
        when: { "status 71": "refused", entered: "refused" },
      },
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "mistakes",
    asks: "whether a text with a mistake in it is refused as a whole",
    relies: "what can't be read starts nothing",
    isOurs: true,
    trials: [
      "(allow no-such-operation)",
      '(deny file-read-data (literal (param "MISSING")))',
      '(deny file-read-data (literal "/x")',
      '(allow network-outbound (remote ip "192.0.2.1:80"))',
    ].map(
      (rule, at): Trial => ({
        text: () => `${OPEN}${rule}\n`,
        acts: { [MISTAKES[at] ?? ""]: () => ({ kind: "start" }) },
      }),
    ),
    outcomes: [
      {
        value: "yes",
        says: "yes",
        standing: "expected",
        when: {
          "an unknown operation": "rejected",
          "a missing parameter": "rejected",
          "a parenthesis too few": "rejected",
          "an address": "rejected",
        },
      },
      {
        value: "most",
        says: "yes, but that an address is taken",
        standing: "expected",
        when: {
          "an unknown operation": "rejected",
          "a missing parameter": "rejected",
          "a parenthesis too few": "rejected",
        },
      },
    ],
    otherwise: { says: "no: programs would run behind a part of their rules", standing: "problem" },
  },
];

/** In one text; each operation that there is denies the reading of a file of its own. */
function defined(names: readonly string[]): Trial {
  const file = (name: string): string => `has-${name.replace("*", "-any")}`;
  return {
    given: names.map(file),
    text: (at) =>
      `${OPEN}${names.map((name) => `(if (defined? '${name}) (deny file-read-data (literal ${quoteText(at(file(name)))})))\n`).join("")}`,
    acts: Object.fromEntries(names.map((name) => [name, (at) => ({ kind: "read", path: at(file(name)) })])),
  };
}
