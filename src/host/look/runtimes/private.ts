import { type AbsolutePath, isAbsolutePath, isInside, joinPath } from "../../../profile/path.ts";
import type { Host } from "../host.ts";
import { homesOf } from "../user.ts";
import { EVERYTHING, reach } from "./disk.ts";

/** Personal folders of a home: config, keys, caches with credentials, version managers. */
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

/** True if the canonical folder is or contains a personal one (home, `~/.config`, …): never one installed version. */
export function holdsPrivate(host: Host, folder: AbsolutePath): boolean {
  const named = XDG.flatMap((name) => absoluteIn(host, name) ?? []);
  const homes = homesOf(host).flatMap((home) => [home, ...OWN.map((name) => joinPath(home, name))]);
  const places = [...homes, host.stateFolder, ...named];
  return places.some(
    (place) => isInside(place, folder) || isInside(reach(EVERYTHING, place)?.real ?? place, folder),
  );
}

/** The folder that a variable names; null if it names none. */
export function absoluteIn(host: Host, variable: string): AbsolutePath | null {
  const text = host.env[variable]?.replace(/(?<=.)\/+$/, "");
  return text !== undefined && isAbsolutePath(text) ? text : null;
}
