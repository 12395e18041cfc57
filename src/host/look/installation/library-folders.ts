import { readFileSync } from "node:fs";
import { dirname } from "node:path/posix";
import { type AbsolutePath, ROOT } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { lookingOnce } from "../leads.ts";
import { namesIn } from "../names-in.ts";
import { foldersOfCache } from "./library-cache.ts";
import { placesOn } from "./way.ts";

/** Maximum of files: more would include one another without end. */
const MAX_FILES = 256;

/**
 * Finds the places from which the loader takes libraries of any program (ld.so(8), ldconfig(8)): the folders of
 * `ld.so.conf`, of the cache and of musl's path file, and the libraries in `ld.so.preload`, with their folders. It
 * includes missing places and the links on the way. A platform without these files has none.
 */
export function libraryFolders(etc = "/etc"): readonly AbsolutePath[] {
  const preloaded = linesOf(`${etc}/ld.so.preload`)
    .flatMap((line) => line.split(/[:\s]+/))
    .flatMap((file) => [file, dirname(file)]);
  const musl = namesIn(etc)
    .filter((name) => name.startsWith("ld-musl-"))
    .flatMap((name) => linesOf(`${etc}/${name}`))
    .flatMap((line) => line.split(":"));
  const cached = foldersOfCache(`${etc}/ld.so.cache`);
  const written = [...foldersOf(etc), ...cached, ...preloaded, ...musl].filter((path) =>
    path.startsWith("/"),
  );
  const look = lookingOnce();
  const places = [...new Set(written)].flatMap((path) => placesOn(path, ROOT, look));
  return [...new Set(places)].filter((path) => path !== ROOT);
}

function foldersOf(etc: string): readonly string[] {
  const folders: string[] = [];
  const ahead = [`${etc}/ld.so.conf`];
  for (let read = 0; read < MAX_FILES; read += 1) {
    const file = ahead.pop();
    if (file === undefined) break;
    for (const line of linesOf(file)) {
      const included = /^include\s+(.+)$/.exec(line)?.[1];
      if (included !== undefined) ahead.push(...matching(included, etc));
      else folders.push(line);
    }
  }
  return folders;
}

function matching(pattern: string, etc: string): readonly string[] {
  const path = pattern.startsWith("/") ? pattern : `${etc}/${pattern}`;
  const [folder, last] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
  const [before = "", after] = last.split("*", 2);
  if (after === undefined) return [path];
  return namesIn(folder)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => `${folder}/${name}`);
}

function linesOf(file: string): readonly string[] {
  const text = orNull(() => readFileSync(file, "utf8")) ?? "";
  return text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}
