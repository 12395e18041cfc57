/** The result of work in steps, run without pauses. Throws the errors of a step. */
export function allSteps<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
