import { type Change, changesSince, secretsIn, survey, type Watch } from "./audit.ts";
import { type Kernel, LIKELY } from "./kernel.ts";
import { type Judge, perform } from "./perform.ts";
import type { Result, Syscall } from "./syscall.ts";
import { copyOf, type World } from "./world.ts";

/** One call of a run and how it ended. */
export interface Step {
  readonly call: Syscall;
  readonly result: Result;
}

/** What went wrong in a run; `step` counts from 0 and is the first at which it was so. */
export interface Audit {
  readonly seen: readonly { readonly secret: string; readonly step: number }[];
  readonly changed: readonly (Change & { readonly step: number })[];
}

/** Calls that were made one after another, and what came of them. */
export interface Run {
  readonly log: readonly Step[];
  readonly audit: Audit;
  /** The world after the last call; the one at the start is as it was. */
  readonly world: World;
}

/**
 * Makes calls one after another in a copy of a world, and looks after each whether a secret was given away or a protected
 * path changed, so that a change that is taken back later counts, too.
 */
export function runSequence(
  start: World,
  calls: readonly Syscall[],
  judge: Judge,
  { kernel = LIKELY, watch = {} }: { readonly kernel?: Kernel; readonly watch?: Watch } = {},
): Run {
  const world = copyOf(start);
  const before = survey(world, watch);
  const log: Step[] = [];
  const seen = new Map<string, Audit["seen"][number]>();
  const changed = new Map<string, Audit["changed"][number]>();
  for (const [step, call] of calls.entries()) {
    const { version } = world;
    const result = perform(world, call, judge, kernel);
    log.push({ call, result });
    if (result.kind !== "done") continue;
    for (const secret of secretsIn(result.returned, watch))
      if (!seen.has(secret)) seen.set(secret, { secret, step });
    if (world.version === version) continue;
    for (const change of changesSince(before, world)) {
      const key = `${change.aspect} ${change.path}`;
      if (!changed.has(key)) changed.set(key, { ...change, step });
    }
  }
  return { log, audit: { seen: [...seen.values()], changed: [...changed.values()] }, world };
}
