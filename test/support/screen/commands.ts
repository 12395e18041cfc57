import type { Answer } from "../../../src/approval/handler.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import type { Presentation } from "../../../src/policy/presentation.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";

/** What the asking program is told to do. */
export type Command =
  | {
      readonly kind: "ask";
      readonly request: ApprovalRequest;
      readonly presentation: Presentation | "fails" | "never";
    }
  | { readonly kind: "ask in turn"; readonly requests: readonly ApprovalRequest[] }
  | { readonly kind: "abort"; readonly id: string }
  | { readonly kind: "grants"; readonly grants: readonly Grant[] }
  | { readonly kind: "print" | "print when free"; readonly text: string }
  | { readonly kind: "block"; readonly ms: number }
  | { readonly kind: "lend" | "give back" | "listeners" | "throw" | "exit" | "ignore hang-ups" | "end" };

/** What it reports. */
export type Report =
  | { readonly kind: "ready"; readonly pid: number }
  | { readonly kind: "answered"; readonly id: string; readonly answer: Answer }
  | { readonly kind: "rejected"; readonly id: string; readonly error: string }
  | { readonly kind: "presented"; readonly id: string }
  | { readonly kind: "revoked"; readonly grantId: string; readonly by: string }
  | { readonly kind: "listeners"; readonly listeners: Readonly<Record<string, number>> };
