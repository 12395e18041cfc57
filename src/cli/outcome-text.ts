import { ERRORS } from "../errors.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { tellThree } from "./failure.ts";
import type { Print } from "./print.ts";
import type { KeptOutput } from "./tool-output.ts";

/** The exit status for an outcome: the program's own, or the one of what kept it from running. */
export function exitOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case "done":
    case "failed":
    case "not-found":
      return outcome.code;
    case "timed-out":
      return ERRORS.WALL_TIME.exit;
    case "pending":
    case "denied":
      return ERRORS[outcome.code].exit;
  }
}

/** Tells a person what they would not see in the program's own output; mostly nothing. */
export function tellOutcome(outcome: Outcome, print: Print): void {
  switch (outcome.kind) {
    case "denied":
      tellThree(print, `denied: ${outcome.reason}`, null, outcome.hint);
      return;
    case "pending":
      tellThree(print, `waiting for an answer: ${outcome.reason}`, null, outcome.hint);
      return;
    case "not-found":
      tellThree(print, outcome.reason, null, outcome.hint);
      return;
    case "timed-out":
      tellThree(
        print,
        "the wall time ran out, so the command was ended",
        null,
        "raise `sandbox.limits.wall`, or the profile's that is lower",
      );
      break;
    case "done":
    case "failed":
  }
  const dropped = outcome.stdout.droppedBytes + outcome.stderr.droppedBytes;
  if (dropped > 0)
    tellThree(print, `${dropped} bytes of output were dropped`, null, "raise `sandbox.limits.output`");
  for (const change of outcome.receipt.mountChanges)
    tellThree(
      print,
      `while the command ran, ${change}`,
      null,
      "run it again when nothing else changes these files",
    );
}

/** An outcome as JSON: what became of the call, its output, and its receipt. */
export function outcomeJson(outcome: Outcome, output: KeptOutput): unknown {
  const exit = exitOf(outcome);
  if (!("receipt" in outcome)) {
    const { kind, code, reason, hint } = outcome;
    return { outcome: { kind, code, reason, hint }, exit };
  }
  const { kind, code, durationMs, receipt, stdout, stderr } = outcome;
  return {
    outcome: { kind, code, durationMs },
    exit,
    stdout: output.kept("stdout", stdout.droppedBytes),
    stderr: output.kept("stderr", stderr.droppedBytes),
    receipt,
  };
}
