/** The machines a program can be compiled for, by the name that Node's `process.arch` gives them. */
export type SeccompArch = "x64" | "arm64";

/** What tells a system call of this machine's own ABI from that of another ABI it can also run. */
export interface Machine {
  /** `seccomp_data.arch` of a native call. */
  readonly auditArch: number;
  /** Call numbers from here on belong to a second ABI that reports the same `auditArch`. */
  readonly foreignFrom: number | "none";
}

/**
 * The facts per machine: `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64` (include/uapi/linux/audit.h),
 * and `__X32_SYSCALL_BIT` (arch/x86/include/uapi/asm/unistd.h), which marks x32 calls on x86_64.
 */
export const MACHINES = {
  x64: { auditArch: 0xc000_003e, foreignFrom: 0x4000_0000 },
  arm64: { auditArch: 0xc000_00b7, foreignFrom: "none" },
} as const satisfies Record<SeccompArch, Machine>;

/**
 * Errors a refused call may report, with their numbers: the same on both machines
 * (include/uapi/asm-generic/errno-base.h and errno.h).
 */
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

/** Which of the six arguments of a call, from 0. */
export type ArgumentIndex = 0 | 1 | 2 | 3 | 4 | 5;

/**
 * Byte offset of the low 32 bits of an argument: `seccomp_data.args` starts at 16, 8 bytes each, and both machines
 * are little-endian.
 */
export function lowWordOffset(argument: ArgumentIndex): number {
  return 16 + 8 * argument;
}
