import {
  type Attack,
  type AttackTarget,
  granted,
  on,
  outside,
  type Row,
  row,
  sameOutside,
} from "./attack.ts";

/** TIOCSTI (asm-generic/ioctls.h): pushes a byte into a terminal's input; TIOCLINUX does so through a console. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** EPERM is the filter's answer; the kernel's own for a descriptor that is no terminal is another. */
const EPERM = 1;

/** The environment, the identity, and the terminal. The config sets `SELFTEST_GIVEN`, the caller `SELFTEST_SECRET`. */
export function ofSurroundings({ word }: AttackTarget): readonly Attack[] {
  const has = (name: string, file: string): string =>
    `cat ${file} | tr '\\0' '\\n' | grep -q '^${name}=${word}'`;
  const reaches = (request: number): string =>
    `perl -e 'my $r = ioctl(STDIN, ${request}, my $b = "x"); exit($! + 0 == ${EPERM} ? 1 : 0)'`;
  const high = (request: number): string => reaches(request + 2 ** 32);
  const variables = on("both", [
    row(
      "env",
      "an unlisted variable of the caller is not visible",
      `[ "$SELFTEST_SECRET" = ${word} ]`,
      granted(`[ "$SELFTEST_GIVEN" = ${word} ]`),
    ),
  ]);
  const others = on("linux", [
    row(
      "env",
      "an unlisted variable is in no environment of a process inside",
      `for f in /proc/[0-9]*/environ; do ${has("SELFTEST_SECRET", "$f")} && exit 0; done; exit 1`,
      granted(has("SELFTEST_GIVEN", "/proc/self/environ")),
    ),
    row(
      "env",
      "no value is in a command line of a process inside",
      `for f in /proc/[0-9]*/cmdline; do cat $f | tr '\\0' '\\n' | grep -q '^SELFTEST_GIVEN\\|^${word}$' && exit 0; done; exit 1`,
      granted(`sh -c 'cat /proc/$$/cmdline | tr "\\0" "\\n" | grep -q "^${word}$"' ${word}`),
    ),
    row(
      "identity",
      "the machine id cannot be read",
      "[ -s /etc/machine-id ] || [ -s /var/lib/dbus/machine-id ]",
      outside(
        "[ -s /etc/machine-id ] || [ -s /var/lib/dbus/machine-id ] || [ -s /proc/sys/kernel/random/boot_id ]",
      ),
    ),
    row(
      "identity",
      "no other user of the machine is visible",
      "[ $(wc -l < /etc/passwd) -gt 3 ] || [ -s /etc/shadow ]",
      outside("[ $(wc -l < /etc/passwd) -gt 3 ]"),
    ),
    row(
      "identity",
      "the machine's name is not visible",
      '[ "$(uname -n)" != cofferdam ]',
      granted('[ "$(uname -n)" = cofferdam ]'),
    ),
    ...[[TIOCSTI, "TIOCSTI"] as const, [TIOCLINUX, "TIOCLINUX"] as const].flatMap(
      ([request, name]): Row[] => [
        sameOutside("tty", `no input can be pushed into a terminal (${name})`, reaches(request)),
        sameOutside("tty", `no input can be pushed with other high bits (${name})`, high(request)),
      ],
    ),
  ]);
  return [...variables, ...others];
}
