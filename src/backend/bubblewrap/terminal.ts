import { CofferdamError } from "../../errors.ts";
import type { Facts } from "../facts.ts";
import { START_NAME } from "../start-program-name.ts";

/** Remedy for a missing perl. */
export const INSTALL_PERL =
  "install perl: `apt install perl-base`, `dnf install perl-interpreter`, `apk add perl`";

/**
 * The perl program that gives a program a terminal of its own. It runs inside the sandbox after the proof. Its words
 * are the number of setsid(2), the descriptor for sizes, and the program's own words, passed on unchanged. In order:
 * 1. takes a fresh terminal from the sandbox's own `/dev/ptmx` and unlocks it (`TIOCSPTLCK`, `TIOCGPTN`: ioctl_tty(2)),
 *    and has it erase whole characters of UTF-8 (`IUTF8`, termios(3));
 * 2. gives it the size of the first line, `rows columns`, and of each further line (`TIOCSWINSZ`). The first ends in `
 *    typed` if standard input is typed by a person;
 * 3. starts the program in a session of its own, with the terminal as the controlling one and as its three streams, and
 *    waits for that: a key that means a signal finds it there. Without typed input, its standard input stays the given
 *    one, or empty;
 * 4. passes on typed input, without ever making the program's output wait for it (the terminal's buffer is bounded),
 *    and the program's output. The end of typed input is Ctrl-D;
 * 5. passes a request to end (SIGTERM) and a hang-up (SIGHUP) on to the program;
 * 6. ends after the program and all its output, with its status: 128+n after signal n.
 *
 * It needs none of perl's modules. Numbers are those of Linux on both architectures (include/uapi/asm-generic/ioctls.h,
 * fcntl.h). Its own descriptors are closed in the program (perlvar(1), `$^F`).
 */
const RELAY = `
my ($setsid, $sizes, @words) = @ARGV;
my ($typed, $line, $status, $ended, $pid, $quiet, $types) = ("", "", 0, 0, 0, 0, 0);
sub fail { syswrite STDOUT, "cofferdam: no terminal could be made: $!\\r\\n"; exit 125 }
open my $control, "<&=", $sizes or fail;
sysopen my $master, "/dev/ptmx", 04402 or fail;
my ($unlock, $number, $modes) = (pack("i", 0), pack("i", 0), "\\0" x 64);
ioctl $master, 0x40045431, $unlock or fail;
ioctl $master, 0x80045430, $number or fail;
ioctl $master, 0x5401, $modes or fail;
substr($modes, 0, 4) = pack "L", 0x4000 | unpack "L", $modes;
ioctl $master, 0x5402, $modes or fail;
sub resize {
  sysread $control, $line, 4096, length $line or return 0;
  while ($line =~ s/^(\\d+) (\\d+)( typed)?\\n//) {
    my $size = pack "S4", $1, $2, 0, 0;
    $types = 1 if $3;
    ioctl $master, 0x5414, $size;
  }
  1;
}
my $resizes = resize;
$SIG{CHLD} = sub {};
$SIG{TERM} = sub { kill "TERM", $pid if $pid };
$SIG{HUP} = sub { kill $_, $pid for $pid ? ("HUP", "CONT") : () };
pipe my $started, my $starts or fail;
defined($pid = fork) or fail;
if (!$pid) {
  syscall $setsid;
  open my $slave, "+<", "/dev/pts/" . unpack("i", $number) or fail;
  open STDIN, "<&", $slave if $types;
  open STDERR, ">&", $slave;
  open STDOUT, ">&", $slave;
  exec { $words[0] } @words;
  exit 127;
}
close $starts;
sysread $started, my $nothing, 1;
sub say_on { my $at = 0; while ($at < length $_[0]) { $at += syswrite(STDOUT, $_[0], 65536, $at) || 0 } }
until ($ended) {
  my ($in, $out) = ("", "");
  vec($in, fileno $master, 1) = 1 unless $quiet;
  vec($in, fileno $control, 1) = 1 if $resizes;
  vec($in, 0, 1) = 1 if $types && $typed eq "";
  vec($out, fileno $master, 1) = 1 if $typed ne "";
  my $ready = select $in, $out, undef, $quiet ? 0.05 : 0.5;
  $ended = waitpid($pid, 1) == $pid and $status = $?;
  $quiet = 0;
  $ready > 0 or next;
  if (vec $in, fileno $master, 1) {
    my $count = sysread $master, my $said, 65536;
    $count ? say_on $said : ($quiet = $! == 5);
  }
  $resizes = resize if vec $in, fileno $control, 1;
  if (vec $in, 0, 1) { sysread STDIN, $typed, 4096 or ($types, $typed) = (0, "\\4") }
  if (vec $out, fileno $master, 1) { substr $typed, 0, syswrite($master, $typed) || 0, "" }
}
for (1 .. 1000) { sysread $master, my $said, 65536 or last; say_on $said }
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
`;

/** arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h. */
const SETSID = { x64: "112", arm64: "157" } as const satisfies Readonly<Record<Facts["arch"], string>>;

/** The words to put before a program's own. 126 and 127 mean the same with them. Throws `INTERNAL` without perl. */
export function terminalWords({ arch, launcher }: Facts, sizesFd: number): readonly string[] {
  const { perl, shell } = launcher;
  if (perl === null) throw new CofferdamError("INTERNAL", "no perl is available for a terminal");
  const starts = [shell, "-c", 'exec "$@"', START_NAME];
  return [perl, "-C0", "-e", RELAY, "--", SETSID[arch], String(sizesFd), ...starts];
}
