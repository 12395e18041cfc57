import { statSync } from "node:fs";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, foldedText, joinPath } from "../../profile/path.ts";
import { nameTest, plainText } from "../../profile/pattern.ts";
import type { Mask } from "../../profile/profile.ts";
import { firstNamesIn } from "../names-in.ts";
import { systemPath } from "../nodes.ts";

/** One name below a folder: that very name, or any that passes. */
type Name = string | ((name: string) => boolean);

/** Folders that masks name by what lies in them, in lower case, each with those paths below: `.vscode` with `tasks.json`. */
export type Tails = ReadonlyMap<string, readonly (readonly Name[])[]>;

/** What masks with wildcards keep from being written behind plain names of folders. */
export function tailsOf(masks: readonly Mask[]): Tails {
  const tails = new Map<string, Map<string, readonly Name[]>>();
  for (const { pattern, atMost, ignoreCase } of masks) {
    let tail: readonly Name[] = [];
    let written = String(ignoreCase);
    if (atMost !== "read") continue;
    for (const segment of pattern.segments.toReversed()) {
      if (segment.kind !== "name") break;
      const name = plainText(segment.pieces);
      if (name !== null && tail.length > 0) {
        const key = foldedText(name);
        tails.set(key, (tails.get(key) ?? new Map<string, readonly Name[]>()).set(written, tail));
      }
      tail = [name ?? nameTest(segment.pieces, ignoreCase), ...tail];
      written = JSON.stringify([segment.pieces, written]);
    }
  }
  return new Map([...tails].map(([name, those]) => [name, [...those.values()]]));
}

/** The names that are looked through behind a link where a wildcard stands: there is no honest use for more. */
const MAX_NAMES = 10_000;

/**
 * Which of these paths there are below a link in the place of such a folder. A search goes behind no link by itself. Throws
 * `NOT_ENFORCEABLE` where a folder holds too many names.
 */
export function behindLink(link: AbsolutePath, tails: readonly (readonly Name[])[]): readonly AbsolutePath[] {
  return tails.flatMap((tail) =>
    tail
      .reduce<readonly AbsolutePath[]>((folders, name) => folders.flatMap((at) => pathsIn(at, name)), [link])
      .filter(isThere),
  );
}

function pathsIn(folder: AbsolutePath, name: Name): readonly AbsolutePath[] {
  const names = typeof name === "string" ? [name] : namesBehind(folder).filter(name);
  return names.map((one) => joinPath(folder, one));
}

/** None where there is no folder, or one that can't be read. */
function namesBehind(folder: AbsolutePath): readonly string[] {
  let names: readonly string[];
  try {
    names = firstNamesIn(systemPath(folder), MAX_NAMES + 1);
  } catch {
    return [];
  }
  if (names.length > MAX_NAMES) throw tooMany(folder);
  return names;
}

function tooMany(folder: AbsolutePath): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `the link ${visible(folder)} leads to more than ${MAX_NAMES} names, among which none can be protected`,
    { hint: "remove the link, or make it a folder" },
  );
}

function isThere(path: AbsolutePath): boolean {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
