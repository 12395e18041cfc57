import type { Kind } from "../../profile/access-to.ts";
import { isBelowTree } from "../../profile/dependency-trees.ts";
import { type AbsolutePath, foldedPath, isInside, nameOf, ROOT } from "../../profile/path.ts";
import { type Pattern, patternTest } from "../../profile/pattern.ts";
import { type Suffix, takesFile } from "../../profile/suffix.ts";

/**
 * Paths of one kind. `own`: the call's folder, places in it, or files given by their bytes. `ignoreCase`: for ASCII.
 */
export type Shape =
  | { readonly kind: "node" | "tree"; readonly path: AbsolutePath; readonly ignoreCase: boolean }
  | {
      readonly kind: "match";
      readonly pattern: Pattern;
      readonly ignoreCase: boolean;
      /** Roots whose dependency and build trees are left out, as in a mask. */
      readonly exceptTreesOf: readonly AbsolutePath[] | null;
    }
  | { readonly kind: "own"; readonly what: "folder" | "places" | "given" };

/** The part of a shape that counts; endings are those of file names, and folders never have one. */
export type Only =
  | { readonly kind: "everything" | "folders" }
  | { readonly kind: "files" | "other-files"; readonly endings: readonly Suffix[] };

/** The default of an area. */
export const EVERYTHING: Only = { kind: "everything" };

/** A set of paths that one rule is about: in one of `within`, of that kind, and in none of the exceptions. */
export interface Area {
  readonly within: readonly Shape[];
  readonly only: Only;
  readonly except: readonly Shape[];
}

export type AreaTest = (path: AbsolutePath, kind: Kind) => boolean;

/** Compiles an area; its printed text means the same. The call's own places are no path of the host's. */
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
