import type { ArgumentIndex } from "./abi.ts";
import type { ArgumentTest, SeccompRule } from "./policy.ts";
import { SYSCALLS, type SyscallNumbers } from "./syscalls.ts";

/** The bit that starts a file as its owner: S_ISUID (include/uapi/linux/stat.h). */
const S_ISUID = 0o4000;

/**
 * The flags with which opening makes a file, so that the mode counts: O_CREAT, and __O_TMPFILE without the O_DIRECTORY
 * that belongs to it (include/uapi/asm-generic/fcntl.h; the same in every table).
 */
const MAKES_A_FILE = 0o100 | 0o20000000;

/**
 * No file can be made setuid: another local user who found it in a writable root could run it as the tools' user.
 * Refused are modes with that bit, wherever a call takes a mode: mkdir(2) needs no rule, it drops the bit. openat2(2)
 * has its mode behind a pointer, which a filter can't follow: it is ENOSYS, as before Linux 5.6, and programs fall back to
 * openat(2). systemd does the same (systemd.exec(5), `RestrictSUIDSGID=`). The setgid bit is left: folders that hand on
 * their group are ordinary.
 */
export const SETUID_RULES: readonly SeccompRule[] = [
  refuseMode(SYSCALLS.chmod, 1),
  refuseMode(SYSCALLS.fchmod, 1),
  refuseMode(SYSCALLS.fchmodat, 2),
  refuseMode(SYSCALLS.fchmodat2, 2),
  refuseMode(SYSCALLS.mknod, 1),
  refuseMode(SYSCALLS.mknodat, 2),
  refuseMode(SYSCALLS.creat, 1),
  refuseMode(SYSCALLS.open, 2, { kind: "has-bit-of", argument: 1, mask: MAKES_A_FILE }),
  refuseMode(SYSCALLS.openat, 3, { kind: "has-bit-of", argument: 2, mask: MAKES_A_FILE }),
  { call: SYSCALLS.openat2, errno: "ENOSYS", when: "always" },
];

function refuseMode(
  call: SyscallNumbers,
  mode: ArgumentIndex,
  ...more: readonly ArgumentTest[]
): SeccompRule {
  return { call, errno: "EPERM", when: [{ kind: "has-bit-of", argument: mode, mask: S_ISUID }, ...more] };
}
