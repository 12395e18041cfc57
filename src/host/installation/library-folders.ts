import { readdirSync, readFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import { realPathOf } from "../nodes.ts";

/** More files than this include one another without end. */
const MAX_FILES = 256;

/**
 * The real folders from which the loader takes libraries of any program (ld.so(8), ldconfig(8)): those of `ld.so.conf`, and of
 * the libraries that `ld.so.preload` and musl's path file name. None on a platform without these.
 */
export function libraryFolders(): readonly AbsolutePath[] {
  const preloaded = linesOf("/etc/ld.so.preload")
    .flatMap((line) => line.split(/[:\s]+/))
    .filter(isAbsolutePath)
    .map(parentOf);
  const musl = namesIn("/etc")
    .filter((name) => name.startsWith("ld-musl-"))
    .flatMap((name) => linesOf(`/etc/${name}`))
    .flatMap((line) => line.split(":"));
  const folders = [...foldersOf("/etc/ld.so.conf"), ...preloaded, ...musl].filter(isAbsolutePath);
  return [...new Set(folders.flatMap((folder) => realPathOf(folder) ?? []))].filter(
    (folder) => folder !== ROOT,
  );
}

function foldersOf(first: string): readonly string[] {
  const folders: string[] = [];
  const ahead = [first];
  for (let read = 0; read < MAX_FILES; read += 1) {
    const file = ahead.pop();
    if (file === undefined) break;
    for (const line of linesOf(file)) {
      const included = /^include\s+(.+)$/.exec(line)?.[1];
      if (included !== undefined) ahead.push(...matching(included));
      else folders.push(line.replace(/(?<=.)\/+$/, ""));
    }
  }
  return folders;
}

/** Files of a pattern with a wildcard in its last name, which is what distributions write. */
function matching(pattern: string): readonly string[] {
  const path = pattern.startsWith("/") ? pattern : `/etc/${pattern}`;
  const [folder, last] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
  const [before = "", after] = last.split("*", 2);
  if (after === undefined) return [path];
  return namesIn(folder)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => `${folder}/${name}`);
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim())
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
