import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";

const bound = z.number().nonnegative().exactOptional();

/**
 * Bounds of one call; a missing one is unlimited. `strict` refuses a call whose limits this machine cannot
 * enforce. Units stand in the names; `wallMs` is real time, `cpuSeconds` is one process's processor time
 * (at the end of either it is asked to end, a second later it is ended), `memoryBytes` and `processes` speak of the whole tree (threads count as processes, our own at the gate does not),
 * `fileBytes` of one file, `openFiles` of one process. `scratchBytes` is what `/tmp` may hold, and the most that `/dev/shm`
 * may; `sharedMemoryBytes` is for `/dev/shm` alone. Through the egress proxy there are `connections` at once, each for
 * `connectionMs` at the most, and `transferBytes` are sent and received in all.
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
    sharedMemoryBytes: bound,
    connections: bound,
    transferBytes: bound,
    connectionMs: bound,
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
  "sharedMemoryBytes",
  "connections",
  "transferBytes",
  "connectionMs",
] as const;

/** The name of a limit that is a number. */
export type LimitName = (typeof LIMITS)[number];

/** The lower of each bound; strict when either is. Throws `USAGE` for bounds that are none. */
export function meetLimits(a: Limits, b: Limits): Limits {
  const met: { -readonly [Name in keyof Limits]: Limits[Name] } = {};
  for (const name of LIMITS) {
    const lower = Math.min(boundOf(a, name), boundOf(b, name));
    if (lower !== Infinity) met[name] = lower;
  }
  if (isStrict(a) || isStrict(b)) met.strict = true;
  return met;
}

/**
 * The one spelling: known names in order, `strict` only when it is true. Throws `USAGE` for names and bounds that are
 * none.
 */
export function normalLimits(limits: Limits): Limits {
  const foreign = Object.keys(limits).find((name) => !Object.hasOwn(Limits.unwrap().shape, name));
  if (foreign !== undefined)
    throw new CofferdamError("USAGE", `there is no limit ${visible(foreign)}`, {
      hint: `the limits are ${LIMITS.join(", ")} and strict`,
    });
  return meetLimits(limits, {});
}

/** The first limit that `a` sets higher than `b` (or leaves out), or null. Throws `USAGE` for bounds that are none. */
export function limitAbove(a: Limits, b: Limits): LimitName | "strict" | null {
  for (const name of LIMITS) if (boundOf(a, name) > boundOf(b, name)) return name;
  return isStrict(b) && !isStrict(a) ? "strict" : null;
}

/** A bound made by hand may be anything; what does not compare like a number would pass for one that is kept. */
function boundOf(limits: Limits, name: LimitName): number {
  const bound = limits[name];
  if (bound === undefined) return Infinity;
  if (Number.isFinite(bound) && bound >= 0) return bound;
  throw new CofferdamError("USAGE", `the limit \`${name}\` is ${visible(String(bound))}, which is no bound`, {
    hint: "give a finite number that is not below 0, or leave it out for no limit",
  });
}

function isStrict({ strict }: Limits): boolean {
  if (strict === undefined || typeof strict === "boolean") return strict === true;
  throw new CofferdamError("USAGE", `\`strict\` is ${visible(String(strict))}`, {
    hint: "write `true` or `false`",
  });
}
