import type { Row } from "./row.ts";

/** The result of a row's line, with or without the sandbox. */
export interface Attempt {
  readonly isDone: boolean;
  /** Its output on both streams. */
  readonly said: string;
  /** The remedies in the outcome of the call. */
  readonly remedies: readonly string[];
}

/** The result of a row in the table. `wrong` is in no table: the row contradicts the machine. */
export type Verdict =
  | { readonly kind: "works" }
  | { readonly kind: "with"; readonly setting: string }
  | { readonly kind: "by-design"; readonly says: string; readonly remedy: string }
  | { readonly kind: "untried"; readonly why: string }
  | { readonly kind: "wrong"; readonly what: string; readonly said: string };

/** The attempts of a row. */
export interface Tried {
  readonly control: Attempt;
  readonly plain: Attempt;
  /** With the row's setting, where it has one. */
  readonly set: Attempt | null;
}

/**
 * The verdict of the attempts. A row that also fails without the sandbox proves nothing. A setting counts only if the row
 * fails without it, and a failure by design only with the expected reason and a remedy.
 */
export function verdictOf(row: Row, { control, plain, set }: Tried): Verdict {
  if (!control.isDone)
    return { kind: "untried", why: `fails without the sandbox too: ${lastLine(control.said)}` };
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
