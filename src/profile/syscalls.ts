import { z } from "zod";

/** Refused unless granted: `abi32` runs 32-bit programs, `debug` traces and changes the call's other processes. */
export const SyscallGroup = z.enum(["abi32", "debug"]);
export type SyscallGroup = z.infer<typeof SyscallGroup>;

/** `syscalls:` in YAML: groups by their names, none in an empty list. */
export const SyscallsSection = z.array(SyscallGroup).max(16);

/** The granted groups of system calls; the least is none. */
export type Syscalls = readonly SyscallGroup[];

/** All groups. */
export const SYSCALL_GROUPS: Syscalls = SyscallGroup.options;

/** The effect of a group, in words that follow "may" or "to". */
export function printSyscallGroup(group: SyscallGroup): string {
  return { abi32: "run 32-bit programs", debug: "trace and change its other processes" }[group];
}
