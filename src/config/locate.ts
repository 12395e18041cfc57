import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type AbsolutePath, joinPath, knownPath, upwards } from "../profile/path.ts";
import { realHomes } from "./homes.ts";
import { nearest } from "./nearest.ts";
import { printFailure } from "./safe-file.ts";
import { fileStart } from "./yaml.ts";

/** The name under which a config is found by itself. */
export const CONFIG_NAME = "cofferdam.yaml";
/** Kinds of files that somebody will take for it, beside slips in `yaml`. */
const OTHER_KINDS = ["yml", "json", "jsonc", "json5", "toml"];

/**
 * The nearest `cofferdam.yaml` at or above the folder (a real path), or null. The way up ends below a home folder,
 * where the owner changes, and where another file system begins. Throws `CONFIG_INVALID` for one that is no plain file,
 * for a misspelt one, which would otherwise say nothing, and for a folder that cannot be looked into.
 */
export function nearestConfig(host: Host, cwd: AbsolutePath): AbsolutePath | null {
  const homes = realHomes(host);
  const start = looked(cwd, () => statSync(cwd));
  for (const folder of upwards(cwd)) {
    const isAbove = folder !== cwd;
    if (
      isAbove &&
      (homes.includes(folder) ||
        !isSamePlace(
          looked(folder, () => statSync(folder)),
          start,
        ))
    )
      return null;
    const found = looked(folder, () => configIn(folder));
    if (found !== null) return found;
  }
  return null;
}

/** The folder as it really lies. Throws `CONFIG_INVALID` when it is not there. */
export function realFolder(folder: AbsolutePath): AbsolutePath {
  const real = looked(folder, () => knownPath(realpathSync.native(folder)));
  if (looked(real, () => statSync(real)).isDirectory()) return real;
  throw new CofferdamError("CONFIG_INVALID", `${visible(folder)} is not a folder`, {
    hint: "start in a folder",
  });
}

function configIn(folder: AbsolutePath): AbsolutePath | null {
  const path = joinPath(folder, CONFIG_NAME);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return path;
  if (stats !== undefined) {
    const what = stats.isSymbolicLink() ? "a symlink" : "no plain file";
    throw new CofferdamError("CONFIG_INVALID", `${visible(path)} is ${what}`, {
      hint: "put the file itself here, or name the one that is meant with `--config`",
      at: fileStart(path),
    });
  }
  const misspelt = filesIn(folder).find(isMisspelt);
  if (misspelt === undefined) return null;
  const other = joinPath(folder, misspelt);
  throw new CofferdamError("CONFIG_INVALID", `${visible(other)} is not the name of a config`, {
    hint: `rename it to \`${CONFIG_NAME}\``,
    at: fileStart(other),
  });
}

/** The names in a folder that are no folders; none where they may not be listed, for a config could be read there. */
function filesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [] : [entry.name],
    );
  } catch {
    return [];
  }
}

/** True for `Cofferdam.yaml`, `coferdam.yaml`, `.cofferdam.yml`, `cofferdam.json`: near in both parts, whatever the case. */
function isMisspelt(name: string): boolean {
  const [, stem, kind] = /^\.?([^.]+)\.([^.]+)$/.exec(name.toLowerCase()) ?? [];
  if (stem === undefined || kind === undefined || nearest(stem, ["cofferdam"]) === null) return false;
  return OTHER_KINDS.includes(kind) || nearest(kind, ["yaml"]) !== null;
}

function looked<Found>(folder: AbsolutePath, look: () => Found): Found {
  try {
    return look();
  } catch (cause) {
    if (cause instanceof CofferdamError) throw cause;
    throw new CofferdamError("CONFIG_INVALID", `the folder ${visible(folder)} ${printFailure(cause)}`, {
      hint: "start in a folder that exists and that you may read",
      cause,
    });
  }
}

function isSamePlace(stats: Stats, start: Stats): boolean {
  return stats.uid === start.uid && stats.dev === start.dev;
}
