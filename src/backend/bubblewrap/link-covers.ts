import { type AbsolutePath, pathToBytes } from "../../profile/path.ts";
import type { Facts, Launcher } from "../facts.ts";
import type { MountPlan } from "../plan.ts";
import { withLauncherAround } from "./shelter.ts";
import type { Change } from "./transitions.ts";

/**
 * Puts a mount on each symlink, as perl, before it starts the launcher. Words: the number of prctl(2), the number of
 * links, their paths in hex, the launcher's words. For each link in order:
 * 1. open_tree(2) makes a mount of the link itself, not its target (`AT_SYMLINK_NOFOLLOW`);
 * 2. mount_setattr(2) gives it the flags that the launcher demands of bound mounts. The launcher would add a missing
 *    flag by path, and so to the target;
 * 3. move_mount(2), which follows no link by itself, puts it on the link. The link leads where it led, and the kernel
 *    refuses to remove, rename or replace it (fs/namei.c, `is_local_mountpoint`). mount(2), as in bwrap, follows links.
 *    Then perl drops its capabilities and becomes the launcher, which refuses to start with any. Numbers are the same
 *    on both architectures (include/uapi/asm-generic/unistd.h).
 */
const COVER = `
my ($prctl, $count, @words) = @ARGV;
my $nothing = "";
sub failed { die "cofferdam: a symlink could not be held: $_[0]: $!\\n" }
for my $link (map { pack "H*", $_ } splice @words, 0, $count) {
  my $fd = syscall(428, -100, $link, 0x80101);
  failed("open_tree") if $fd < 0;
  my $attributes = pack "Q4", 7, 0, 0, 0;
  syscall(442, $fd, $nothing, 0x1000, $attributes, 32) == 0 or failed("mount_setattr");
  syscall(429, $fd, $nothing, -100, $link, 4) == 0 or failed("move_mount");
}
syscall($prctl, 47, 4, 0, 0, 0);
exec { $words[0] } @words or failed($words[0]);
`;

/** prctl(2): arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h. */
const PRCTL = { x64: 157, arm64: 167 } as const;

/** Options that an outer launcher needs for it. */
export const COVER_OPTIONS: readonly string[] = ["--cap-add", "CAP_SYS_ADMIN"];

/** The same launch, with a mount on each symlink that the changes cover; the same value if there are none. */
export function withCovers(
  plan: MountPlan,
  { changes }: { readonly changes: readonly Change[] },
  facts: Facts,
): MountPlan {
  const { launcher, devices, deviceNodes, arch } = facts;
  const links = changes.filter(({ kind }) => kind === "cover-link").map(({ path }) => path);
  const words = links.length === 0 ? null : coverWords(links, launcher, arch);
  if (words === null) return plan;
  const shown = changes.filter(({ kind, access }) => kind === "show" && access === "write");
  const options = [...COVER_OPTIONS, ...shown.flatMap(({ path }) => ["--bind", path, path])];
  return withLauncherAround(plan, { writable: [], launcher, devices, deviceNodes }, { options, words });
}

/** The words that cover these links and become the launcher. Null without perl. */
export function coverWords(
  links: readonly AbsolutePath[],
  { perl }: Pick<Launcher, "perl">,
  arch: keyof typeof PRCTL,
): readonly string[] | null {
  if (perl === null) return null;
  const names = links.map((link) => Buffer.from(pathToBytes(link)).toString("hex"));
  return [perl, "-e", COVER, "--", String(PRCTL[arch]), String(links.length), ...names];
}
