/**
 * Every operation below the one that it is part of, from the names in published profiles, in log lines and in the tables
 * that XNUSandbox took from compiled profiles. A name that is not here is an operation that no system has.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  default: [
    "file*",
    "process*",
    "signal",
    "mach*",
    "ipc*",
    "sysctl*",
    "network*",
    "system*",
    "iokit*",
    "nvram*",
    "user-preference*",
    "device*",
    "pseudo-tty",
    "lsopen",
    "appleevent-send",
    "distributed-notification-post",
    "generic-issue-extension",
    "job-creation",
  ],
  "file*": [
    "file-read*",
    "file-write*",
    "file-write-setugid",
    "file-ioctl",
    "file-map-executable",
    "file-issue-extension",
    "file-link",
    "file-clone",
    "file-mount",
    "file-unmount",
    "file-chroot",
    "file-revoke",
    "file-test-existence",
  ],
  "file-read*": ["file-read-data", "file-read-metadata", "file-read-xattr"],
  "file-write*": [
    "file-write-data",
    "file-write-create",
    "file-write-unlink",
    "file-write-mode",
    "file-write-owner",
    "file-write-flags",
    "file-write-times",
    "file-write-xattr",
  ],
  "process*": ["process-exec*", "process-fork", "process-info*"],
  "process-exec*": ["process-exec", "process-exec-interpreter"],
  "process-info*": [
    "process-info-pidinfo",
    "process-info-setcontrol",
    "process-info-dirtycontrol",
    "process-info-pidfdinfo",
    "process-info-pidfileportinfo",
    "process-info-listpids",
    "process-info-rusage",
    "process-info-codesignature",
  ],
  "mach*": ["mach-lookup", "mach-register", "mach-per-user-lookup", "mach-task-name", "mach-priv*"],
  "mach-priv*": ["mach-priv-host-port", "mach-priv-task-port"],
  "ipc*": ["ipc-posix*", "ipc-sysv*"],
  "ipc-posix*": ["ipc-posix-shm*", "ipc-posix-sem*"],
  "ipc-posix-shm*": ["ipc-posix-shm-read*", "ipc-posix-shm-write*"],
  "ipc-posix-shm-read*": ["ipc-posix-shm-read-data", "ipc-posix-shm-read-metadata"],
  "ipc-posix-shm-write*": [
    "ipc-posix-shm-write-data",
    "ipc-posix-shm-write-create",
    "ipc-posix-shm-write-unlink",
  ],
  "ipc-posix-sem*": [
    "ipc-posix-sem-create",
    "ipc-posix-sem-open",
    "ipc-posix-sem-post",
    "ipc-posix-sem-unlink",
    "ipc-posix-sem-wait",
  ],
  "ipc-sysv*": ["ipc-sysv-msg", "ipc-sysv-sem", "ipc-sysv-shm"],
  "sysctl*": ["sysctl-read", "sysctl-write"],
  "network*": ["network-outbound", "network-inbound", "network-bind"],
  "system*": ["system-socket", "system-fsctl", "system-info", "system-mac-syscall"],
  "iokit*": ["iokit-open", "iokit-get-properties", "iokit-set-properties"],
  "nvram*": ["nvram-delete", "nvram-get", "nvram-set"],
  "user-preference*": ["user-preference-read", "user-preference-write"],
  "device*": ["device-camera", "device-microphone"],
};

/**
 * Operations that a system since macOS 12 may lack, or of which no source says that it has them: a rule on one of these
 * stands in a `defined?`, or the whole profile may be refused. `process-info*` and `file-map-executable` are not among them:
 * profiles that name them without a guard work on macOS 13 to 26.
 */
const UNSURE = new Set([
  "appleevent-send",
  "device*",
  "device-camera",
  "device-microphone",
  "file-clone",
  "file-link",
  "file-test-existence",
  "file-unmount",
  "generic-issue-extension",
  "iokit-get-properties",
  "ipc*",
  "ipc-posix-sem-create",
  "ipc-posix-sem-open",
  "ipc-posix-sem-post",
  "ipc-posix-sem-unlink",
  "ipc-posix-sem-wait",
  "ipc-posix-shm-read*",
  "ipc-posix-shm-write*",
  "mach-priv-host-port",
  "nvram*",
  "nvram-delete",
  "nvram-get",
  "nvram-set",
  "process-exec-interpreter",
  "process-info-codesignature",
  "process-info-dirtycontrol",
  "process-info-listpids",
  "process-info-pidfdinfo",
  "process-info-pidfileportinfo",
  "process-info-pidinfo",
  "process-info-rusage",
  "process-info-setcontrol",
  "sysctl*",
  "system-fsctl",
  "system-mac-syscall",
  "user-preference*",
]);

/**
 * What `(deny default)` says nothing about, with all that is part of it: without a rule of their own they are allowed
 * (Firefox, SandboxPolicies.h: "not included in (deny default)").
 */
export const OUTSIDE_DEFAULT: readonly string[] = [
  "process-info*",
  "nvram*",
  "iokit-get-properties",
  "file-map-executable",
];

const PARENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(PARTS).flatMap(([whole, parts]) => parts.map((part) => [part, whole])),
);

/** Every operation of the table, in its order. */
export const OPERATIONS: readonly string[] = ["default", ...PARENTS.keys()];

/** True for a name in the table. */
export function isOperation(name: string): boolean {
  return name === "default" || PARENTS.has(name);
}

/** True for an operation of every release since macOS 12. */
export function isAlwaysKnown(name: string): boolean {
  return isOperation(name) && !UNSURE.has(name);
}

/** An operation and all that it is part of, the most specific first, and what is said when no rule of these holds. */
export interface Chain {
  readonly operations: readonly string[];
  readonly end: "allow" | "deny";
}

/**
 * The chain of an operation: `file-read-data`, `file-read*`, `file*`, `default`, and then deny. Of the four that
 * `default` does not cover it leaves out `default` and ends in allow. `setugidIsWrite` is how it was before macOS 12.3.
 */
export function chainOf(operation: string, setugidIsWrite = false): Chain {
  if (!isOperation(operation)) throw new Error(`no such operation: \`${operation}\``);
  const operations: string[] = [];
  let at: string | undefined = operation;
  while (at !== undefined) {
    operations.push(at);
    at = setugidIsWrite && at === "file-write-setugid" ? "file-write*" : PARENTS.get(at);
  }
  if (!operations.some((one) => OUTSIDE_DEFAULT.includes(one))) return { operations, end: "deny" };
  return { operations: operations.filter((one) => one !== "default"), end: "allow" };
}

/** True when `operation` is `whole` or part of it. */
export function isPartOf(operation: string, whole: string): boolean {
  let at: string | undefined = operation;
  while (at !== undefined && at !== whole) at = PARENTS.get(at);
  return at === whole;
}
