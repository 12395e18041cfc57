import { z } from "zod";

/**
 * Something that a process does by system calls and that is refused unless it is granted: `abi32` is running 32-bit
 * programs, `debug` is tracing and changing the other processes of the call.
 */
export const SyscallGroup = z.enum(["abi32", "debug"]);
export type SyscallGroup = z.infer<typeof SyscallGroup>;

/** `syscalls:` in YAML: groups by their names, none in an empty list. */
export const SyscallsSection = z.array(SyscallGroup).max(16);

/** The groups of system calls that are granted, none being the least. */
export type Syscalls = readonly SyscallGroup[];

/** Every group there is. */
export const SYSCALL_GROUPS: Syscalls = SyscallGroup.options;

/** The groups in order, each once. */
export function normalSyscalls(groups: Syscalls): Syscalls {
  return SYSCALL_GROUPS.filter((group) => groups.includes(group));
}

/** The groups that both grant. */
export function meetSyscalls(a: Syscalls, b: Syscalls): Syscalls {
  return a.filter((group) => b.includes(group));
}

/** What a group lets a call do, in words that follow "may" or "to". */
export function printSyscallGroup(group: SyscallGroup): string {
  switch (group) {
    case "abi32":
      return "run 32-bit programs";
    case "debug":
      return "trace and change its other processes";
  }
}
