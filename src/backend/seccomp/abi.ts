/** The machines that a program can be compiled for, by the names of Node's `process.arch`. */
export type SeccompArch = "x64" | "arm64";

/** The tables of call numbers that the kernel accepts: each machine's own, and its 32-bit one. */
export type Abi = SeccompArch | "i386" | "arm";

/** The facts that tell a call of one table from a call of another. */
export interface AbiFacts {
  /** `seccomp_data.arch` of its calls. */
  readonly auditArch: number;
  /** Calls of the machine alone, far above the table: from the first to before the second number. */
  readonly ownCalls: readonly [number, number] | "none";
}

/**
 * The facts per table: `AUDIT_ARCH_*` (include/uapi/linux/audit.h), and for arm the range of `cacheflush` and
 * `set_tls`, which its programs need (`__ARM_NR_COMPAT_BASE`, arch/arm64/include/asm/unistd.h).
 */
export const ABIS = {
  x64: { auditArch: 0xc000_003e, ownCalls: "none" },
  arm64: { auditArch: 0xc000_00b7, ownCalls: "none" },
  i386: { auditArch: 0x4000_0003, ownCalls: "none" },
  arm: { auditArch: 0x4000_0028, ownCalls: [0x0f_0000, 0x0f_0800] },
} as const satisfies Record<Abi, AbiFacts>;

/** The 32-bit table of a machine. */
export const ABI32 = { x64: "i386", arm64: "arm" } as const satisfies Record<SeccompArch, Abi>;

/**
 * The first number that was not judged: the tables go up to 471, of Linux 7.0. Later calls do not exist in the sandbox,
 * as on an older kernel. So for x64 do the calls of x32, which have bit 30 set (`__X32_SYSCALL_BIT`) or, before Linux
 * 5.4, also the numbers from 512 to 547.
 */
export const FIRST_UNJUDGED = 472;

/** Errors of refused calls, the same in all tables (include/uapi/asm-generic/errno-base.h and errno.h). */
export const ERRNOS = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

/** The name of an error a refused call may report. */
export type Errno = keyof typeof ERRNOS;

/** The names of `ERRNOS`, in the order in which a program answers them. */
export const ERRNO_NAMES = ["EPERM", "ENOSYS", "EAFNOSUPPORT"] as const satisfies readonly Errno[];

/** `SECCOMP_RET_ALLOW`: the call goes on (include/uapi/linux/seccomp.h). */
export const ALLOW = 0x7fff_0000;

/** `SECCOMP_RET_KILL_PROCESS`, Linux 4.14: every thread ends as by SIGSYS (include/uapi/linux/seccomp.h). */
export const KILL_PROCESS = 0x8000_0000;

/** `SECCOMP_RET_ERRNO`: the call is skipped and reports the error in the low 16 bits (include/uapi/linux/seccomp.h). */
export const RETURN_ERRNO = 0x0005_0000;

/** Byte offset of `seccomp_data.nr`, the call number (include/uapi/linux/seccomp.h). */
export const NUMBER_OFFSET = 0;

/** Byte offset of `seccomp_data.arch` (include/uapi/linux/seccomp.h). */
export const ARCH_OFFSET = 4;

/** The index of one of the six arguments of a call, from 0. */
export type ArgumentIndex = 0 | 1 | 2 | 3 | 4 | 5;

/** Byte offset of an argument's low 32 bits: `args` starts at 16, 8 bytes each; both machines are little-endian. */
export function lowWordOffset(argument: ArgumentIndex): number {
  return 16 + 8 * argument;
}
