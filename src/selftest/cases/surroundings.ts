import { type Case, granted, on, outside, type Target } from "../case.ts";

/** TIOCSTI (asm-generic/ioctls.h): pushes a byte into a terminal's input; TIOCLINUX does by way of a console. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** EPERM is the filter's answer; the kernel's own to what is no terminal is another. */
const EPERM = 1;

/** The environment, the identity, and the terminal. `SELFTEST_GIVEN` is set by the config, `SELFTEST_SECRET` is the caller's. */
export function ofSurroundings({ word }: Target): readonly Case[] {
  const has = (name: string, file: string): string =>
    `cat ${file} | tr '\\0' '\\n' | grep -q '^${name}=${word}'`;
  const reaches = (request: number): string =>
    `perl -e 'my $r = ioctl(STDIN, ${request}, my $b = "x"); exit($! + 0 == ${EPERM} ? 1 : 0)'`;
  const high = (request: number): string => reaches(request + 2 ** 32);
  const variables = on("both", [
    {
      claim: "env",
      title: "a variable of the caller's that nobody listed cannot be seen",
      attack: `[ "$SELFTEST_SECRET" = ${word} ]`,
      twin: granted(`[ "$SELFTEST_GIVEN" = ${word} ]`),
    },
  ]);
  const others = on("linux", [
    {
      claim: "env",
      title: "nor in the environment of any process inside",
      attack: `for f in /proc/[0-9]*/environ; do ${has("SELFTEST_SECRET", "$f")} && exit 0; done; exit 1`,
      twin: granted(has("SELFTEST_GIVEN", "/proc/self/environ")),
    },
    {
      claim: "env",
      title: "no value stands in a command line of any process inside",
      attack: `for f in /proc/[0-9]*/cmdline; do cat $f | tr '\\0' '\\n' | grep -q '^SELFTEST_GIVEN\\|^${word}$' && exit 0; done; exit 1`,
      twin: granted(`sh -c 'cat /proc/$$/cmdline | tr "\\0" "\\n" | grep -q "^${word}$"' ${word}`),
    },
    {
      claim: "identity",
      title: "the machine's id cannot be read",
      attack: "[ -s /etc/machine-id ] || [ -s /var/lib/dbus/machine-id ]",
      twin: outside(
        "[ -s /etc/machine-id ] || [ -s /var/lib/dbus/machine-id ] || [ -s /proc/sys/kernel/random/boot_id ]",
      ),
    },
    {
      claim: "identity",
      title: "no other user of the machine is known by name",
      attack: "[ $(wc -l < /etc/passwd) -gt 3 ] || [ -s /etc/shadow ]",
      twin: outside("[ $(wc -l < /etc/passwd) -gt 3 ]"),
    },
    {
      claim: "identity",
      title: "the machine's name is not told",
      attack: '[ "$(uname -n)" != cofferdam ]',
      twin: granted('[ "$(uname -n)" = cofferdam ]'),
    },
    ...[[TIOCSTI, "TIOCSTI"] as const, [TIOCLINUX, "TIOCLINUX"] as const].flatMap(
      ([request, name]): Omit<Case, "on">[] => [
        {
          claim: "tty",
          title: `no input can be pushed into a terminal (${name})`,
          attack: reaches(request),
          twin: outside(reaches(request)),
        },
        {
          claim: "tty",
          title: `nor with other bits set in the request's high half (${name})`,
          attack: high(request),
          twin: outside(high(request)),
        },
      ],
    ),
  ]);
  return [...variables, ...others];
}
