import { setImmediate as nextTurn } from "node:timers/promises";
import type { MountPlan } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import { type Discrepancy, discrepancies, MountWatch, observe } from "./proof.ts";
import type { Surroundings } from "./surroundings.ts";

/** Milliseconds that a filter may take to come into force. */
const FILTER_MS = 20_000;

/** Milliseconds that a start program may take to come to rest. */
const SETTLE_MS = 1_000;

/** Number of looks at it until then: if this process or the machine was held up, the start program was as well. */
const SETTLE_LOOKS = 50;

/**
 * Compares the waiting start program in `/proc` with the plan. The start program is the sandbox's first process. It
 * must have its filter: the launcher set its parent-death signal before that, so from then on both die with the
 * supervisor. Returns the compared mount table, for further looks. Throws `SANDBOX_UNAVAILABLE` for any difference.
 */
export async function prove(
  init: number,
  plan: MountPlan,
  cover: string | null,
  surroundings: Surroundings,
): Promise<MountWatch> {
  const watch = new MountWatch(init);
  try {
    const [first, ...others] = await compareWithPlan(init, plan, surroundings, cover, watch);
    if (first === undefined) return watch;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    throw unavailable(`the sandbox differs from the plan: ${first.message}${more}`);
  } catch (cause) {
    watch[Symbol.dispose]();
    throw cause instanceof CofferdamError
      ? cause
      : unavailable("the sandbox could not be inspected", "run `cofferdam doctor`", cause);
  }
}

/** Looks until the filter is in force and a start program has come to rest: only a lasting difference counts. */
async function compareWithPlan(
  startPid: number,
  { expects }: MountPlan,
  surroundings: Surroundings,
  cover: string | null,
  watch: MountWatch,
): Promise<readonly Discrepancy[]> {
  const began = performance.now();
  for (let looks = 1; ; looks += 1) {
    const seen = observe(startPid, expects, cover);
    const waited = performance.now() - began;
    if (seen.status.get("Seccomp") === "2") {
      const found = discrepancies(expects, seen, surroundings.namespaces, watch.read());
      const isSettled = waited > SETTLE_MS && looks > SETTLE_LOOKS;
      if (isSettled || found.every((one) => one.protection !== "descriptors")) return found;
    } else if (waited > FILTER_MS) throw unavailable("no system call filter became active");
    await nextTurn();
  }
}

function unavailable(message: string, hint = "run `cofferdam doctor`", cause?: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint, cause });
}
