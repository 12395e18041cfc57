import { statSync } from "node:fs";
import { type AbsolutePath, foldedText, joinPath } from "../../profile/path.ts";
import { nameTest, plainText } from "../../profile/pattern.ts";
import type { Mask } from "../../profile/profile.ts";
import { systemPath } from "../nodes.ts";
import { NamesBehind } from "./names-behind.ts";

/** One name below a folder: that very name, or any that passes. */
type Name = string | ((name: string) => boolean);

/** Paths below a folder, which masks name. */
export type Candidates = readonly (readonly Name[])[];

/** Folders that masks name by what lies in them, in lower case, each with those paths below: `.vscode` with `tasks.json`. */
export type Tails = ReadonlyMap<string, Candidates>;

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

/**
 * Which of these paths there are below a link in the place of such a folder. A search goes behind no link by itself. Throws
 * `NOT_ENFORCEABLE` where a folder holds too many names, or all together do.
 */
export function behindLink(
  link: AbsolutePath,
  tails: Candidates,
  behind: NamesBehind = new NamesBehind(),
): readonly AbsolutePath[] {
  return tails.flatMap((tail) =>
    tail
      .reduce<readonly AbsolutePath[]>(
        (folders, name) => folders.flatMap((at) => pathsIn(at, name, behind)),
        [link],
      )
      .filter(isThere),
  );
}

function pathsIn(folder: AbsolutePath, name: Name, behind: NamesBehind): readonly AbsolutePath[] {
  const names = typeof name === "string" ? [name] : behind.in(folder).filter(name);
  return names.map((one) => joinPath(folder, one));
}

function isThere(path: AbsolutePath): boolean {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
