import { readdirSync } from "node:fs";
import { type AbsolutePath, joinPath, pathFromBytes, ROOT } from "../../profile/path.ts";
import { type Look, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";
import { codeOf } from "../system-error.ts";
import { dependsOnWho } from "./led.ts";

/** The links in a folder of hooks; none where it can't be listed. */
export function linksAt(folder: AbsolutePath): readonly AbsolutePath[] {
  try {
    return readdirSync(systemPath(folder), { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => joinPath(folder, pathFromBytes(name)));
  } catch {
    return [];
  }
}

/**
 * Names of hooks that can be run, or perhaps can: git takes no notice of others, nor of its own examples (githooks(5)). Null
 * for a folder that is there and can't be listed.
 */
export function hooksIn(folder: AbsolutePath, see: Look): readonly string[] | null {
  try {
    return readdirSync(systemPath(folder), { encoding: "buffer" })
      .map((name) => pathFromBytes(name))
      .filter((name) => !name.endsWith(".sample") && isProgram(joinPath(folder, name), see))
      .sort();
  } catch (cause) {
    return ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause)) ? [] : null;
  }
}

function isProgram(path: AbsolutePath, see: Look): boolean {
  const way = wayOf(path, ROOT, see);
  if (dependsOnWho(way)) return true;
  const stats = way.end === null ? null : see(way.end);
  // By another name of the file it could become one.
  return stats?.isFile() === true && ((stats.mode & 0o111) !== 0 || stats.nlink > 1);
}
