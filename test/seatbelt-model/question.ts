import { foldCase } from "./path-sets.ts";
import type { Query, Reading } from "./query.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A query under a reading, with what several filters need of it made once. */
export interface Question {
  readonly query: Query;
  /** The path that literal, subpath and prefix are compared with: folded, where case is the same. */
  readonly path: string | undefined;
  readonly foldsPaths: boolean;
  readonly foldsRegexes: boolean;
  readonly subpathHasItself: boolean;
  readonly unit: Unit;
  readonly pathUnits: () => readonly number[];
  readonly nameUnits: () => readonly number[];
}

/** The question that a query is under a reading. */
export function questionOf(query: Query, reading: Reading): Question {
  const foldsPaths = reading.foldsCase !== "nowhere";
  const { path = "", name = "" } = query;
  let pathUnits: readonly number[] | undefined;
  let nameUnits: readonly number[] | undefined;
  return {
    query,
    path: foldsPaths && query.path !== undefined ? foldCase(query.path) : query.path,
    foldsPaths,
    foldsRegexes: reading.foldsCase === "paths-and-regexes",
    subpathHasItself: reading.subpathHasItself,
    unit: reading.regexUnit,
    pathUnits: () => (pathUnits ??= unitsOf(path, reading.regexUnit)),
    nameUnits: () => (nameUnits ??= unitsOf(name, reading.regexUnit)),
  };
}
