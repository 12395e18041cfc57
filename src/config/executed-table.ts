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

/** The rows of `executed:` that a shipped profile has in a file of their own, and what they come to. */
export interface ExecutedTable {
  readonly names: readonly ExecutedNames[];
  /** What can't be changed where it exists. */
  readonly masks: readonly Mask[];
  /** Where each mask stands, by its `maskKey`. */
  readonly sources: ReadonlyMap<string, Position>;
}

const known = new Map<string, ExecutedTable | null>();

/**
 * `NAME.executed.json` beside a shipped profile: rows by what they have in common, one on each line; null where there is none.
 * JSON, because so many rows of YAML would take longer to read than all else at a start. It is read once: a shipped file does not
 * change while the code beside it runs, and its tests say whether it holds what it should.
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
 * The masks of a table as they hold where these folders can be written: in dependency and build trees of these nothing is mounted over,
 * or they could not be removed. A name that has such a tree in it holds everywhere, as `node_modules/.bin/sh`.
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
  throw new CofferdamError("INTERNAL", "a shipped table has a row without names", {
    hint: "install cofferdam again",
  });
}

/** Whether a row is whole is a test of the package's: to look at each part at every start would cost more than to read it. */
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
