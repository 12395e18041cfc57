import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, isInside, joinPath, ROOT } from "../../profile/path.ts";
import type { Runtime } from "../../tool/facts.ts";
import type { Host } from "../host.ts";
import { isFolder, reach } from "./disk.ts";
import { grantOf } from "./grant.ts";

/**
 * A runtime whose folders somebody listed: they are granted as they lead, and PATH gets the `bin` of each, or the
 * folder itself. Throws `CONFIG_INVALID`: a folder is missing, or is or holds `/`, `/etc`, the home or the state folder.
 */
export function listedRuntime(host: Host, name: string, folders: readonly AbsolutePath[]): Runtime {
  const path = folders.map((folder) => {
    const real = reach(folder)?.real;
    if (real === undefined || !isFolder(real)) {
      throw refused(name, folder, "is not a folder on this machine", "name folders that exist");
    }
    const held = keptOut(host).find(
      ([place]) => isInside(reach(place)?.real ?? place, real) || isInside(place, real),
    );
    if (held !== undefined) {
      throw refused(name, folder, `is or holds ${held[1]}`, "list the folders below it that programs need");
    }
    if (isInside(real, reach(host.stateFolder)?.real ?? host.stateFolder)) {
      throw refused(name, folder, "lies in the state folder", "list a folder outside of it");
    }
    const bin = joinPath(real, "bin");
    return isFolder(bin) ? (reach(bin)?.real ?? bin) : real;
  });
  return { name, ...grantOf(folders), path, env: {} };
}

function keptOut(host: Host): readonly (readonly [place: AbsolutePath, what: string])[] {
  return [
    [host.user.home, "the home folder"],
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
