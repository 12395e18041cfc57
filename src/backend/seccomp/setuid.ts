import type { ArgumentIndex } from "./abi.ts";
import type { ArgumentTest, SeccompRule } from "./policy.ts";
import { SYSCALLS, type SyscallNumbers } from "./syscalls.ts";

/** The bit that starts a file as its owner: S_ISUID (include/uapi/linux/stat.h). */
const S_ISUID = 0o4000;

/** O_CREAT, and __O_TMPFILE without its O_DIRECTORY (include/uapi/asm-generic/fcntl.h; the same in every table). */
const MAKES_A_FILE = 0o100 | 0o20000000;

/**
 * Refuses to make a file setuid: another local user who found it in a writable root could run it as the tools' user.
 * Modes with that bit are refused in every call with a mode, except mkdir(2), which drops the bit. openat2(2) has its
 * mode in memory that a filter cannot read: it is ENOSYS, as before Linux 5.6, and programs fall back to openat(2).
 * systemd does the same (systemd.exec(5), `RestrictSUIDSGID=`). The setgid bit is left: folders that pass on their
 * group are ordinary.
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
