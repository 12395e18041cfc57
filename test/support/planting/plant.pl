# Makes names in folders: plant.pl FILE, where each line is a way, a folder and a name in it, with tabs. Prints how many it made.
use strict;
use warnings;
use File::Path qw(make_path);
use File::Basename qw(dirname);

sub filled {
    my ($path) = @_;
    make_path(dirname($path));
    open(my $file, '>', $path) or return 0;
    return print({$file} "echo planted\n") && close($file);
}

my %ways = (
    file => sub { my ($folder, $name) = @_; filled("$folder/$name") },
    folder => sub { my ($folder, $name) = @_; filled("$folder/$name/in/it") },
    # The folder that it lies in is filled under another name.
    renamed => sub { my ($folder, $name) = @_; filled("$folder.new/$name") && rename("$folder.new", $folder) },
    # The first of its names is another until it is filled.
    moved => sub {
        my ($folder, $name) = @_;
        my ($first, $rest) = $name =~ m{^([^/]+)(/.*)?$};
        filled("$folder/new" . ($rest // '')) && rename("$folder/new", "$folder/$first");
    },
    # A link in its place.
    link => sub {
        my ($folder, $name) = @_;
        make_path(dirname("$folder/$name"));
        filled("$folder/other") && symlink('../' x ($name =~ tr{/}{}) . 'other', "$folder/$name");
    },
    # A link in the place of the first of its names.
    linked => sub {
        my ($folder, $name) = @_;
        my ($first, $rest) = $name =~ m{^([^/]+)(/.*)?$};
        filled("$folder/other" . ($rest // '')) && symlink('other', "$folder/$first");
    },
    # Another name of a file.
    hard => sub {
        my ($folder, $name) = @_;
        make_path(dirname("$folder/$name"));
        filled("$folder/other") && link("$folder/other", "$folder/$name");
    },
    # In another case.
    case => sub { my ($folder, $name) = @_; filled("$folder/" . uc($name)) },
);

my ($list) = @ARGV;
open(my $lines, '<', $list) or die "$list: $!";
my $made = 0;
while (<$lines>) {
    chomp;
    my ($way, $folder, $name) = split /\t/;
    $made += $ways{$way}->($folder, $name) ? 1 : 0;
}
print $made;
