# Runs inside a sandbox: tries each act that it is given and prints how it went, one line an act. An act is a word
# `op,argument,…` with arguments in hex, so that paths are bytes. A line is `number status device inode detail`: status
# is `ok` or the number of the error, device and inode are those of what was touched, detail is hex. What succeeded is
# undone at once, so that acts do not influence each other.
use strict;
use warnings;
use Fcntl;

my $exchange = shift @ARGV;    # the number of renameat2(2), which alone swaps two names
my $made = 0;

sub identity { my @s = lstat $_[0]; return @s ? "$s[0] $s[1]" : "0 0" }
sub failed   { return (0 + $!) . " 0 0 " }
sub undo     { die "cannot undo $_[1]: $!\n" unless $_[0] }

sub make {
    my ($what, $path, $content, $mode) = @_;
    return mkdir($path, 0755) && (!defined $mode || chmod $mode, $path) if $what eq "folder";
    return symlink($content // "nowhere", $path) if $what eq "link";
    sysopen(my $file, $path, O_CREAT | O_EXCL | O_WRONLY, 0644) or return 0;
    syswrite $file, $content // "made inside";
    return !defined $mode || chmod $mode, $path;
}

sub unmake { my ($what, $path) = @_; return $what eq "folder" ? rmdir $path : unlink $path }

my %act = (
    read => sub {
        sysopen(my $file, $_[0], O_RDONLY | O_NONBLOCK) or return failed();
        my @s = stat $file;
        defined sysread($file, my $content, 64) or return failed();
        return "ok $s[0] $s[1] " . unpack "H*", $content;
    },
    list => sub {
        opendir(my $folder, $_[0]) or return failed();
        my @s = stat $_[0];
        return "ok $s[0] $s[1] " . join ",", map { unpack "H*", $_ } grep { !/\A\.\.?\z/ } readdir $folder;
    },
    stat => sub { my @s = lstat $_[0] or return failed(); return "ok $s[0] $s[1] " },
    # The first byte of every file is a T: writing it again changes nothing.
    write => sub {
        sysopen(my $file, $_[0], O_WRONLY | O_NONBLOCK) or return failed();
        my @s = stat $file;
        defined syswrite($file, "T") or return failed();
        return "ok $s[0] $s[1] ";
    },
    attributes => sub {
        my @s = lstat $_[0] or return failed();
        chmod($s[2] & 07777, $_[0]) or return failed();
        return "ok $s[0] $s[1] ";
    },
    create => sub {
        my ($path, $what) = @_;
        make($what, $path) or return failed();
        my $identity = identity($path);
        undo(unmake($what, $path), "create");
        return "ok $identity ";
    },
    remove => sub {
        my ($path, $what, $content, $mode) = @_;
        my $identity = identity($path);
        unmake($what, $path) or return (0 + $!) . " $identity ";
        undo(make($what, $path, $content, $mode), "remove");
        return "ok $identity ";
    },
    rename => sub {
        my ($path, $to) = @_;
        my $identity = identity($path);
        rename($path, $to) or return failed();
        undo(rename($to, $path), "rename");
        return "ok $identity ";
    },
    exchange => sub {
        my ($path, $to) = @_;
        my $identity = identity($path);
        my $swap = sub { syscall($exchange, -100, $path, -100, $to, 2) == 0 };
        $swap->() or return failed();
        undo($swap->(), "exchange");
        return "ok $identity ";
    },
    link => sub {
        my ($path, $to) = @_;
        link($path, $to) or return failed();
        my $identity = identity($to);
        undo(unlink($to), "link");
        return "ok $identity ";
    },
    # Moves a name on the way out of the way, and makes the path anew.
    displace => sub {
        my ($path, @ways) = @_;
        my $last = failed();
        for my $way (@ways) {
            # By its folder, as the way to it may pass, by a link, through what is moved.
            my ($folder, $name) = $way =~ m{\A(.*/)([^/]+)\z}s;
            my $aside = "$name.aside" . $made++;
            if (!chdir $folder or !rename $name, $aside) { $last = failed(); next }
            my @folders;
            for (my $at = $way; length $at < length $path; ) {
                push @folders, $at if mkdir $at, 0755;
                last unless substr($path, length $at) =~ m{\A(/[^/]+)/}s;
                $at .= $1;
            }
            my $identity = make("file", $path) ? identity($path) : undef;
            undo(unlink($path), "displace") if defined $identity;
            undo(rmdir($_), "displace") for reverse @folders;
            undo(rename($aside, $name), "displace");
            return "ok $identity " . unpack "H*", $way if defined $identity;
        }
        return $last;
    },
);

my $number = 0;
for my $word (@ARGV) {
    my ($op, @arguments) = split /,/, $word, -1;
    $! = 0;
    my $line = $act{$op}->(map { pack "H*", $_ } @arguments);
    print $number++, " $line\n";
}
print "end\n";
