import { type Case, granted, on, outside, type Target, wider } from "../../case.ts";

/** TIOCSTI (sys/ttycom.h, `_IOW('t', 114, char)`): what it is given counts as typed at the terminal. */
const TIOCSTI = 0x80017472;
/** EPERM is the sandbox's answer; the kernel's own to what is no terminal is another. */
const EPERM = 1;

/** The caller's environment, what tells machines apart, and the terminal. */
export function ofMacSurroundings({ word }: Target): readonly Case[] {
  const pushed = `perl -e 'my $r = ioctl(STDIN, ${TIOCSTI}, my $b = "x"); exit($! + 0 == ${EPERM} ? 1 : 0)'`;
  const made = `perl -e 'open(my $f, "+<", "/dev/ptmx") or exit 1'`;
  const uuid = "ioreg -rd1 -c IOPlatformExpertDevice | grep -q IOPlatformUUID";
  return on("darwin", [
    {
      claim: "env",
      title: "no variable of the caller's that the loader obeys is handed on",
      attack: `[ -n "$DYLD_SELFTEST" ] || env | grep -q '^DYLD_'`,
      twin: granted(`[ "$SELFTEST_GIVEN" = ${word} ]`),
    },
    {
      claim: "identity",
      title: "what tells this machine from all others is not told",
      attack: uuid,
      twin: outside(uuid),
    },
    {
      claim: "tty",
      title: "no input can be pushed into a terminal (TIOCSTI)",
      attack: pushed,
      twin: outside(pushed),
    },
    {
      claim: "tty",
      title: "no terminal is made unless `pty` is given",
      attack: made,
      twin: wider(made),
    },
  ]);
}
