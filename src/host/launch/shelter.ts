import { existsSync, mkdirSync } from "node:fs";
import { shelterOptions } from "../../backend/bubblewrap/shelter.ts";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import type { MachineFacts } from "./facts.ts";
import { works } from "./trial.ts";

/** Tries to write outside and inside, then becomes the launcher; status 8 or 9 means that one of these went wrong. */
const TRY = '(: > "$1") 2>/dev/null && exit 9; (: > "$2") || exit 8; shift 2; exec "$@"';

/**
 * True if sandboxes can be built in a shelter here (`shelter` of the backend): a launcher inside a launcher works, as
 * the user that tools run as, and the read-only part of the outer one can't be written from inside it. Tried in a
 * folder that is this process's own. False if nested namespaces are refused (by AppArmor, or in a container).
 */
export async function hasShelter(machine: MachineFacts, folder: AbsolutePath): Promise<boolean> {
  const { launcher, user, devices } = machine;
  const [tree, outside] = [joinPath(folder, "tree"), joinPath(folder, "outside")];
  mkdirSync(tree);
  mkdirSync(outside);
  const inner = [
    ...[
      launcher.path,
      "--unshare-user",
      "--unshare-all",
      "--as-pid-1",
      "--cap-drop",
      "ALL",
      "--die-with-parent",
    ],
    ...(launcher.options.has("disable-userns") ? ["--disable-userns"] : []),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", launcher.shell, "-c", ":"],
  ];
  const around = (binds: readonly string[], words: readonly string[]): readonly string[] => [
    ...shelterOptions(devices, binds),
    ...["--", ...words],
  ];
  const [beyond, within] = [joinPath(outside, "x"), joinPath(tree, "x")];
  const attack = [launcher.shell, "-c", TRY, "sh", beyond, within, ...inner];
  // Tried again after a failure: that may be a lack of memory, and the result is remembered.
  const attempt = (): Promise<boolean> => works(launcher.path, around(["--bind", tree, tree], attack), null);
  const asCaller = (await attempt()) || (await attempt());
  if (!asCaller || existsSync(beyond) || !existsSync(within)) return false;
  return user.isCaller || works(launcher.path, around([], inner), user);
}
