import type { Kind } from "../../profile/access-to.ts";
import { type AbsolutePath, isInside, nameOf } from "../../profile/path.ts";
import { type Pattern, patternTest } from "../../profile/pattern.ts";
import { type Suffix, takesFile } from "../../profile/suffix.ts";

/** Paths of one kind: a node alone, a node with all below it, or what a pattern matches with all below it. */
export type Shape =
  | { readonly kind: "node" | "tree"; readonly path: AbsolutePath }
  | { readonly kind: "match"; readonly pattern: Pattern; readonly ignoreCase: boolean };

/** What of a shape is meant; endings are those of file names, and folders never have one. */
export type Only =
  | { readonly kind: "everything" | "folders" }
  | { readonly kind: "files" | "other-files"; readonly endings: readonly Suffix[] };

/** What an area has when nothing else is said. */
export const EVERYTHING: Only = { kind: "everything" };

/** A set of paths that one rule speaks of: what lies within, is of that kind, and in none of the exceptions. */
export interface Area {
  readonly within: Shape;
  readonly only: Only;
  readonly except: readonly Shape[];
}

/** True for what an area holds. */
export type AreaTest = (path: AbsolutePath, kind: Kind) => boolean;

/** Compiles an area; the text that is printed of it means the same. */
export function areaTest({ within, only, except }: Area): AreaTest {
  const isWithin = shapeTest(within);
  const exceptions = except.map(shapeTest);
  return (path, kind) =>
    isWithin(path) && isMeant(only, path, kind) && !exceptions.some((isException) => isException(path));
}

function shapeTest(shape: Shape): (path: AbsolutePath) => boolean {
  switch (shape.kind) {
    case "node":
      return (path) => path === shape.path;
    case "tree":
      return (path) => isInside(path, shape.path);
    case "match":
      return patternTest(shape.pattern, shape.ignoreCase);
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
