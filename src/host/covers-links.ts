import { symlinkSync } from "node:fs";
import { COVER_OPTIONS, coverWords } from "../backend/bubblewrap/link-covers.ts";
import { shelterOptions } from "../backend/bubblewrap/shelter.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { works } from "./trial.ts";

/** A symlink of every Linux that any user can reach. */
const COMMON_LINK = knownPath("/dev/fd");

/** Ends with 0 when a mount stands on the path, as the sandbox's own mount table tells (proc(5), mountinfo). */
const IS_MOUNTED =
  'while read -r _ _ _ _ at _; do [ "$at" = "$1" ] && exit 0; done </proc/self/mountinfo; exit 1';

/**
 * True when a symlink can be held by a mount on it here: the kernel has open_tree(2) and mount_setattr(2) (5.12), there is a
 * perl, and a launcher inside a launcher brings the mount along. Tried as the user that tools run as, with a link in
 * a folder of this process's own where that user can reach it.
 */
export async function coversLinks(
  { arch }: Pick<Host, "arch">,
  { launcher, user, devices }: StandingFacts,
  folder: AbsolutePath,
): Promise<boolean> {
  const link = user.isCaller ? joinPath(folder, "link") : COMMON_LINK;
  if (user.isCaller) symlinkSync("nowhere", link);
  const words = coverWords([link], launcher, arch);
  if (words === null) return false;
  const inner = [
    ...[launcher.path, "--unshare-user", "--unshare-all", "--as-pid-1", "--cap-drop", "ALL"],
    ...["--die-with-parent", ...(launcher.options.has("disable-userns") ? ["--disable-userns"] : [])],
    ...["--ro-bind", "/", "/", "--proc", "/proc", "--", launcher.shell, "-c", IS_MOUNTED, "sh", link],
  ];
  const attempt = (): Promise<boolean> =>
    works(
      launcher.path,
      [...shelterOptions(devices, COVER_OPTIONS), "--", ...words, ...inner],
      user.isCaller ? null : user,
    );
  // Once more where it fails: it may be for want of memory, and what is found is remembered.
  return (await attempt()) || (await attempt());
}
