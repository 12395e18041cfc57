import type { Ended } from "../../host/launch/run-options.ts";
import type { Denial } from "../../policy/denial.ts";
import { CallsStoppedError } from "../config-watch.ts";

/** The error for which a program was stopped, if no call may run any longer; null if anything else ended it. */
export function whyStopped(
  { cause }: Pick<Ended, "cause">,
  signal: AbortSignal | undefined,
): CallsStoppedError | null {
  const reason: unknown = signal?.reason;
  return cause === "aborted" && reason instanceof CallsStoppedError ? reason : null;
}

/** The denial that tells the model and the person of this error. */
export function stoppedDenials(why: CallsStoppedError | null): readonly Denial[] {
  if (why === null) return [];
  const { message, hint = "" } = why;
  const target = "the command to its end";
  return [{ operation: "run", target, certainty: "certain", because: message, remedy: hint }];
}
