import type { NonEmpty, SeccompRule } from "./policy.ts";
import { refuse, refuseWhen } from "./refuse.ts";
import { SYSCALLS } from "./syscalls.ts";

/** Values that programs use: Linux, its 32-bit name, `UNAME26`, and the query (include/uapi/linux/personality.h). */
const PERSONALITIES: NonEmpty<number> = [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff];

/** The same with addresses that are not random (`ADDR_NO_RANDOMIZE`): a debugger starts its programs with it. */
const REPEATABLE: NonEmpty<number> = [...PERSONALITIES, 0x4_0000, 0x4_0008];

/**
 * The sandbox's first process, the start program. It reports the status of the call, and its parent-death signal ends
 * the sandbox with the supervisor: a process that could change it could outlive both. No second process namespace can
 * be made, so it has this number for every process. Its memory cannot be written through /proc, which is read-only.
 */
const FIRST_PROCESS: NonEmpty<number> = [1];

/**
 * Refuses to read or change another process; with `debug`, only the first one. A tracer does not get a call of its
 * tracee's past the filter, which judges after it (Linux 4.8, kernel/entry/common.c).
 *
 * Refused to debuggers as well: pidfd_getfd takes descriptors out of a process, process_madvise drops its memory, and
 * userfaultfd makes the kernel wait in the middle of its work, which helps to win races in it. None of them needs it.
 */
export function processRules(isDebugged: boolean): readonly SeccompRule[] {
  const tracing = isDebugged
    ? [
        refuseWhen("EPERM", SYSCALLS.ptrace, { kind: "one-of", argument: 1, values: FIRST_PROCESS }),
        refuseWhen("EPERM", SYSCALLS.process_vm_readv, {
          kind: "one-of",
          argument: 0,
          values: FIRST_PROCESS,
        }),
        refuseWhen("EPERM", SYSCALLS.process_vm_writev, {
          kind: "one-of",
          argument: 0,
          values: FIRST_PROCESS,
        }),
      ]
    : refuse("EPERM", SYSCALLS.ptrace, SYSCALLS.process_vm_readv, SYSCALLS.process_vm_writev, SYSCALLS.kcmp);
  return [
    ...tracing,
    ...refuse("EPERM", SYSCALLS.pidfd_getfd, SYSCALLS.process_madvise, SYSCALLS.userfaultfd),
    refuseWhen("EPERM", SYSCALLS.personality, {
      kind: "not-one-of",
      argument: 0,
      values: isDebugged ? REPEATABLE : PERSONALITIES,
    }),
  ];
}
