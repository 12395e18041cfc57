import type { SeccompArch } from "./abi.ts";

/** The number of one system call on each machine, or that a machine does not have it. */
export type SyscallNumbers = Readonly<Record<SeccompArch, number | "absent">>;

/**
 * The system calls that a policy speaks about. Sources: x64 from arch/x86/entry/syscalls/syscall_64.tbl
 * (rows `common` and `64`; the x32 rows from 512 on are not ours), arm64 from
 * include/uapi/asm-generic/unistd.h. Numbers are never reused; from 424 on both machines agree.
 */
export const SYSCALLS = {
  add_key: { x64: 248, arm64: 217 },
  chmod: { x64: 90, arm64: "absent" },
  creat: { x64: 85, arm64: "absent" },
  fchmod: { x64: 91, arm64: 52 },
  fchmodat: { x64: 268, arm64: 53 },
  fchmodat2: { x64: 452, arm64: 452 },
  fcntl: { x64: 72, arm64: 25 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  io_uring_setup: { x64: 425, arm64: 425 },
  ioctl: { x64: 16, arm64: 29 },
  keyctl: { x64: 250, arm64: 219 },
  mknod: { x64: 133, arm64: "absent" },
  mknodat: { x64: 259, arm64: 33 },
  open: { x64: 2, arm64: "absent" },
  openat: { x64: 257, arm64: 56 },
  openat2: { x64: 437, arm64: 437 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  ptrace: { x64: 101, arm64: 117 },
  request_key: { x64: 249, arm64: 218 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const satisfies Record<string, SyscallNumbers>;
