import type { CofferdamError } from "../errors.ts";
import type { EndedCall } from "../journal/call-log.ts";
import type { NotRun } from "../policy/not-run.ts";

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
export function stopBy({ code, message, hint = "" }: CofferdamError): NotRun {
  return { kind: "denied", code, reason: message, hint };
}
