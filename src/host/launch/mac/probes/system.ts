import { OPEN_BY_DEFAULT } from "../../../../backend/seatbelt/base.ts";
import { quoteText } from "../../../../backend/seatbelt/sbpl.ts";
import { expected, harmless, type KernelProbe, OPEN, SHUT, starting, type Trial } from "./probe.ts";

/** Operations that rules name only on systems that have them. */
export const GUARDED = [...OPEN_BY_DEFAULT, "mach-priv-task-port", "mach-task-name"] as const;

/** Operations that rules name on every system: without one of them no text would be accepted. */
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
 * Operations that `(deny default)` is known to leave open, each with an act. The library is one that a program can do
 * without: if a program may load none, the loader ends it, which other processes would be notified of.
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

/** Features of this system, and its behavior towards sandboxes. */
export const SYSTEM: readonly KernelProbe[] = [
  {
    id: "named-operations",
    asks: "whether all operations that rules name exist",
    relies: "rules with an unknown operation are rejected, so nothing runs",
    isOurs: true,
    trials: [
      {
        text: () => `${OPEN}${NAMED.map((name) => `(allow ${name})\n`).join("")}`,
        acts: { "all of them": () => ({ kind: "start" }) },
      },
    ],
    outcomes: [expected("all", "yes", { "all of them": "done" })],
    otherwise: { says: "not all of them: no call can start", standing: "problem" },
  },
  ...GUARDED.map(
    (name): KernelProbe => ({
      id: `has ${name}`,
      asks: `whether the operation ${name} exists`,
      relies: "nothing: rules name it only if it exists",
      trials: [defined([name])],
      outcomes: [expected("yes", "yes", { [name]: "refused" }), harmless("no", "no", { [name]: "done" })],
      otherwise: { says: "no answer", standing: "harmless" },
    }),
  ),
  ...LEFT_OPEN.map(
    ({ name, kind, others, filter }): KernelProbe => ({
      id: `default ${name}`,
      asks: `whether a profile that denies by default denies ${name}`,
      relies: "it is also denied by its name",
      trials: [
        { text: () => `${SHUT}${starting(name)}${others}`, acts: { "by default": () => ({ kind }) } },
        {
          text: () => `${SHUT}${starting(name)}${others}(if (defined? '${name}) (deny ${name}${filter}))\n`,
          acts: { "by its name": () => ({ kind }) },
        },
      ],
      outcomes: [
        expected("no", "no; it is denied by its name", { "by default": "done", "by its name": "refused" }),
        harmless("yes", "yes", { "by default": "refused", "by its name": "refused" }),
      ],
      otherwise: { says: "no, and it is not denied by its name either", standing: "weaker" },
    }),
  ),
  {
    id: "nested",
    asks: "how a nested sandbox is refused",
    relies: "nothing: an outer sandbox is detected by status 71, or by the launcher's message",
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
      expected("71", "with status 71", { "status 71": "done" }),
      harmless("entered", "not at all: a program can start a nested sandbox", { entered: "done" }),
      harmless("other", "with another status", { "status 71": "refused", entered: "refused" }),
    ],
    otherwise: { says: "no answer", standing: "harmless" },
  },
  {
    id: "mistakes",
    asks: "whether rules with a mistake are rejected as a whole",
    relies: "no program starts with invalid rules",
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
      expected("yes", "yes", {
        "an unknown operation": "rejected",
        "a missing parameter": "rejected",
        "a parenthesis too few": "rejected",
        "an address": "rejected",
      }),
      expected("most", "yes, except that an address is accepted", {
        "an unknown operation": "rejected",
        "a missing parameter": "rejected",
        "a parenthesis too few": "rejected",
      }),
    ],
    otherwise: { says: "no: programs would run with a part of their rules", standing: "problem" },
  },
];

/** All in one text; each known operation denies reading a file of its own. */
function defined(names: readonly string[]): Trial {
  const file = (name: string): string => `has-${name.replace("*", "-any")}`;
  return {
    given: names.map(file),
    text: (at) =>
      `${OPEN}${names.map((name) => `(if (defined? '${name}) (deny file-read-data (literal ${quoteText(at(file(name)))})))\n`).join("")}`,
    acts: Object.fromEntries(names.map((name) => [name, (at) => ({ kind: "read", path: at(file(name)) })])),
  };
}
