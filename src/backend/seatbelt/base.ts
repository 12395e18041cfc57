import { isAtMost } from "../../profile/access.ts";
import { maskRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, knownPath, ROOT } from "../../profile/path.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import { anyOf, type Filter, isSome, not, type SbplRule, type Section } from "./sbpl.ts";

/** HOME inside, before the call's own folder is made: empty, owned by root, on every macOS. */
export const EMPTY_HOME = knownPath("/private/var/empty");

/** Devices that store no data. */
const SINKS = ["/dev/null", "/dev/zero"].map(knownPath);
const SOURCES = ["/dev/random", "/dev/urandom", "/dev/autofs_nowait", "/dev"].map(knownPath);
/** The loader reports starting programs to it. It can do without the device, but must be allowed to open it. */
const LOADERS_PROBE = knownPath("/dev/dtracehelper");
/** A process's own descriptors, by their numbers. */
const DESCRIPTORS = knownPath("/dev/fd");

/** Links by which scripts name their own streams: each leads to a number there. */
const STREAMS = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].map(knownPath);

/** Links at the top, and folders on their way: `/etc/hosts` can only be opened if `/etc` can be stat'ed. */
const WAYS = ["/etc", "/private", "/private/etc", "/private/tmp", "/private/var", "/tmp", "/var"].map(
  knownPath,
);

/** Variables of the machine that C, Go and JavaScript runtimes query when they start; nothing about other processes. */
const KERNEL_VARIABLES = [
  "hw.activecpu",
  "hw.busfrequency",
  "hw.byteorder",
  "hw.cacheconfig",
  "hw.cachelinesize",
  "hw.cpu64bit_capable",
  "hw.cpufamily",
  "hw.cpufrequency",
  "hw.cpusubfamily",
  "hw.cpusubtype",
  "hw.cputhreadtype",
  "hw.cputype",
  "hw.l1dcachesize",
  "hw.l1icachesize",
  "hw.l2cachesize",
  "hw.l3cachesize",
  "hw.logicalcpu",
  "hw.logicalcpu_max",
  "hw.machine",
  "hw.memsize",
  "hw.model",
  "hw.ncpu",
  "hw.nperflevels",
  "hw.packages",
  "hw.pagesize",
  "hw.pagesize_compat",
  "hw.physicalcpu",
  "hw.physicalcpu_max",
  "hw.tbfrequency",
  "hw.vectorunit",
  "kern.argmax",
  "kern.bootargs",
  "kern.hostname",
  "kern.maxfilesperproc",
  "kern.maxproc",
  "kern.ngroups",
  "kern.osproductversion",
  "kern.osrelease",
  "kern.ostype",
  "kern.osvariant_status",
  "kern.osversion",
  "kern.secure_kernel",
  "kern.tcsm_available",
  "kern.tcsm_enable",
  "kern.usrstack64",
  "kern.version",
  "machdep.cpu.brand_string",
  "security.mac.lockdown_mode_state",
  "sysctl.proc_cputype",
  "vm.loadavg",
] as const;

/** Families of them: the processor's abilities, and its kinds of cores. */
const KERNEL_FAMILIES = ["hw.optional.", "hw.perflevel", "machdep.cpu."] as const;

/** Services of the C library: the user database, notices of changed settings, temporary folders, the log. */
const SERVICES = [
  "com.apple.bsd.dirhelper",
  "com.apple.logd",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
] as const;

/** TIOCSTI: its argument counts as typed at the terminal (sys/ttycom.h, `_IOW('t', 114, char)`). */
export const TYPING = "#x80017472";
/** Any ioctl except that one. */
export const NOT_TYPING = not({ kind: "ioctl-command", word: TYPING });

/** Paths whose metadata the base allows already, so that no other rule repeats it. */
export function passedAlways(masks: readonly Mask[]): readonly AbsolutePath[] {
  return within(masks)("read", [ROOT, ...WAYS]);
}

/** Operations that `(deny default)` leaves open. */
export const OPEN_BY_DEFAULT = [
  ...(["process-info*", "nvram*", "iokit-get-properties"] as const),
  ...(["file-map-executable", "file-write-setugid"] as const),
] as const;

/**
 * The rules that every program needs to start, whatever the profile says; they open no file of the host. In order,
 * denies without a filter first, since they only hold if no other rule applies:
 * 1. operations that `(deny default)` leaves open, and set-uid bits;
 * 2. processes: to fork, and to see and signal those of the same sandbox; to change them, if the profile says `debug`;
 * 3. the root folder, without which no program starts, and the ways through `/private`;
 * 4. devices; masks hold for them, too;
 * 5. variables of the kernel, by name, and services, by name: any other service may act outside for its caller.
 */
export function baseSections({ masks, syscalls }: Profile): readonly Section[] {
  const upTo = within(masks);
  const targets = ["self", "same-sandbox"].map((word): Filter => ({ kind: "target", word }));
  const forTargets = (operation: string): readonly SbplRule[] =>
    targets.map((filter) => ({ action: "allow", operations: [operation], filter }));
  return [
    {
      about: ["What `(deny default)` leaves open is denied by name, and so are set-uid bits."],
      rules: OPEN_BY_DEFAULT.map((operation) => ({
        action: "deny",
        operations: [operation],
        filter: null,
        isGuarded: true,
      })),
    },
    {
      about: ["Processes: to fork, and to see and signal what is in this sandbox."],
      rules: [
        { action: "allow", operations: ["process-fork"], filter: null },
        ...forTargets("process-info*"),
        ...forTargets("signal"),
        ...(syscalls.includes("debug")
          ? (["mach-priv-task-port", "mach-task-name"] as const).map(
              (operation): SbplRule => ({
                action: "allow",
                operations: [operation],
                filter: { kind: "target", word: "same-sandbox" },
                isGuarded: true,
              }),
            )
          : []),
      ],
    },
    {
      about: ["The root folder itself, without which no program starts, and the links that macOS has in it."],
      rules: [
        ...nodes(["file-read-data", "file-read-metadata"], upTo("read", [ROOT])),
        ...nodes(["file-read-metadata"], upTo("read", WAYS)),
      ],
    },
    {
      about: ["Devices that hold nothing of anybody's, and a process's own descriptors."],
      rules: [
        ...nodes(READ, upTo("read", [...SINKS, ...SOURCES, LOADERS_PROBE])),
        ...nodes(["file-read-metadata"], upTo("read", STREAMS)),
        ...nodes(["file-write-data"], upTo("write", [...SINKS, LOADERS_PROBE])),
        ...nodes(["file-ioctl"], upTo("write", [...SINKS, LOADERS_PROBE]), NOT_TYPING),
        ...upTo("write", [DESCRIPTORS]).map(
          (path): SbplRule => ({
            action: "allow",
            operations: [...READ, "file-write-data"],
            filter: { kind: "subpath", text: path },
          }),
        ),
      ],
    },
    {
      about: [
        "What programs ask about the machine when they start, and the services of the C library, by name.",
      ],
      rules: [
        named(
          ["sysctl-read"],
          [...words("sysctl-name", KERNEL_VARIABLES), ...words("sysctl-name-prefix", KERNEL_FAMILIES)],
        ),
        named(["sysctl-write"], words("sysctl-name", ["kern.tcsm_enable"])),
        named(["mach-lookup"], words("global-name", SERVICES)),
        named(
          ["ipc-posix-shm-read-data", "ipc-posix-shm-read-metadata"],
          words("ipc-posix-name", ["apple.shm.notification_center"]),
        ),
      ].flat(),
    },
  ];
}

/** Operations for reading one node; denies name the same. */
export const READ = ["file-read*", "file-read-data", "file-read-metadata", "file-read-xattr"] as const;

/** Returns the paths that keep the access under the masks. */
export type Within = (access: "read" | "write", paths: readonly AbsolutePath[]) => readonly AbsolutePath[];

/** Made once for the masks of a profile. */
export function within(masks: readonly Mask[]): Within {
  const capOf = maskRuler(masks);
  return (access, paths) => paths.filter((path) => isAtMost(access, capOf(path, false)?.atMost ?? "write"));
}

/** A rule for these paths alone; none if a mask takes all of them away. */
export function nodes(
  operations: SbplRule["operations"],
  paths: readonly AbsolutePath[],
  condition: Filter | null = null,
): readonly SbplRule[] {
  const filters = paths.map((text): Filter => ({ kind: "literal", text }));
  if (!isSome(filters)) return [];
  const filter = anyOf(filters);
  return [
    {
      action: "allow",
      operations,
      filter: condition === null ? filter : { kind: "require-all", of: [filter, condition] },
    },
  ];
}

/** A rule for these names; none for an empty list. */
export function named(operations: SbplRule["operations"], filters: readonly Filter[]): readonly SbplRule[] {
  return isSome(filters) ? [{ action: "allow", operations, filter: anyOf(filters) }] : [];
}

/** A filter for each of the names. */
export function words(
  kind: "global-name" | "sysctl-name" | "sysctl-name-prefix" | "ipc-posix-name" | "ipc-posix-name-regex",
  names: readonly string[],
): readonly Filter[] {
  return names.map((text) => ({ kind, text }));
}
