import type { GrantKey } from "../policy/grant.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Verdict } from "../policy/verdict.ts";

/** Which call a gate is asked about. */
export interface Asker {
  readonly callId: string;
  readonly tool: string;
  readonly agent: string | null;
  readonly groupId: string | null;
}

/** What people are shown of a call. */
export type Shown = Pick<
  ApprovalRequest,
  "risk" | "description" | "safeArgs" | "redactions" | "covers" | "granted"
>;

/** One call as it was decided, and how to show it to people. */
export interface Question {
  readonly verdict: Verdict;
  /** SHA-256 of what exactly would run. */
  readonly argsHash: string;
  readonly grantKey: GrantKey;
  /** The group that the tool itself puts the call in; counts where the caller names none. */
  readonly groupId: string | null;
  /** Made only when somebody will be asked. */
  readonly show: () => Shown;
  /** Made only when somebody looks. */
  readonly present: () => Promise<Presentation>;
}

/** Whether a call may run now. `isByYes`: it gets what a yes grants. */
export type Passage<Asked> =
  | {
      readonly kind: "permitted";
      readonly asked: Asked;
      readonly isByYes: boolean;
      readonly approvalId: string | null;
      /** Who said yes to this call; null where nobody was asked. */
      readonly by: string | null;
    }
  | {
      readonly kind: "denied";
      readonly code: "APPROVAL_BLOCKED" | "APPROVAL_DENIED" | "APPROVAL_TIMEOUT" | "FACTS_UNSTABLE";
      readonly reason: string;
      readonly hint: string;
    }
  | { readonly kind: "pending"; readonly approvalId: string; readonly reason: string; readonly hint: string };
