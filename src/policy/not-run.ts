import type { ErrorCode } from "../errors.ts";
import type { Denial } from "./denial.ts";

/** A call that did not run and had no effect. `pending`: it waits for an answer under its id. */
export type NotRun<Code extends ErrorCode = ErrorCode> =
  | {
      readonly kind: "pending";
      readonly code: "APPROVAL_PENDING";
      readonly approvalId: string;
      readonly reason: string;
      readonly hint: string;
    }
  | {
      readonly kind: "denied";
      readonly code: Code;
      readonly reason: string;
      readonly hint: string;
      /** For a file tool: accesses that the profile does not allow. */
      readonly denials?: readonly Denial[];
    };

/**
 * Whether a call may run, without running it. `allowed`: no approval is needed. `approved`: a person approved exactly
 * this call, and it runs once if it is made under that id. `pending`: the request is stored and waits for an answer.
 */
export type CheckResult =
  | { readonly kind: "allowed" }
  | { readonly kind: "approved"; readonly approvalId: string }
  | NotRun;
