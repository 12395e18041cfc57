import { existsSync, readFileSync } from "node:fs";

/**
 * A program to start another one under, as perl: opens a fresh terminal, runs the words with it as their standard input
 * and controlling terminal, and at the end writes what was typed there into the file that the variable TYPED names.
 */
const TERMINAL = `
  use POSIX (); open my $master, "+<", "/dev/ptmx" or die "ptmx: $!";
  my ($unlock, $number) = (pack("i", 0), pack("i", 0));
  ioctl($master, 0x40045431, $unlock) && ioctl($master, 0x80045430, $number) or die "pts: $!";
  if (my $child = fork) {
    waitpid $child, 0; my ($status, $typed) = ($? >> 8, "");
    while (1) { my $ready = ""; vec($ready, fileno $master, 1) = 1; last unless select($ready, undef, undef, 0.2); sysread($master, $typed, 99, length $typed) or last }
    open my $file, ">", $ENV{TYPED} or die "typed: $!"; print $file $typed; close $file; exit $status
  }
  POSIX::setsid(); open STDIN, "+<", "/dev/pts/" . unpack("i", $number) or die "open: $!"; close $master;
  exec @ARGV or die "exec: $!";`;

/** Starts a program in a fresh terminal: put these words before its own. */
export const IN_A_TERMINAL: readonly string[] = ["/usr/bin/perl", "-e", TERMINAL];

/** Opens the controlling terminal. */
export const OPENS_TTY = ": < /dev/tty";

/** Pushes a letter into the terminal that is standard input. */
export const PUSHES = `perl -e 'my $c = "x"; exit(ioctl(STDIN, 0x5412, $c) ? 0 : 1)'`;

/** Linux 6.2 made pushing a choice of the machine; before, it was always possible. */
export function takesPushes(): boolean {
  const setting = "/proc/sys/dev/tty/legacy_tiocsti";
  return !existsSync(setting) || readFileSync(setting, "utf8").trim() === "1";
}
