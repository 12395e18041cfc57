import { statSync } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath } from "../profile/path.ts";
import type { Host } from "./host.ts";
import { systemPath } from "./nodes.ts";
import { isExecutable } from "./program-start.ts";

/** What programs search where PATH is not set (execvp(3)). */
const WITHOUT_PATH = "/usr/bin:/bin";

/** The folders in which this process would find a program by its name, in their order; an empty entry is where it works. */
export function searchedFolders({ env, cwd }: Pick<Host, "env" | "cwd">): readonly AbsolutePath[] {
  const entries = (env["PATH"] ?? WITHOUT_PATH).split(":").map((entry) => posix.resolve(cwd, entry));
  return [...new Set(entries)].filter((entry) => isAbsolutePath(entry));
}

/** True where a file of that name lies in one of the folders and this user may run it. */
export function isProgramIn(folders: readonly AbsolutePath[], name: string): boolean {
  return folders.some((folder) => {
    const path = posix.join(folder, name);
    return isAbsolutePath(path) && isFile(path) && isExecutable(path);
  });
}

function isFile(path: AbsolutePath): boolean {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
