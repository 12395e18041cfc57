import { CofferdamError, thrownText } from "../errors.ts";
import type { Captured } from "../host/launch/output.ts";
import type { HasAnswer } from "../policy/call-answer.ts";
import type { Denial } from "../policy/denial.ts";
import type { NotRun } from "../policy/not-run.ts";
import type { ReviewRecord } from "../policy/review-record.ts";
import type { Receipt } from "./receipt.ts";

/**
 * The result of a call that ran. `code` is the exit status, 128+n after signal n. Each stream keeps at most
 * `limits.output`, by default 64 MiB; output that went to a sink is not kept.
 */
export interface Ran extends HasAnswer {
  readonly code: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly receipt: Receipt;
  readonly durationMs: number;
  /** Acts that the sandbox denied, or may have; left out if none is known. */
  readonly denials?: readonly Denial[];
  /** The review that allowed it; left out if no reviewer did. */
  readonly review?: ReviewRecord;
}

/** A call of an unknown tool, or with an input that the tool does not take (a `CofferdamError`, `USAGE`): nothing ran. */
export interface InvalidCall extends HasAnswer {
  readonly kind: "failed";
  readonly error: unknown;
  readonly durationMs: number;
}

/**
 * The outcome of a program. `done` is status 0, `failed` another status, or an invalid call. `timed-out` is the wall
 * time of the program, however long its output is read. `not-found`: there is no such program. `denied` means nothing
 * ran, `pending` nothing ran yet. A denial is a value: a model reads it.
 */
export type ProgramOutcome =
  | ({ readonly kind: "done" } & Ran)
  | ({ readonly kind: "failed" } & Ran)
  | ({ readonly kind: "timed-out" } & Ran)
  | ({
      readonly kind: "not-found";
      readonly code: 127;
      readonly reason: string;
      readonly hint: string;
    } & HasAnswer)
  | InvalidCall
  | NotRun;

/** The outcome of a tool that returns a value. `failed` holds the thrown value, a `CofferdamError` if it is ours. */
export type ValueOutcome<Value = unknown> =
  | ({
      readonly kind: "done";
      readonly value: Value;
      readonly receipt: Receipt;
      readonly durationMs: number;
      readonly review?: ReviewRecord;
    } & HasAnswer)
  | ({
      readonly kind: "failed";
      readonly error: unknown;
      readonly receipt: Receipt | null;
      readonly durationMs: number;
      readonly review?: ReviewRecord;
    } & HasAnswer)
  | NotRun;

/** The outcome of a call of any tool. */
export type Outcome = ProgramOutcome | ValueOutcome;

/** Why a call did not run or has no result, for a person: the reason and the next thing to do, which may be empty. */
export function whyNotRun(outcome: Exclude<ProgramOutcome, Ran>): {
  readonly reason: string;
  readonly hint: string;
} {
  if (outcome.kind !== "failed") return outcome;
  const { error } = outcome;
  return {
    reason: thrownText(error),
    hint: (error instanceof CofferdamError ? error.hint : undefined) ?? "",
  };
}
