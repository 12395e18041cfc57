import { CofferdamError, visible } from "../../../errors.ts";
import { type AbsolutePath, isInside, joinPath, ROOT } from "../../../profile/path.ts";
import type { Runtime } from "../../../tool/facts.ts";
import type { Host } from "../host.ts";
import { homesOf } from "../user.ts";
import { EVERYTHING, isFolder, type ResolvedPath, reach } from "./disk.ts";
import { grantReached } from "./grant.ts";
import type { RuntimeSite } from "./site.ts";

/**
 * A runtime with folders listed in a config: their resolved targets are granted, and PATH gets the `bin` of each, or
 * the folder itself. Throws `CONFIG_INVALID`: a folder is missing, is or contains `/`, `/etc`, the home or the state
 * folder, or is reached by a link in a root.
 */
export function listedRuntime(site: RuntimeSite, name: string, folders: readonly AbsolutePath[]): Runtime {
  const reached = folders.map((folder) => reachListed(site, name, folder));
  const path = reached.map(({ real }) => {
    const bin = joinPath(real, "bin");
    return isFolder(EVERYTHING, bin) ? realOf(bin) : real;
  });
  return { name, ...grantReached(reached), path, env: {}, macos: [] };
}

/** The target of a listed folder, resolved once: the checked path is the granted one. */
function reachListed(site: RuntimeSite, name: string, folder: AbsolutePath): ResolvedPath {
  const reached = reach(EVERYTHING, folder);
  if (reached === null || !isFolder(EVERYTHING, reached.real)) {
    throw refused(name, folder, "is not a folder on this machine", "name existing folders");
  }
  const { real, links } = reached;
  const held = keptOut(site).find(([place]) => isInside(realOf(place), real) || isInside(place, real));
  if (held !== undefined) {
    throw refused(name, folder, `is or contains ${held[1]}`, "list the folders in it that programs need");
  }
  if (isInside(real, realOf(site.stateFolder))) {
    throw refused(name, folder, "is in the state folder", "list a folder outside of it");
  }
  const link = links.find(({ path }) => site.hidden.some((root) => isInside(path, root)));
  if (link !== undefined) {
    const what = `is reached by the symlink ${visible(link.path)}, which is in a root`;
    throw refused(name, folder, what, "check the target of that link, then name the folder that you mean");
  }
  return reached;
}

function realOf(path: AbsolutePath): AbsolutePath {
  return reach(EVERYTHING, path)?.real ?? path;
}

function keptOut(host: Host): readonly (readonly [place: AbsolutePath, what: string])[] {
  return [
    ...homesOf(host).map((home) => [home, "the home folder"] as const),
    [host.stateFolder, "the state folder"],
    [joinPath(ROOT, "etc"), "`/etc`"],
  ];
}

function refused(name: string, folder: AbsolutePath, what: string, hint: string): CofferdamError {
  return new CofferdamError(
    "CONFIG_INVALID",
    `the folder ${visible(folder)} of the runtime ${visible(name)} ${what}`,
    { hint },
  );
}
