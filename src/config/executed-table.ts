import { readFileSync } from "node:fs";
import { CofferdamError, type Position } from "../errors.ts";
import { isNamedByTree } from "../profile/dependency-trees.ts";
import {
  type ExecutedNames,
  type ExecutedSection,
  executedNames,
  type RunsWhen,
} from "../profile/executed.ts";
import { maskKey } from "../profile/explain.ts";
import { type AbsolutePath, byPath, joinPath } from "../profile/path.ts";
import { patternsAnywhere } from "../profile/pattern-anywhere.ts";
import type { Mask } from "../profile/profile.ts";
import { shippedFolder } from "./shipped.ts";

/** The `executed:` rows of a shipped profile's own file, with their names and masks. */
export interface ExecutedTable {
  readonly names: readonly ExecutedNames[];
  /** Paths that can't be changed if they exist. */
  readonly masks: readonly Mask[];
  readonly sources: ReadonlyMap<string, Position>;
}

const known = new Map<string, ExecutedTable | null>();

/**
 * `NAME.executed.json` beside a shipped profile, or null: JSON, as parsing so much YAML would take longer than the rest
 * of a start. Read once: a shipped file does not change while its code runs. The package's tests check it.
 */
export function executedTable(name: string): ExecutedTable | null {
  const table = known.get(name) ?? readTable(name);
  known.set(name, table);
  return table;
}

function readTable(name: string): ExecutedTable | null {
  const file = joinPath(shippedFolder(), `${name}.executed.json`);
  const text = readIfThere(file);
  if (text === null) return null;
  const names: ExecutedNames[] = [];
  const masks: Mask[] = [];
  const sources = new Map<string, Position>();
  for (const [index, line] of text.split("\n").entries()) {
    if (!/^ +\{/.test(line)) continue;
    const { names: anywhere, runs = "unasked", ...row } = rowOf(line);
    const found = executedNames({ ...row, runs }, anywhere.flatMap(patternsAnywhere));
    names.push(...found);
    if (runs !== "unasked") continue;
    for (const { pattern, ignoreCase } of found) {
      masks.push({ pattern, atMost: "read", ignoreCase });
      sources.set(maskKey({ pattern }), { file, line: index + 1, column: line.indexOf("{") + 1 });
    }
  }
  return { names, masks, sources };
}

/**
 * The masks of a table for writable folders: in their dependency and build trees nothing is mounted over, or the trees
 * could not be removed. A name that contains such a tree applies everywhere, as `node_modules/.bin/sh`.
 */
export function masksOutsideTrees({ masks }: ExecutedTable, roots: readonly AbsolutePath[]): readonly Mask[] {
  const exceptTreesOf = [...new Set(roots)].sort(byPath);
  return masks.map((mask) => (isNamedByTree(mask.pattern) ? mask : { ...mask, exceptTreesOf }));
}

/** A row of the file; its names are those of files and folders anywhere, as `.vscode/tasks.json`. */
interface Row extends Pick<ExecutedSection[number], "by" | "when"> {
  readonly names: readonly string[];
  readonly runs?: RunsWhen;
}

function rowOf(line: string): Row {
  const row: unknown = JSON.parse(line.trim().replace(/,$/, ""));
  if (isRow(row)) return row;
  throw new CofferdamError("INTERNAL", "a table in the package has a row without names", {
    hint: "install cofferdam again",
  });
}

/** The package's tests check that rows are complete: doing so at every start would cost more than reading. */
function isRow(row: unknown): row is Row {
  return typeof row === "object" && row !== null && "names" in row;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
}
