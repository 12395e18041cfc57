/**
 * As perl: opens a fresh terminal of the size ROWS and COLUMNS, and runs the words there with it as their controlling
 * terminal and standard streams. Relays the terminal's two directions over its own stdin and stdout; a line
 * `rows columns` on descriptor 3 resizes it. When the words have ended it tells how, in the terminal, and shows in which
 * state they left it. Descriptor 4 is the words' own.
 */
const RELAY = `
  use POSIX (); $| = 1;
  open my $master, "+<", "/dev/ptmx" or die "ptmx: $!";
  my ($unlock, $number) = (pack("i", 0), pack("i", 0));
  ioctl($master, 0x40045431, $unlock) && ioctl($master, 0x80045430, $number) or die "pts: $!";
  ioctl($master, 0x5414, my $size = pack("S4", $ENV{ROWS}, $ENV{COLUMNS}, 0, 0)) or die "size: $!";
  my $leader = fork;
  if (!$leader) {
    POSIX::setsid(); open my $tty, "+<", "/dev/pts/" . unpack("i", $number) or die "open: $!";
    close $master; POSIX::close(3); POSIX::dup2(fileno $tty, $_) for 0, 1, 2;
    my $words = fork;
    if (!$words) { exec @ARGV or die "exec: $!" }
    POSIX::close(4); $SIG{$_} = sub {} for qw(INT HUP QUIT TERM);
    1 while waitpid($words, 0) < 0;
    my ($exit, $signal) = ($? >> 8, $? & 127);
    syswrite STDOUT, "\\r\\n[ended: exit $exit, signal $signal]\\r\\n";
    system "stty", "-a"; syswrite STDOUT, "[bye]\\r\\n"; exit 0;
  }
  POSIX::close(4); open my $control, "<&=", 3 or die "control: $!";
  my %open = (0 => 1, fileno($control) => 1);
  while (1) {
    my $ready = ""; vec($ready, $_, 1) = 1 for fileno $master, keys %open;
    select($ready, undef, undef, undef) > 0 or next;
    if (vec($ready, fileno $master, 1)) { sysread($master, my $shown, 65536) or last; syswrite STDOUT, $shown }
    if ($open{0} && vec($ready, 0, 1)) { if (sysread STDIN, my $typed, 65536) { syswrite $master, $typed } else { delete $open{0} } }
    if ($open{3} && vec($ready, fileno $control, 1)) {
      if (sysread $control, my $line, 99) { ioctl($master, 0x5414, my $to = pack("S4", split(" ", $line), 0, 0)) } else { delete $open{3} }
    }
  }
  waitpid $leader, 0;`;

/** Starts a program in a fresh terminal: put these words before its own. */
export const IN_A_RELAYED_TERMINAL: readonly string[] = ["/usr/bin/perl", "-e", RELAY];
