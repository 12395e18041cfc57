import { CofferdamError, type Outcome } from "../../../src/index.ts";

/** What a tool answered with, or the code of what it did not do. */
export function toldOf(outcome: Outcome): unknown {
  if (outcome.kind === "done" && "value" in outcome) return outcome.value;
  if (outcome.kind === "failed" && "error" in outcome)
    return outcome.error instanceof CofferdamError ? outcome.error.code : outcome.error;
  return "code" in outcome ? outcome.code : null;
}
