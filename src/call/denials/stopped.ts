import type { Ended } from "../../host/launch/run-options.ts";
import type { Denial } from "../../policy/denial.ts";
import { CallsStoppedError } from "../config-watch.ts";

/** Why a program was stopped, if no call may run any longer; null if its caller or anything else ended it. */
export function whyStopped(
  { cause }: Pick<Ended, "cause">,
  signal: AbortSignal | undefined,
): CallsStoppedError | null {
  const reason: unknown = signal?.reason;
  return cause === "aborted" && reason instanceof CallsStoppedError ? reason : null;
}

/** The denial that tells it. */
export function stoppedDenials(why: CallsStoppedError | null): readonly Denial[] {
  if (why === null) return [];
  const { message, hint = "" } = why;
  const target = "the command to its end";
  return [{ operation: "run", target, certainty: "certain", because: message, remedy: hint }];
}
