import { isAtMost } from "../../profile/access.ts";
import { maskRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, knownPath } from "../../profile/path.ts";
import type { Mask } from "../../profile/profile.ts";
import type { Filter, SbplRule } from "./sbpl.ts";

/** HOME inside: empty, root's own, on every macOS. There is no place that is made for the call alone yet. */
export const EMPTY_HOME = knownPath("/private/var/empty");

/** Devices that hold nothing of anybody's; no operation on a terminal is among what is allowed on them. */
const SINKS = ["/dev/null", "/dev/zero"].map(knownPath);
const SOURCES = ["/dev/random", "/dev/urandom"].map(knownPath);

/** Links at the top, and what they lead through: `/etc/hosts` can only be opened where `/etc` can be stat'ed. */
const WAYS = ["/etc", "/private", "/private/etc", "/private/tmp", "/private/var", "/tmp", "/var"].map(
  knownPath,
);

/** What C, Go and JavaScript runtimes ask about the machine when they start; nothing about other processes. */
const KERNEL_VARIABLES = [
  "hw.activecpu",
  "hw.cachelinesize",
  "hw.logicalcpu",
  "hw.logicalcpu_max",
  "hw.machine",
  "hw.memsize",
  "hw.ncpu",
  "hw.pagesize",
  "hw.pagesize_compat",
  "hw.physicalcpu",
  "kern.argmax",
  "kern.maxfilesperproc",
  "kern.osproductversion",
  "kern.osrelease",
  "kern.ostype",
  "kern.osversion",
  "kern.usrstack64",
  "kern.version",
] as const;

/** Services that the C library itself asks: the user database, notices of changed settings, temporary folders. */
const SERVICES = [
  "com.apple.bsd.dirhelper",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
] as const;

/**
 * What every program needs to start at all, whatever the profile says; no file of the host is opened by it. In order,
 * denies without a filter first, since they are only what holds when nothing else speaks:
 * 1. what `(deny default)` leaves open, and set-uid bits;
 * 2. processes: to fork, and to see and signal those of the same sandbox;
 * 3. the root folder, without which no program is started, and the ways through `/private`;
 * 4. devices; masks hold for them, too;
 * 5. variables of the kernel, by name, and services, by name: every other service may act outside for who asks it.
 */
export function baseRules(masks: readonly Mask[]): readonly SbplRule[] {
  const capOf = maskRuler(masks);
  const upTo = (access: "read" | "write", paths: readonly AbsolutePath[]): readonly AbsolutePath[] =>
    paths.filter((path) => isAtMost(access, capOf(path, false)?.atMost ?? "write"));
  return [
    ...["process-info*", "nvram*", "iokit-get-properties", "file-map-executable", "file-write-setugid"].map(
      denied,
    ),
    allowed(["process-fork"], null),
    ...["process-info*", "signal"].flatMap((operation) =>
      ["self", "same-sandbox"].map((name) => allowed([operation], { kind: "target", name })),
    ),
    ...literals(["file-read-data", "file-read-metadata"], upTo("read", [knownPath("/")])),
    ...literals(["file-read-metadata"], upTo("read", WAYS)),
    ...literals(["file-read*", "file-read-data", "file-read-metadata"], upTo("read", [...SINKS, ...SOURCES])),
    ...literals(["file-write-data"], upTo("write", SINKS)),
    allowed(["sysctl-read"], { kind: "sysctl-name", texts: KERNEL_VARIABLES }),
    allowed(["mach-lookup"], { kind: "global-name", texts: SERVICES }),
  ];
}

function denied(operation: string): SbplRule {
  return { action: "deny", operations: [operation], filter: null, isGuarded: true };
}

function allowed(operations: SbplRule["operations"], filter: Filter | null): SbplRule {
  return { action: "allow", operations, filter, isGuarded: false };
}

/** A rule for these paths alone; none when a mask has taken all of them away. */
function literals(
  operations: SbplRule["operations"],
  [first, ...others]: readonly AbsolutePath[],
): readonly SbplRule[] {
  return first === undefined ? [] : [allowed(operations, { kind: "literal", texts: [first, ...others] })];
}
