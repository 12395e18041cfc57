import type { SeccompArch } from "./abi.ts";
import { compileSeccomp, type SeccompPolicy } from "./policy.ts";
import { SETUID_RULES } from "./setuid.ts";
import { SYSCALLS } from "./syscalls.ts";

/** Pushes a byte into a terminal's input, as if typed (include/uapi/asm-generic/ioctls.h). */
const TIOCSTI = 0x5412;

/**
 * Pastes the selection into a virtual console's input, among others (include/uapi/asm-generic/ioctls.h,
 * ioctl_console(2)).
 */
const TIOCLINUX = 0x541c;

/** Sockets between a virtual machine and its host, which no network namespace holds back (include/linux/socket.h). */
const AF_VSOCK = 40;

/**
 * With a lease or delegation on a file, also one that can only be read, a process makes others wait who open it, up to
 * 45 seconds each (include/uapi/linux/fcntl.h, fcntl(2), `/proc/sys/fs/lease-break-time`).
 */
const F_SETLEASE = 1024;
const F_SETDELEG = 1040;

/**
 * The policy that every sandboxed process runs under: no input pushed into a terminal, no vsock, and
 * none of the calls that read or steer another process; with `pidfd_getfd` (Linux 5.6), one could take
 * the event descriptor by which bwrap's first process reports the exit status, and report another.
 * No ring either: io_uring opens sockets, vsocks too, without calling socket(2) (`IORING_OP_SOCKET`,
 * Linux 5.19; include/uapi/linux/io_uring.h). And no keyring: a process has the session keyring of whoever
 * started it, which no namespace holds back (session-keyring(7), keyrings(7)). No setuid file, and no lease.
 *
 * A refused family says EAFNOSUPPORT and a refused ring ENOSYS, as a kernel without them does.
 */
export const STANDARD_POLICY: SeccompPolicy = {
  rules: [
    { call: SYSCALLS.ptrace, errno: "EPERM", when: "always" },
    { call: SYSCALLS.process_vm_readv, errno: "EPERM", when: "always" },
    { call: SYSCALLS.process_vm_writev, errno: "EPERM", when: "always" },
    { call: SYSCALLS.pidfd_getfd, errno: "EPERM", when: "always" },
    { call: SYSCALLS.add_key, errno: "EPERM", when: "always" },
    { call: SYSCALLS.request_key, errno: "EPERM", when: "always" },
    { call: SYSCALLS.keyctl, errno: "EPERM", when: "always" },
    { call: SYSCALLS.io_uring_setup, errno: "ENOSYS", when: "always" },
    { call: SYSCALLS.io_uring_enter, errno: "ENOSYS", when: "always" },
    { call: SYSCALLS.io_uring_register, errno: "ENOSYS", when: "always" },
    {
      call: SYSCALLS.ioctl,
      errno: "EPERM",
      when: [{ kind: "one-of", argument: 1, values: [TIOCSTI, TIOCLINUX] }],
    },
    {
      call: SYSCALLS.socket,
      errno: "EAFNOSUPPORT",
      when: [{ kind: "one-of", argument: 0, values: [AF_VSOCK] }],
    },
    {
      call: SYSCALLS.socketpair,
      errno: "EAFNOSUPPORT",
      when: [{ kind: "one-of", argument: 0, values: [AF_VSOCK] }],
    },
    {
      call: SYSCALLS.fcntl,
      errno: "EPERM",
      when: [{ kind: "one-of", argument: 1, values: [F_SETLEASE, F_SETDELEG] }],
    },
    ...SETUID_RULES,
  ],
};

/** A program is a value that depends on the architecture alone, so each is compiled once. */
const programs = new Map<SeccompArch, Uint8Array>();

/** The standard policy as the bytes that bubblewrap takes. */
export function standardProgram(arch: SeccompArch): Uint8Array {
  const program = programs.get(arch) ?? compileSeccomp(STANDARD_POLICY, arch);
  programs.set(arch, program);
  return program;
}
