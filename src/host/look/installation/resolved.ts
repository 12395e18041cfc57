import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../../profile/path.ts";

/** The file that `require` would load from a folder; null for none, or for a module of Node's own. No code is run. */
export function resolvedBy(specifier: string, folder: AbsolutePath): AbsolutePath | null {
  try {
    const path = createRequire(joinPath(folder, "module.js")).resolve(specifier);
    return isAbsolutePath(path) ? path : null;
  } catch {
    return null;
  }
}

/** The path that a URL means; null if Node rejects it. */
export function pathOfUrl(url: URL): string | null {
  try {
    const path = fileURLToPath(url);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}
