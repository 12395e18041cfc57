import { z } from "zod";

/** What a rule says about a call. */
export const Action = z.enum(["allow", "ask", "deny"]);
export type Action = z.infer<typeof Action>;

/** How an ask is answered: by a person, by yes, or by no. */
export const Mode = z.enum(["interactive", "approve_all", "strict"]);
export type Mode = z.infer<typeof Mode>;

/** One rule on tool names: `*` is any run of characters. */
export const ToolRule = z.strictObject({
  pattern: z.string().min(1),
  action: Action,
  reason: z.string().optional(),
});
export type ToolRule = z.infer<typeof ToolRule>;

/** `approval:` of cofferdam.yaml. */
export const ApprovalSection = z.strictObject({
  mode: Mode.default("interactive"),
  order: z.enum(["last-match", "first-match", "strictest"]).default("last-match"),
  rules: z.array(ToolRule).default([]),
});
export type ApprovalSection = z.infer<typeof ApprovalSection>;

/** A rule of an operator: it asks or denies, for a tool by `pattern` or for a command line by `shell`. */
export const OperatorRule = z.union(
  [
    z.strictObject({
      pattern: z.string().min(1),
      action: z.enum(["ask", "deny"]),
      reason: z.string().optional(),
    }),
    z.strictObject({
      shell: z.string().min(1),
      action: z.enum(["ask", "deny"]),
      reason: z.string().optional(),
    }),
  ],
  { error: "an operator's rule is `{ pattern | shell, action: ask | deny }`: an operator can only tighten" },
);
export type OperatorRule = z.infer<typeof OperatorRule>;

/** `approval:` of an operator file. A field left out says nothing. */
export const OperatorApprovalSection = z.strictObject({
  rules: z.array(OperatorRule).default([]),
  modes: z.array(Mode).optional(),
  session_grants: z.boolean().optional(),
});
export type OperatorApprovalSection = z.infer<typeof OperatorApprovalSection>;

/** What all operator files together say about approval. */
export interface OperatorApproval {
  readonly rules: readonly OperatorRule[];
  readonly modes: readonly Mode[];
  readonly sessionGrants: boolean;
}

/** No operator says anything: the unit of `meetApproval`. */
export const NO_OPERATOR: OperatorApproval = { rules: [], modes: Mode.options, sessionGrants: true };

/** Both operators' words: every rule of either, the modes that both allow, session grants only where both do. */
export function meetApproval(a: OperatorApproval, b: OperatorApproval): OperatorApproval {
  return {
    rules: [...a.rules, ...b.rules],
    modes: a.modes.filter((mode) => b.modes.includes(mode)),
    sessionGrants: a.sessionGrants && b.sessionGrants,
  };
}

/** One file's section as the model has it. */
export function operatorApproval(section: OperatorApprovalSection | undefined): OperatorApproval {
  if (section === undefined) return NO_OPERATOR;
  return {
    rules: section.rules,
    modes: section.modes ?? Mode.options,
    sessionGrants: section.session_grants ?? true,
  };
}
