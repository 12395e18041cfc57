#!/usr/bin/perl
# Stands in for macOS's sandbox-exec on Linux: the same words, statuses and messages, and a sandbox that is as real, by
# Landlock (6.12 and newer: signals stay inside) and seccomp (no process connects anywhere, except to the one port of
# loopback that a profile names: there Landlock looks at the port alone). The process becomes the command, as there.
# Of a profile it takes what is allowed below a `subpath`; that masks inside of that hold is tried on the text alone.
# What goes wrong is said by the file `mode` beside it.
use strict;
use warnings;
use Config;
use Digest::MD5 qw(md5_hex);
use POSIX ();

my ($beside) = $0 =~ m{^(.*)/[^/]*$};
my %calls = $Config{archname} =~ /aarch64/
    ? (prctl => 167, connect => 203, kill => 129, socket => 198)
    : (prctl => 157, connect => 42, kill => 62, socket => 41);
my ($EXECUTE, $WRITE, $READ, $LIST) = (1, 2, 4, 8);
my ($FILE_RIGHTS, $ALL_RIGHTS) = (1 | 2 | 4 | 1 << 14 | 1 << 15, 0xffff);

my $mode = -e "$beside/mode" ? slurp("$beside/mode") : 'sandbox';
chomp $mode;
my ($text, $file, %given);
while (@ARGV && $ARGV[0] =~ /^-/) {
    my $option = shift @ARGV;
    last if $option eq '--';
    if ($option eq '-f') { $file = shift @ARGV }
    elsif ($option eq '-p') { $text = shift @ARGV }
    elsif ($option eq '-D') { my ($key, $value) = split /=/, shift @ARGV, 2; $given{$key} = $value }
    else { fail(64, "illegal option $option") }
}
$text //= -r $file ? slurp($file) : fail(66, "$file: No such file or directory");
go_wrong();
compile();
fail(71, 'sandbox_apply: Operation not permitted') if is_inside();
build_sandbox() if $mode ne 'none';
{
    no warnings 'exec';
    exec { $ARGV[0] } @ARGV;
}
fail(71, "execvp() of '$ARGV[0]' failed: $!");

sub fail {
    my ($status, $message) = @_;
    print STDERR "sandbox-exec: $message\n";
    exit $status;
}

sub slurp {
    open(my $handle, '<', $_[0]) or fail(66, "$_[0]: $!");
    local $/;
    return scalar <$handle>;
}

sub go_wrong {
    if ($mode =~ /^exit (\d+) ?(.*)$/s) { print STDERR "$2\n" if $2 ne ''; exit $1 }
    if ($mode =~ /^signal (\d+)$/) { kill $1, $$; sleep 60 }
    if ($mode eq 'hangs') { sleep 600 }
    if ($mode eq 'floods') { flood() }
    if ($mode =~ /^says (.*)$/s) { open(my $startProgram, '>&=', 3); syswrite $startProgram, "$1\n"; sleep 600 }
}

# 50 MB in one line; then it says in a file that all was taken, and waits for another before its last words.
sub flood {
    syswrite STDERR, 'x' x 1_000_000 for 1 .. 50;
    open(my $handle, '>', "$beside/flooded") or exit 70;
    select undef, undef, undef, 0.02 until -e "$beside/go" || getppid() == 1;
    syswrite STDERR, "\nthe last words\n";
    exit 70;
}

# Each text once: starting what reads it takes longer than all the rest.
sub compile {
    my $known = $text =~ s/cofferdam-[0-9a-f]{16}/cofferdam-/gr;
    my $mark = "$beside/compiled/" . md5_hex(join "\0", $known, map { "$_=$given{$_}" } grep { !/^(CALL|GIVEN|HOME|TMP)$/ } sort keys %given);
    return if -e $mark;
    my ($node, $compiler) = split /\n/, slurp("$beside/compiler");
    open(my $said, '-|', $node, $compiler, $text, map { "$_=$given{$_}" } sort keys %given)
        or fail(70, "no compiler: $!");
    my $problem = join '', <$said>;
    close $said;
    fail(65, "$problem") if $problem ne '';
    fail(70, "the compiler ended with $?") if $? != 0;
    if (open(my $handle, '>', $mark)) { close $handle }
}

sub is_inside {
    my $status = slurp('/proc/self/status');
    return $status =~ /^NoNewPrivs:\s*1$/m && $status =~ /^Seccomp:\s*2$/m;
}

sub build_sandbox {
    my $scoped = $mode eq 'signals' ? 1 : 3;
    my $ruleset = syscall(444, my $attributes = pack('QQQ', $ALL_RIGHTS, 3, $scoped), 24, 0);
    fail(71, "Landlock: $!") if $ruleset < 0;
    my ($folder) = ($file // '') =~ m{^(.*)/};
    grant($ruleset, $_, $EXECUTE | $READ | $LIST) for glob('/usr /bin /sbin /lib /lib32 /lib64 /libx32 /proc /dev /etc');
    grant($ruleset, $_, $WRITE | $READ) for '/dev/null', '/dev/zero', '/dev/tty';
    grant($ruleset, $$_[0], $$_[1]) for grants();
    grant($ruleset, $given{HOME}, $ALL_RIGHTS) if defined $given{HOME};
    grant($ruleset, $given{TMP}, $ALL_RIGHTS) if defined $given{TMP} && $mode ne 'no scratch';
    grant($ruleset, "$folder/canary", $READ) if $mode eq 'canary readable';
    grant($ruleset, "$folder/canary", $WRITE) if $mode eq 'canary writable';
    grant($ruleset, $folder, $LIST) if $mode eq 'listed';
    if ($mode eq 'made') { open(my $handle, '>', "$folder/made"); grant($ruleset, "$folder/made", $ALL_RIGHTS) }
    my ($port) = $text =~ /^\(allow network-outbound \(remote tcp "localhost:(\d+)"\)\)$/m;
    if (defined $port) { syscall(445, $ruleset, 2, my $rule = pack('QQ', 2, $port), 0) == 0 or fail(71, "Landlock: $!") }
    syscall($calls{prctl}, 38, 1, 0, 0, 0) == 0 or fail(71, "no_new_privs: $!");
    syscall(446, $ruleset, 0) == 0 or fail(71, "Landlock: $!");
    POSIX::close($ruleset);
    POSIX::dup2(2, 7) if $mode eq 'descriptor';
    if (defined $port) { refuse_all_but_streams() }
    else { refuse($mode eq 'no signals' ? $calls{kill} : $calls{connect}) unless $mode eq 'network' }
}

# Every write is one, and whatever may be read may be run: that is as fine as it has to be here.
sub grants {
    my $balanced = qr/(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?1))*\))/;
    my @found;
    for my $line ($text =~ /^(\(allow .*?)(?=^[(;]|\z)/gms) {
        $line =~ s/\n\s*/ /g;
        next unless $line =~ /^\(allow ([^(]*)/;
        my $operations = $1;
        my $rights = 0;
        $rights |= $EXECUTE | $READ | $LIST if $operations =~ /file-read-data|file-read\*(?!-)/;
        $rights |= $ALL_RIGHTS if $operations =~ /file-write/;
        next if $rights == 0;
        $line =~ s/\(require-not $balanced\s*\)//g;
        $line =~ s/\(param "(\w+)"\)/'"' . ($given{$1} \/\/ '') . '"'/ge;
        while ($line =~ /\(subpath ((?:"(?:[^"\\]|\\.)*"\s*)+)\)/g) {
            my $paths = $1;
            while ($paths =~ /"((?:[^"\\]|\\.)*)"/g) { push @found, [$1 =~ s/\\(.)/$1/gr, $rights] }
        }
    }
    return @found;
}

sub grant {
    my ($ruleset, $path, $rights) = @_;
    sysopen(my $handle, $path, 0x200000 | 0x80000) or return;
    $rights &= $FILE_RIGHTS unless -d $path;
    my $rule = pack('Qi', $rights, fileno $handle);
    syscall(445, $ruleset, 1, $rule, 0) == 0 or fail(71, "Landlock: $path: $!");
}

sub refuse {
    filter([0x20, 0, 0, 0], [0x15, 0, 1, $_[0]], [0x06, 0, 0, 0x00050001], [0x06, 0, 0, 0x7fff0000]);
}

# No sockets but streams, and no unix sockets: those that are left Landlock bounds by their ports.
sub refuse_all_but_streams {
    filter(
        [0x20, 0, 0, 0], [0x15, 0, 6, $calls{socket}],
        [0x20, 0, 0, 16], [0x15, 3, 0, 1],
        [0x20, 0, 0, 24], [0x54, 0, 0, 0xf], [0x15, 1, 0, 1],
        [0x06, 0, 0, 0x00050001], [0x06, 0, 0, 0x7fff0000],
    );
}

sub filter {
    my @program = @_;
    my $filter = join '', map { pack 'SCCL', @$_ } @program;
    my $description = pack('Sx6P', scalar @program, $filter);
    syscall($calls{prctl}, 22, 2, $description, 0, 0) == 0 or fail(71, "seccomp: $!");
}
