import { z } from "zod";

const bound = z.number().nonnegative().exactOptional();

/**
 * Bounds of one call; a missing one is unlimited. `strict` refuses a call whose limits this machine cannot
 * enforce. Units stand in the names; `wallMs` is real time, `cpuSeconds` is one process's processor time,
 * `memoryBytes` and `processes` speak of the whole tree, `fileBytes` of one file, `openFiles` of one process.
 */
export const Limits = z
  .strictObject({
    wallMs: bound,
    cpuSeconds: bound,
    memoryBytes: bound,
    processes: bound,
    fileBytes: bound,
    openFiles: bound,
    outputBytes: bound,
    scratchBytes: bound,
    strict: z.boolean().exactOptional(),
  })
  .readonly();
export type Limits = z.infer<typeof Limits>;

/** The limits that are numbers, in the order they are printed. */
export const LIMITS = [
  "wallMs",
  "cpuSeconds",
  "memoryBytes",
  "processes",
  "fileBytes",
  "openFiles",
  "outputBytes",
  "scratchBytes",
] as const;

/** The name of a limit that is a number. */
export type LimitName = (typeof LIMITS)[number];

/** The lower of each bound; strict when either is. */
export function meetLimits(a: Limits, b: Limits): Limits {
  const met: { -readonly [Name in keyof Limits]: Limits[Name] } = {};
  for (const name of LIMITS) {
    const lower = Math.min(a[name] ?? Infinity, b[name] ?? Infinity);
    if (lower !== Infinity) met[name] = lower;
  }
  if (a.strict === true || b.strict === true) met.strict = true;
  return met;
}

/** The one spelling: known names in order, `strict` only when it is true. */
export function normalLimits(limits: Limits): Limits {
  return meetLimits(limits, {});
}

/** The first limit that `a` sets higher than `b` (or leaves out), or null. */
export function limitAbove(a: Limits, b: Limits): LimitName | "strict" | null {
  for (const name of LIMITS) if ((a[name] ?? Infinity) > (b[name] ?? Infinity)) return name;
  return b.strict === true && a.strict !== true ? "strict" : null;
}
