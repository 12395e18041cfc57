/** How a path in a profile is compared with the one that is asked about. */
export type PathRelation = "literal" | "subpath" | "prefix";

/** Some paths of one filter, as they are written and with their case folded. */
export interface PathSet {
  readonly relation: PathRelation;
  readonly written: readonly string[];
  readonly folded: readonly string[];
}

/** The set of some paths; nothing about them is cleaned up, since the system takes them as they are written. */
export function pathSet(relation: PathRelation, written: readonly string[]): PathSet {
  return { relation, written, folded: written.map(foldCase) };
}

/** True when the path is one of the set, or below or begins with one, as the relation says. */
export function hasPath(set: PathSet, path: string, isFolded: boolean, subpathHasItself: boolean): boolean {
  const paths = isFolded ? set.folded : set.written;
  switch (set.relation) {
    case "literal":
      return paths.includes(path);
    case "prefix":
      return paths.some((one) => path.startsWith(one));
    case "subpath":
      return paths.some((one) => (one === path ? subpathHasItself : isBelow(path, one)));
  }
}

/** A text in which upper and lower case are the same; its length stays. */
export function foldCase(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (char) => {
    const lower = char.toLowerCase();
    return lower.length === char.length ? lower : char;
  }).join("");
}

/** `/a/b` is below `/a`; what is written with a slash at its end has nothing below it, except `/`. */
function isBelow(path: string, folder: string): boolean {
  if (folder === "/") return path.startsWith("/");
  return path.charCodeAt(folder.length) === 0x2f && path.startsWith(folder);
}
