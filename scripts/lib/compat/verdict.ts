import type { Row } from "./row.ts";

/** What became of a row's line, with or without walls. */
export interface Attempt {
  readonly isDone: boolean;
  /** What it printed, on both streams. */
  readonly said: string;
  /** What the outcome of the call named as remedies. */
  readonly remedies: readonly string[];
}

/** What the table says of a row. `wrong` stands in no table: the row says otherwise than the machine. */
export type Verdict =
  | { readonly kind: "works" }
  | { readonly kind: "with"; readonly setting: string }
  | { readonly kind: "by-design"; readonly says: string; readonly remedy: string }
  | { readonly kind: "untried"; readonly why: string }
  | { readonly kind: "wrong"; readonly what: string; readonly said: string };

/** What was tried of a row: null where it came to nothing before. */
export interface Tried {
  readonly twin: Attempt;
  readonly plain: Attempt;
  /** With the row's setting, where it has one. */
  readonly set: Attempt | null;
}

/**
 * What the attempts say. What fails without walls too says nothing about them. A setting counts only where it fails without
 * it, and a failure by design only where it tells the reason that the row knows, and a remedy.
 */
export function verdictOf(row: Row, { twin, plain, set }: Tried): Verdict {
  if (!twin.isDone) return { kind: "untried", why: `fails here without walls too: ${lastLine(twin.said)}` };
  if (row.fails !== undefined) return byDesign(row.fails, plain);
  if (row.setting === undefined || set === null)
    return plain.isDone ? { kind: "works" } : wrong("should work, and fails", plain);
  if (plain.isDone) return wrong("should need its setting, and works without", plain);
  return set.isDone
    ? { kind: "with", setting: row.setting }
    : wrong("should work with its setting, and fails", set);
}

function byDesign(fails: NonNullable<Row["fails"]>, plain: Attempt): Verdict {
  if (plain.isDone) return wrong("should fail by design, and works", plain);
  const says = fails.says.exec(plain.said)?.[0];
  if (says === undefined) return wrong(`should say ${String(fails.says)}`, plain);
  const remedy = fails.remedy === "told" ? plain.remedies[0] : fails.remedy;
  return remedy === undefined
    ? wrong("should be a denial that names a remedy", plain)
    : { kind: "by-design", says: says.trim(), remedy };
}

function wrong(what: string, { said }: Attempt): Verdict {
  return { kind: "wrong", what, said };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
