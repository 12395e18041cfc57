import { type Attack, type AttackTarget, granted, on, row, sameOutside, sameWider } from "../attack.ts";

/** TIOCSTI (sys/ttycom.h, `_IOW('t', 114, char)`): its argument counts as typed at the terminal. */
const TIOCSTI = 0x80017472;
/** EPERM is the sandbox's answer; the kernel's own for a descriptor that is no terminal is another. */
const EPERM = 1;

/** Attacks on the caller's environment, the machine's identity, and the terminal. */
export function ofMacSurroundings({ word }: AttackTarget): readonly Attack[] {
  const pushed = `perl -e 'my $r = ioctl(STDIN, ${TIOCSTI}, my $b = "x"); exit($! + 0 == ${EPERM} ? 1 : 0)'`;
  const made = `perl -e 'open(my $f, "+<", "/dev/ptmx") or exit 1'`;
  const uuid = "ioreg -rd1 -c IOPlatformExpertDevice | grep -q IOPlatformUUID";
  return on("darwin", [
    row(
      "env",
      "no variable of the caller that affects the loader is visible",
      `[ -n "$DYLD_SELFTEST" ] || env | grep -q '^DYLD_'`,
      granted(`[ "$SELFTEST_GIVEN" = ${word} ]`),
    ),
    sameOutside("identity", "the unique id of this machine is not visible", uuid),
    sameOutside("tty", "no input can be pushed into a terminal (TIOCSTI)", pushed),
    sameWider("tty", "no terminal can be created without `pty`", made),
  ]);
}
