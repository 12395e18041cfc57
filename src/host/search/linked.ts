import { statSync } from "node:fs";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { plainText } from "../../profile/pattern.ts";
import type { Mask } from "../../profile/profile.ts";
import { systemPath } from "../nodes.ts";

/** Folders that masks name by what lies in them, in lower case, each with those paths below: `.vscode` with `tasks.json`. */
export type Tails = ReadonlyMap<string, readonly string[]>;

/** What masks with wildcards keep from being written behind plain names of folders. */
export function tailsOf(masks: readonly Mask[]): Tails {
  const tails = new Map<string, Set<string>>();
  for (const { pattern, atMost } of masks) {
    let tail = "";
    if (atMost !== "read") continue;
    for (const segment of pattern.segments.toReversed()) {
      const name = segment.kind === "name" ? plainText(segment.pieces) : null;
      if (name === null) break;
      const key = name.toLowerCase();
      if (tail !== "") tails.set(key, (tails.get(key) ?? new Set()).add(tail));
      tail = tail === "" ? name : `${name}/${tail}`;
    }
  }
  return new Map([...tails].map(([name, those]) => [name, [...those]]));
}

/** Which of these paths there are below a link in the place of such a folder. A search goes behind no link by itself. */
export function behindLink(link: AbsolutePath, tails: readonly string[]): readonly AbsolutePath[] {
  return tails.map((tail) => joinPath(link, tail)).filter(isThere);
}

function isThere(path: AbsolutePath): boolean {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
