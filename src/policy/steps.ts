/** What work in steps comes to where nothing else has its turn in between. Throws what a step throws. */
export function allSteps<Result>(steps: Iterator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
