import type { Approximation, Standings } from "../backend/plan.ts";
import type { ErrorCode } from "../errors.ts";
import type { Captured } from "../host/output.ts";
import type { ProfileDigest } from "../profile/canonical.ts";

/** Which protections were really in force for one launch. */
export interface Receipt {
  readonly backend: string;
  readonly version: string;
  readonly granted: ProfileDigest;
  readonly argsHash: string;
  readonly runAs: number;
  readonly standings: Standings;
  readonly approximations: readonly Approximation[];
  /** Mounts that were lost or arrived while the program ran. */
  readonly mountChanges: readonly string[];
}

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
}

/**
 * What became of a call. `done` is status 0, `failed` another status or a program that is not there (127), `timed-out`
 * is the wall time of the program, however long its output is read, `denied` means that nothing ran, `pending` that
 * nothing ran yet. A denial is a value: a model reads it.
 */
export type Outcome =
  | ({ readonly kind: "done" } & Ran)
  | ({ readonly kind: "failed" } & Ran)
  | ({ readonly kind: "timed-out" } & Ran)
  | { readonly kind: "not-found"; readonly code: 127; readonly reason: string; readonly hint: string }
  | {
      readonly kind: "pending";
      readonly code: "APPROVAL_PENDING";
      readonly approvalId: string;
      readonly reason: string;
      readonly hint: string;
    }
  | { readonly kind: "denied"; readonly code: ErrorCode; readonly reason: string; readonly hint: string };
