import { symlinkSync } from "node:fs";
import { COVER_OPTIONS, coverWords } from "../../backend/bubblewrap/link-covers.ts";
import { shelterOptions } from "../../backend/bubblewrap/shelter.ts";
import { type AbsolutePath, joinPath, knownPath } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import type { MachineFacts } from "./facts.ts";
import { works } from "./trial.ts";

/** A symlink of every Linux that any user can reach. */
const COMMON_LINK = knownPath("/dev/fd");

/** Exits with 0 if the path is a mount point in the sandbox's own mount table (proc(5), mountinfo). */
const IS_MOUNTED =
  'while read -r _ _ _ _ at _; do [ "$at" = "$1" ] && exit 0; done </proc/self/mountinfo; exit 1';

/**
 * True if a mount can hold a symlink here: open_tree(2), mount_setattr(2) (Linux 5.12), a perl, and a launcher inside a
 * launcher that brings the mount along. Tested as the user that tools run as.
 */
export async function coversLinks(
  { arch }: Pick<Host, "arch">,
  { launcher, user, devices }: MachineFacts,
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
  // Once more if it fails: memory may have been short, and the result is remembered.
  return (await attempt()) || (await attempt());
}
