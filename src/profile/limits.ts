import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";

const bound = z.number().nonnegative().exactOptional();

/**
 * Bounds of one call; a missing one is unlimited. `strict` refuses a call whose limits this machine cannot enforce.
 * `wallMs` is real time, `cpuSeconds` one process's processor time; at the end of either it is asked to end, a second
 * later killed. `memoryBytes` and `processes` are for the whole tree (threads count as processes, our own at the gate
 * does not), `fileBytes` for one file, `openFiles` for one process. `scratchBytes` is the size of `/tmp`, and the
 * maximum of `/dev/shm`; `sharedMemoryBytes` is for `/dev/shm` alone. Through the egress proxy `connections` is the
 * maximum at the same time, `connectionMs` the maximum of each, and `transferBytes` the sum sent and received.
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

/** The numeric limits, in the order of printing. */
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

/** The name of a numeric limit. */
export type LimitName = (typeof LIMITS)[number];

/** The lower of each bound; strict if either is. Throws `USAGE` for invalid bounds. */
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
 * The one spelling: known names in order, `strict` only if true. Throws `USAGE` for unknown names and invalid bounds.
 */
export function normalLimits(limits: Limits): Limits {
  const foreign = Object.keys(limits).find((name) => !Object.hasOwn(Limits.unwrap().shape, name));
  if (foreign !== undefined)
    throw new CofferdamError("USAGE", `no limit is named ${visible(foreign)}`, {
      hint: `the limits are ${LIMITS.join(", ")} and strict`,
    });
  return meetLimits(limits, {});
}

/** The first limit that `a` sets higher than `b` (or leaves out), or null. Throws `USAGE` for invalid bounds. */
export function limitAbove(a: Limits, b: Limits): LimitName | "strict" | null {
  for (const name of LIMITS) if (boundOf(a, name) > boundOf(b, name)) return name;
  return isStrict(b) && !isStrict(a) ? "strict" : null;
}

/** A bound made by hand may be anything; a value that is not comparable would pass as an enforced bound. */
function boundOf(limits: Limits, name: LimitName): number {
  const bound = limits[name];
  if (bound === undefined) return Infinity;
  if (Number.isFinite(bound) && bound >= 0) return bound;
  throw new CofferdamError("USAGE", `invalid limit \`${name}\`: ${visible(String(bound))}`, {
    hint: "write a finite number of 0 or more, or leave it out for no limit",
  });
}

function isStrict({ strict }: Limits): boolean {
  if (strict === undefined || typeof strict === "boolean") return strict === true;
  throw new CofferdamError("USAGE", `invalid \`strict\`: ${visible(String(strict))}`, {
    hint: "write `true` or `false`",
  });
}
