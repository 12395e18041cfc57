import { closeSync, openSync, readdirSync } from "node:fs";
import { procText } from "../look/proc-files.ts";
import { codeOf } from "../system-error.ts";

/** The descriptors above the three standard ones that a child gets without being given them. */
type Handed = (isOtherUser: boolean) => readonly number[];

/** Linux: those without close-on-exec (proc(5), `fdinfo`); none without `/proc`. */
const handedByProc: Handed = () =>
  listed("/proc/self/fd").filter((fd) => fd > 2 && isInheritable("self", fd));

/**
 * macOS does not report close-on-exec, but Node starts children there with `POSIX_SPAWN_CLOEXEC_DEFAULT`
 * (posix_spawnattr_setflags(3)). Only for another user it forks instead (libuv, src/unix/process.c:
 * `uv__spawn_set_posix_spawn_attrs`): then every open descriptor, fd(4), counts as inherited. Covering one that would
 * be closed anyway does no harm.
 */
export const handedByDarwin: Handed = (isOtherUser) =>
  isOtherUser ? listed("/dev/fd").filter((fd) => fd > 2) : [];

const HANDED: Handed = process.platform === "darwin" ? handedByDarwin : handedByProc;

/** Descriptors that this process inherited and would pass on to a child, which may be of another user. */
export function inheritedDescriptors(isOtherUser = false, handed: Handed = HANDED): readonly number[] {
  return handed(isOtherUser);
}

/**
 * True if a process passes the descriptor on to its children. Octal 02000000 is O_CLOEXEC on both architectures
 * (include/uapi/asm-generic/fcntl.h).
 */
export function isInheritable(pid: number | "self", fd: number): boolean {
  try {
    const flags = /flags:\s+([0-7]+)/.exec(procText(`/proc/${pid}/fdinfo/${fd}`))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 0o2000000) === 0;
  } catch {
    return false;
  }
}

/**
 * Starts a child with `/dev/null` in the place of each inherited descriptor: the given ones follow the standard
 * streams. Node leaves an ignored descriptor above 2 as it is.
 */
export function withoutInherited<Value>(
  start: (others: readonly ("ignore" | number)[]) => Value,
  isOtherUser = false,
  handed: Handed = HANDED,
): Value {
  const inherited = inheritedDescriptors(isOtherUser, handed);
  if (inherited.length === 0) return start([]);
  const devNull = openSync("/dev/null", "r+");
  try {
    const others: ("ignore" | number)[] = [];
    for (const fd of inherited) others[fd - 3] = devNull;
    return start(Array.from(others, (one) => one ?? "ignore"));
  } finally {
    closeSync(devNull);
  }
}

function listed(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return [];
    throw cause;
  }
}
