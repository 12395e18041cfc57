import type { Kind } from "../../profile/access-to.ts";
import { isBelowTree } from "../../profile/dependency-trees.ts";
import { type AbsolutePath, foldedPath, isInside, nameOf, ROOT } from "../../profile/path.ts";
import { type Pattern, patternTest } from "../../profile/pattern.ts";
import { type Suffix, takesFile } from "../../profile/suffix.ts";

/**
 * Paths of one kind: a node alone, a node with all below it, what a pattern matches with all below it, or what is the
 * call's own: its folder itself, the places in it, or what it was handed by its bytes. With `ignoreCase` other spellings
 * of ASCII letters count.
 */
export type Shape =
  | { readonly kind: "node" | "tree"; readonly path: AbsolutePath; readonly ignoreCase: boolean }
  | {
      readonly kind: "match";
      readonly pattern: Pattern;
      readonly ignoreCase: boolean;
      /** As in a mask: roots in whose dependency and build trees nothing is meant. */
      readonly exceptTreesOf: readonly AbsolutePath[] | null;
    }
  | { readonly kind: "own"; readonly what: "folder" | "places" | "given" };

/** What of a shape is meant; endings are those of file names, and folders never have one. */
export type Only =
  | { readonly kind: "everything" | "folders" }
  | { readonly kind: "files" | "other-files"; readonly endings: readonly Suffix[] };

/** What an area has when nothing else is said. */
export const EVERYTHING: Only = { kind: "everything" };

/** A set of paths that one rule speaks of: what lies in one of `within`, is of that kind, and in none of the exceptions. */
export interface Area {
  readonly within: readonly Shape[];
  readonly only: Only;
  readonly except: readonly Shape[];
}

/** True for what an area holds. */
export type AreaTest = (path: AbsolutePath, kind: Kind) => boolean;

/** Compiles an area; the text that is printed of it means the same. The call's own places are no path of the host's. */
export function areaTest({ within, only, except }: Area): AreaTest {
  const parts = within.map(shapeTest);
  const exceptions = except.map(shapeTest);
  return (path, kind) =>
    isMeant(only, path, kind) &&
    parts.some((holds) => holds(path)) &&
    !exceptions.some((holds) => holds(path));
}

function shapeTest(shape: Shape): (path: AbsolutePath) => boolean {
  switch (shape.kind) {
    case "own":
      return () => false;
    case "match": {
      const matches = patternTest(shape.pattern, shape.ignoreCase);
      const { exceptTreesOf } = shape;
      if (exceptTreesOf === null) return matches;
      return (path) => matches(path) && !isBelowTree(path, exceptTreesOf);
    }
    case "node": {
      const node = shape.ignoreCase ? foldedPath(shape.path) : shape.path;
      return shape.ignoreCase ? (path) => foldedPath(path) === node : (path) => path === node;
    }
    case "tree": {
      if (!shape.ignoreCase || shape.path === ROOT) return (path) => isInside(path, shape.path);
      const [tree, below] = [foldedPath(shape.path), `${foldedPath(shape.path)}/`];
      return (path) => foldedPath(path) === tree || foldedPath(path).startsWith(below);
    }
  }
}

function isMeant(only: Only, path: AbsolutePath, kind: Kind): boolean {
  switch (only.kind) {
    case "everything":
      return true;
    case "folders":
      return kind === "folder";
    case "files":
      return kind === "file" && takesFile(only.endings, nameOf(path));
    case "other-files":
      return kind === "file" && !takesFile(only.endings, nameOf(path));
  }
}
