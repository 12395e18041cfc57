import type { CofferdamError } from "../errors.ts";
import type { EndedCall } from "../journal/call-log.ts";
import type { NotRun } from "../policy/not-run.ts";
import { CallsStoppedError } from "./config-watch.ts";

/** Ends a call that was stopped; a denial is recorded with its code. */
export function endStopped<Stop extends NotRun>(stop: Stop): EndedCall<Stop> {
  const { kind, code, reason } = stop;
  const recorded = kind === "denied" ? `${code}: ${reason}` : reason;
  return { kind: "ended", outcome: stop, end: { outcome: kind, reason: recorded } };
}

/** Ends a call that is denied because of an error. */
export function endDeniedBy(error: CofferdamError): EndedCall<NotRun> {
  return endStopped(stopBy(error));
}

/** The denial that an error means. */
export function stopBy(error: CofferdamError): NotRun {
  const { code, message, hint = "" } = error;
  const advice = error instanceof CallsStoppedError ? { advice: NO_CALL_RUNS } : {};
  return { kind: "denied", code, reason: message, hint, ...advice };
}

/** The hint is on the file, which only the user can change. */
const NO_CALL_RUNS =
  "tell the user: no call runs until they have repaired or trusted the config. Repeating it helps only after that.";
