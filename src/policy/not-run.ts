import type { ErrorCode } from "../errors.ts";
import type { CallAnswer } from "./call-answer.ts";
import type { Denial } from "./denial.ts";
import { DENIALS, type DeniedBy } from "./denied-by.ts";

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
      /** The next thing to do, for a person. `toolResult` has the words for a model. */
      readonly hint: string;
      /** The words for a model, where they differ from those of its author, or from the hint. */
      readonly advice?: string;
      /** The author of the denial; left out if the profile or the sandbox did. */
      readonly deniedBy?: DeniedBy;
      /** The approval, if what was denied is the input that it put in place of the call's own. */
      readonly answer?: CallAnswer;
      /** For a file tool: accesses that the profile does not allow. */
      readonly denials?: readonly Denial[];
    };

/** A denial by the approval layer; `more` replaces parts of what its kind says. */
export function denied(
  deniedBy: DeniedBy,
  reason: string,
  more: { readonly code?: "APPROVAL_DENIED"; readonly hint?: string; readonly advice?: string } = {},
) {
  const { code, hint } = DENIALS[deniedBy];
  return { kind: "denied", code, reason, hint, deniedBy, ...more } as const;
}

/**
 * Whether a call may run, without running it. `allowed`: no approval is needed. `approved`: a person approved exactly
 * this call, and it runs once if it is made under that id. `pending`: the request is stored and waits for an answer.
 */
export type CheckResult =
  | { readonly kind: "allowed" }
  | { readonly kind: "approved"; readonly approvalId: string }
  | NotRun;
