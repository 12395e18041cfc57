import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { searchedFolders } from "./packages.ts";
import { placesOn } from "./way.ts";

/** A file that is loaded ahead of a program imports a few others; no more of them are read. */
const MAX_FILES = 256;

/** What may stand behind a name that is imported. */
const ENDINGS = [
  "",
  ".js",
  ".json",
  ".node",
  ".ts",
  ".mjs",
  ".cjs",
  "/package.json",
  "/index.js",
  "/index.json",
];

/**
 * The files that a file outside of `node_modules` imports, and those that these do, as their texts say; and every folder of
 * packages that one of them searches for what it names. A name that is put together while the program runs is not seen.
 */
export function filesImportedBy(file: AbsolutePath): readonly AbsolutePath[] {
  const found = new Set<AbsolutePath>();
  const ahead = [file];
  for (const [at, one] of ahead.entries()) {
    if (at > MAX_FILES) break;
    const folder = parentOf(one);
    for (const specifier of importedIn(one)) {
      if (isBuiltin(specifier)) continue;
      const places = /^\.{0,2}\//.test(specifier) ? placesOfPath(specifier, folder) : searchedFolders(folder);
      for (const place of places) {
        if (found.has(place)) continue;
        found.add(place);
        if (statsOf(place)?.isFile() === true) ahead.push(place);
      }
    }
  }
  return [...found];
}

/** Places of the files that Node tries for a path, up to the first file that is there. */
function placesOfPath(specifier: string, folder: AbsolutePath): readonly AbsolutePath[] {
  const ways = ENDINGS.map((ending) => placesOn(`${specifier}${ending}`, folder));
  const first = ways.findIndex(([end]) => statsOf(end)?.isFile() === true);
  return ways.slice(0, first < 0 ? ways.length : first + 1).flat();
}

const IMPORTED = /\b(?:from|import|require|resolve|register)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;

function importedIn(file: AbsolutePath): readonly string[] {
  try {
    const text = readFileSync(systemPath(file), "utf8");
    return [...new Set([...text.matchAll(IMPORTED)].map(([, , specifier = ""]) => specifier))];
  } catch {
    return [];
  }
}
