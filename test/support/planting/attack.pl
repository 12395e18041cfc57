# Tries to change what stands at paths: attack.pl FILE, where each line is a path. Each act that works is undone, and told on a line.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use File::Basename qw(dirname);

sub written {
    my ($how, $path) = @_;
    open(my $file, $how, $path) or return 0;
    return print({$file} "echo planted\n") && close($file);
}

my %acts = (
    append => sub { -d $_[0] ? written('>>', "$_[0]/in/it") : written('>>', $_[0]) },
    overwrite => sub { -d $_[0] ? written('>', "$_[0]/in/it") : written('>', $_[0]) },
    add => sub { -d $_[0] ? written('>', "$_[0]/new") : 0 },
    truncate => sub { -d $_[0] ? truncate("$_[0]/in/it", 0) : truncate($_[0], 0) },
    mode => sub { chmod(0777, $_[0]) },
    times => sub { utime(0, 0, $_[0]) },
    rename => sub { rename($_[0], "$_[0].away") && rename("$_[0].away", $_[0]) },
    replace => sub { written('>', "$_[0].new") && (-d $_[0] ? 0 : rename("$_[0].new", $_[0])) },
    link => sub { !-d $_[0] && link($_[0], "$_[0].also") && written('>', "$_[0].also") && unlink("$_[0].also") },
    cover => sub { symlink('/etc/hosts', "$_[0].link") && rename("$_[0].link", $_[0]) && unlink($_[0]) && written('>', $_[0]) },
    remove => sub {
        if (-d $_[0]) { remove_tree($_[0]); return !-e $_[0] && make_path("$_[0]/in") && written('>', "$_[0]/in/it") }
        unlink($_[0]) && written('>', $_[0]);
    },
    # A folder above is moved aside, and made anew with the path in it.
    above => sub {
        my ($path) = @_;
        for (my $at = dirname($path); $at ne '.'; $at = dirname($at)) {
            rename($at, "$at.away") or next;
            make_path(dirname($path)) or return 1;
            written('>', $path) or return 1;
            remove_tree($at);
            rename("$at.away", $at);
            return 1;
        }
        return 0;
    },
);

$SIG{__WARN__} = sub { };
my ($list) = @ARGV;
open(my $lines, '<', $list) or die "$list: $!";
my @paths = map { chomp; $_ } <$lines>;
for my $path (@paths) {
    for my $act (sort keys %acts) { print "$act\t$path\n" if $acts{$act}->($path) }
    unlink("$path.new", "$path.link", "$path.also");
}
