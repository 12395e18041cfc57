import type { ErrorCode } from "../errors.ts";
import type { Captured } from "../host/output.ts";
import type { Denial } from "./denial.ts";
import type { Receipt } from "./receipt.ts";

/**
 * How a call ended, once it ran. `code` is the program's own status, 128+n after signal n. Of each stream at most
 * `limits.output` is held, or 64 MiB where that says nothing; what was handed to a sink is not held.
 */
export interface Ran {
  readonly code: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly receipt: Receipt;
  readonly durationMs: number;
  /** What the walls kept from it, or may have; left out where nothing is known to have been. */
  readonly denials?: readonly Denial[];
}

/** A call that did not run: nothing of it happened. */
export type Stopped =
  | {
      readonly kind: "pending";
      readonly code: "APPROVAL_PENDING";
      readonly approvalId: string;
      readonly reason: string;
      readonly hint: string;
    }
  | {
      readonly kind: "denied";
      readonly code: ErrorCode;
      readonly reason: string;
      readonly hint: string;
      /** Of a file tool, what the profile does not give. */
      readonly denials?: readonly Denial[];
    };

/**
 * What became of a program. `done` is status 0, `failed` another status or a program that is not there (127), `timed-out`
 * is the wall time of the program, however long its output is read, `denied` means that nothing ran, `pending` that
 * nothing ran yet. A denial is a value: a model reads it.
 */
export type ProgramOutcome =
  | ({ readonly kind: "done" } & Ran)
  | ({ readonly kind: "failed" } & Ran)
  | ({ readonly kind: "timed-out" } & Ran)
  | { readonly kind: "not-found"; readonly code: 127; readonly reason: string; readonly hint: string }
  | Stopped;

/** What became of a tool that answers with a value. `failed` holds what it threw, a `CofferdamError` where it is ours. */
export type ValueOutcome<Value = unknown> =
  | { readonly kind: "done"; readonly value: Value; readonly receipt: Receipt; readonly durationMs: number }
  | {
      readonly kind: "failed";
      readonly error: unknown;
      readonly receipt: Receipt | null;
      readonly durationMs: number;
    }
  | Stopped;

/**
 * What stands between a call and its run, where it was only asked about. `allowed`: nobody has to be asked. `approved`:
 * somebody has said yes to exactly this call, and it runs once where it is made under that id. `pending`: the question is
 * kept, and whoever may can answer it. `denied`: it will not run.
 */
export type CallClearance =
  | { readonly kind: "allowed" }
  | { readonly kind: "approved"; readonly approvalId: string }
  | Stopped;

/** What became of a call of any tool. */
export type Outcome = ProgramOutcome | ValueOutcome;
