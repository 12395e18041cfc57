import { PATIENCE } from "../long.ts";

type Words = [string, ...string[]];

const perl = (line: string): { argv: Words } => ({ argv: ["perl", "-e", line] });

/** So many processes at once have 40 MiB each, and the first counts who came through. */
export const takes = (processes: number) =>
  perl(`my @c; pipe R, W; for (1 .. ${processes}) { my $c = fork // exit 3; push @c, $c; next if $c;
    close R; my $x = "x" x (40 << 20); syswrite W, "x"; select undef, undef, undef, 0.5; exit 0 }
    close W; my $n = 0; for (@c) { waitpid $_, 0; $n++ if !$? } print $n`);

/** So many connections of a call's own loopback are sent as much as they take; says how many KiB that was in all. */
export const sends = (connections: number) =>
  perl(`use IO::Socket::INET; use IO::Select; my $l = IO::Socket::INET->new(Listen => 99, LocalAddr => "127.0.0.1") or die $!;
    my ($t, $x, @k) = (0, "x" x 65536); for (1 .. ${connections}) {
    my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $l->sockport) or die $!;
    push @k, $c, $l->accept; $c->blocking(0); my $s = IO::Select->new($c);
    while ($s->can_write(${0.05 * PATIENCE})) { my $n = syswrite $c, $x; last if !$n; $t += $n } } print $t >> 10`);

/** Starts processes until no more can be had, or there are so many. */
export const forks = (processes: number) =>
  perl(`my @c; for (1 .. ${processes}) { my $c = fork // last; if (!$c) { sleep 20; exit } push @c, $c }
    print scalar @c; kill 9, @c; wait for @c`);
