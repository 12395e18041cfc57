import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { codeOf } from "./system-error.ts";

/** Descriptors that this process inherited without close-on-exec: a child would get them too. None without `/proc`. */
export function inheritedDescriptors(): readonly number[] {
  return listed("/proc/self/fd").filter((fd) => fd > 2 && isInheritable("self", fd));
}

/**
 * True when a process hands the descriptor on to what it starts. Octal 02000000 is O_CLOEXEC on both architectures
 * (include/uapi/asm-generic/fcntl.h). A descriptor gone by now is not handed on.
 */
export function isInheritable(pid: number | "self", fd: number): boolean {
  try {
    const flags = /flags:\s+([0-7]+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 0o2000000) === 0;
  } catch {
    return false;
  }
}

/**
 * Starts something with `/dev/null` in the place of each inherited descriptor: what it is given goes behind the three
 * standard streams. Node leaves an ignored descriptor above 2 as it is.
 */
export function withoutInherited<Value>(start: (others: readonly ("ignore" | number)[]) => Value): Value {
  const inherited = inheritedDescriptors();
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
