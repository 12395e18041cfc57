import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { posix } from "node:path";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { orNull } from "../host/or-null.ts";
import { nearest } from "../policy/nearest.ts";
import { type AbsolutePath, isAbsolutePath, joinPath, knownPath, upwards } from "../profile/path.ts";
import { realHomes } from "./homes.ts";
import { printFailure } from "./safe-file.ts";
import { fileStart } from "./yaml.ts";

/** The file name under which a config is found automatically. */
export const CONFIG_NAME = "cofferdam.yaml";
/** Extensions that people expect, beside misspellings of `yaml`. */
const OTHER_KINDS = ["yml", "json", "jsonc", "json5", "toml"];

/**
 * The nearest `cofferdam.yaml` at or above the folder (a real path), or null. The search ends below a home folder, at a
 * change of owner, and at the edge of a file system. Throws `CONFIG_INVALID` for one that is not a regular file, for a
 * misspelt one, which would otherwise have no effect, and for an unreadable folder.
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

/** The real path of the folder. Throws `CONFIG_INVALID` if it does not exist. */
export function realFolder(folder: AbsolutePath): AbsolutePath {
  const real = looked(folder, () => knownPath(realpathSync.native(folder)));
  if (looked(real, () => statSync(real)).isDirectory()) return real;
  throw new CofferdamError("CONFIG_INVALID", `${visible(folder)} is not a folder`, {
    hint: "start in another folder",
  });
}

/** The path to watch for changes of a file that somebody named so: in the real folder, if the text has a `..` in it. */
export function watchedPath(text: string): AbsolutePath {
  if (isAbsolutePath(text)) return text;
  const folder =
    orNull(() => realpathSync.native(posix.dirname(text))) ?? posix.normalize(posix.dirname(text));
  return knownPath(posix.join(folder, posix.basename(text)));
}

function configIn(folder: AbsolutePath): AbsolutePath | null {
  const path = joinPath(folder, CONFIG_NAME);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return path;
  if (stats !== undefined) {
    const what = stats.isSymbolicLink() ? "a symlink" : "not a regular file";
    throw new CofferdamError("CONFIG_INVALID", `${visible(path)} is ${what}`, {
      hint: "put the file itself here, or name another file with `--config`",
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

/** The names in a folder that are not folders; empty if it can't be listed: a config could still be read there. */
function filesIn(folder: AbsolutePath): readonly string[] {
  return (
    orNull(() =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [] : [entry.name],
      ),
    ) ?? []
  );
}

/** True for `Cofferdam.yaml`, `coferdam.yaml`, `.cofferdam.yml`, `cofferdam.json`: near in both parts. */
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
      hint: "start in an existing folder that you can read",
      cause,
    });
  }
}

function isSamePlace(stats: Stats, start: Stats): boolean {
  return stats.uid === start.uid && stats.dev === start.dev;
}
