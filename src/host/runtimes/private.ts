import { type AbsolutePath, isAbsolutePath, isInside, joinPath } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { homesOf } from "../user.ts";
import { EVERYTHING, reach } from "./disk.ts";

/** Folders of a home that hold what is the person's own: config, keys, caches with credentials, managers of versions. */
const OWN = [
  ".config",
  ".local/share",
  ".local/state",
  ".cache",
  ".ssh",
  ".gnupg",
  ".aws",
  ".cargo",
  ".npm",
  ".m2",
  "Library",
] as const;
const XDG = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CARGO_HOME"] as const;

/**
 * True when the folder is or holds one that is a person's own: the home, `~/.config`, the state folder, … Such a folder
 * is never one installed version, whatever else lies in it. `folder` is canonical.
 */
export function holdsPrivate(host: Host, folder: AbsolutePath): boolean {
  const named = XDG.flatMap((name) => absoluteIn(host, name) ?? []);
  const homes = homesOf(host).flatMap((home) => [home, ...OWN.map((name) => joinPath(home, name))]);
  const places = [...homes, host.stateFolder, ...named];
  return places.some(
    (place) => isInside(place, folder) || isInside(reach(EVERYTHING, place)?.real ?? place, folder),
  );
}

/** The folder that a variable names; null when it names none. */
export function absoluteIn(host: Host, variable: string): AbsolutePath | null {
  const text = host.env[variable]?.replace(/(?<=.)\/+$/, "");
  return text !== undefined && isAbsolutePath(text) ? text : null;
}
