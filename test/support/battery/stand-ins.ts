/**
 * Programs that stand where bwrap is looked for. Asked what they can do, all of them let the real one answer. They are
 * perl: a shell would hand on the descriptor that it reads its script from.
 */
const standIn = (body: string): string =>
  `#!/usr/bin/perl\nexec "/usr/bin/bwrap", @ARGV if "@ARGV" =~ /^--(help|version)$/;\n${body}\n`;

/** Ends with bwrap's words for a machine that refuses user namespaces. */
export const FAILING = standIn(`print STDERR "bwrap: setting up uid map: Permission denied\\n"; exit 1`);

/** Never builds anything and never ends. */
export const HANGING = standIn("sleep 600");

/** Runs the program as bwrap would, with the filter and nothing else: no namespace, no mount, every capability. */
const ISOLATES_NOTHING = String.raw`
  sub input { open my $in, "<&=", shift or die; local $/; <$in> }
  my @options = split /\0/, input(3); my $filter = input(5);
  my $prctl = qx(uname -m) eq "x86_64\n" ? 157 : 167;
  %ENV = (); for (0 .. $#options) { $ENV{$options[$_ + 1]} = $options[$_ + 2] if $options[$_] eq "--setenv"; chdir $options[$_ + 1] if $options[$_] eq "--chdir" }
  shift @ARGV while $ARGV[0] ne "--"; shift @ARGV;
  if (my $init = fork) { waitpid $init, 0; exit $? >> 8 }
  my $program = pack "S x![P] P", length($filter) / 8, $filter;
  syscall($prctl, 38, 1, 0, 0, 0); syscall($prctl, 22, 2, $program, 0, 0);
  if (my $startProgram = fork) { waitpid $startProgram, 0; exit $? >> 8 }
  exec @ARGV;`;

/** The stand-in that isolates nothing. */
export const OPEN = standIn(ISOLATES_NOTHING);

/** The real bwrap, where it is not to stand around another one. */
export const SHELTERLESS = standIn(
  `exit 1 if "@ARGV" =~ m{--bind /proc /proc}; exec "/usr/bin/bwrap", @ARGV;`,
);

/** The real bwrap until a file appears, from then on the stand-in that isolates nothing. */
export const turning = (file: string): string =>
  standIn(`exec "/usr/bin/bwrap", @ARGV unless -e "${file}";${ISOLATES_NOTHING}`);

/** The real bwrap, which waits for as long as a file is there. */
export const waiting = (file: string): string =>
  standIn(`select undef, undef, undef, 0.01 while -e "${file}"; exec "/usr/bin/bwrap", @ARGV`);

/** The real bwrap, but without the filter that it was given. */
export const FILTERLESS = standIn(String.raw`
  open my $in, "<&=", 3 or die; my @options = do { local $/; split /\0/, <$in> };
  my ($at) = grep { $options[$_] eq "--seccomp" } 0 .. $#options; splice @options, $at, 2;
  shift @ARGV while $ARGV[0] ne "--"; shift @ARGV; exec "/usr/bin/bwrap", @options, "--", @ARGV;`);

/** Words to start a program with, in a user namespace of its own that may hold no other. The setting is that namespace's, not the machine's. */
export const WITHOUT_NAMESPACES: readonly string[] = [
  "/usr/bin/unshare",
  "-Ur",
  "/bin/sh",
  "-c",
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  "sh",
];

/** Words to start a program with, inside a sandbox that allows no further one. */
export const IN_A_SANDBOX: readonly string[] = [
  "/usr/bin/bwrap",
  "--dev-bind",
  "/",
  "/",
  "--unshare-user",
  "--disable-userns",
  "--",
];

/** Words to start a program with, where no filter can be set: the filter in force refuses `prctl(PR_SET_SECCOMP)`. */
export function withoutFilters(program: Uint8Array): readonly string[] {
  const set = `my $f = pack "H*", shift; my $n = (split " ", qx(uname -m))[0] eq "x86_64" ? 157 : 167;
    my $p = pack "S x![P] P", length($f) / 8, $f; syscall($n, 38, 1, 0, 0, 0); syscall($n, 22, 2, $p, 0, 0) == 0 or die "prctl: $!"; exec @ARGV`;
  return ["/usr/bin/perl", "-e", set, Buffer.from(program).toString("hex")];
}
