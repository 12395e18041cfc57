import { setImmediate as nextTurn } from "node:timers/promises";

/** Work on less, in characters, is done before anybody notices. */
export const MAX_AT_ONCE = 16 * 1024;

/** Between two steps of work on so many characters: everything else that waits in this process has its turn. */
export async function otherTurns(characters = Number.POSITIVE_INFINITY): Promise<void> {
  if (characters > MAX_AT_ONCE) await nextTurn();
}

/** Does work in steps; between two of them everything else has its turn. Throws what a step throws. */
export async function inTurns<Result>(steps: Iterator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
