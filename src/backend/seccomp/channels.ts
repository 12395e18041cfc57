import type { ArgumentTest, NonEmpty, SeccompRule } from "./policy.ts";
import { refuse, refuseWhen } from "./refuse.ts";
import { SYSCALLS, type SyscallNumbers } from "./syscalls.ts";

/**
 * Requests that reach past the grants. On a terminal: to push a byte into its input as if it were typed, to paste into
 * that of a console, to put it under another driver, for which the kernel loads rarely used code
 * (include/uapi/asm-generic/ioctls.h, ioctl_tty(2), ioctl_console(2)). On a folder of btrfs
 * (include/uapi/linux/btrfs.h): a snapshot contains masked paths, and before Linux 6.8 any folder of one's own allowed
 * one of its whole subvolume; a subvolume that is named by its number is removed wherever it lies.
 */
const REQUESTS: NonEmpty<number> = [
  0x5412, // TIOCSTI
  0x541c, // TIOCLINUX
  0x5423, // TIOCSETD
  0x5000_9401, // BTRFS_IOC_SNAP_CREATE
  0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
  0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
];

/** Numbers of address families (include/linux/socket.h). */
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16] as const;
const OTHER_FAMILIES: NonEmpty<number> = [AF_INET, AF_INET6, AF_NETLINK];

/**
 * SOCK_STREAM and SOCK_SEQPACKET, each without and with SOCK_NONBLOCK and SOCK_CLOEXEC (include/linux/net.h; the kernel
 * refuses all other bits). One of a pair of these has its peer for good. A datagram socket can be connected to another
 * later, and so can one of type SOCK_RAW, which the kernel takes for a datagram socket (net/unix/af_unix.c).
 */
const LASTING_PAIRS_ALONE = refuseWhen("EAFNOSUPPORT", SYSCALLS.socketpair, {
  kind: "not-one-of",
  argument: 1,
  values: [0x1, 0x801, 0x8_0001, 0x8_0801, 0x5, 0x805, 0x8_0005, 0x8_0805],
});

/** The only allowed protocol of netlink: programs learn their own addresses from it (netlink(7)). */
const NETLINK_ROUTE = 0;

/** SYS_SOCKET and SYS_SOCKETPAIR (include/uapi/linux/net.h). */
const MAKE_A_SOCKET: NonEmpty<number> = [1, 8];

/**
 * With a lease or delegation on a file, even a read-only one, a process makes others who open it wait up to 45 seconds
 * each (include/uapi/linux/fcntl.h, fcntl(2), `/proc/sys/fs/lease-break-time`).
 */
const LEASE: ArgumentTest = { kind: "one-of", argument: 1, values: [1024, 1040] };

/**
 * Closes ways out that no namespace or mount holds back. Sockets are of the families that programs use every day; a
 * refused one is EAFNOSUPPORT, as on a kernel without it. Refused families reach the host of a virtual machine (vsock),
 * write into the memory of read-only files (alg, CVE-2026-31431), or are code that no program inside needs. io_uring
 * opens sockets, vsocks too, without calling socket(2) (`IORING_OP_SOCKET`, Linux 5.19): it is ENOSYS. A process has
 * the session keyring of its starter, which no namespace holds back (session-keyring(7)).
 *
 * i386 also has its socket calls under one number, socketcall(2), with the family in memory that a filter cannot read:
 * it makes no sockets, and those made otherwise can be used. Its `ipc` makes objects that its namespace holds back.
 * Without unix sockets, pairs remain: they reach only each other.
 */
export function channelRules(hasUnix: boolean): readonly SeccompRule[] {
  return [
    refuseWhen("EPERM", SYSCALLS.ioctl, { kind: "one-of", argument: 1, values: REQUESTS }),
    ...socketRules(SYSCALLS.socket, hasUnix ? [AF_UNIX, ...OTHER_FAMILIES] : OTHER_FAMILIES),
    ...socketRules(SYSCALLS.socketpair, [AF_UNIX, ...OTHER_FAMILIES]),
    ...(hasUnix ? [] : [LASTING_PAIRS_ALONE]),
    refuseWhen("ENOSYS", SYSCALLS.socketcall, { kind: "one-of", argument: 0, values: MAKE_A_SOCKET }),
    ...refuse("ENOSYS", SYSCALLS.io_uring_setup, SYSCALLS.io_uring_enter, SYSCALLS.io_uring_register),
    ...refuse("EPERM", SYSCALLS.add_key, SYSCALLS.request_key, SYSCALLS.keyctl),
    refuseWhen("EPERM", SYSCALLS.fcntl, LEASE),
    refuseWhen("EPERM", SYSCALLS.fcntl64, LEASE),
  ];
}

function socketRules(call: SyscallNumbers, families: NonEmpty<number>): readonly SeccompRule[] {
  return [
    refuseWhen(
      "EAFNOSUPPORT",
      call,
      { kind: "one-of", argument: 0, values: [AF_NETLINK] },
      { kind: "not-one-of", argument: 2, values: [NETLINK_ROUTE] },
    ),
    refuseWhen("EAFNOSUPPORT", call, { kind: "not-one-of", argument: 0, values: families }),
  ];
}
