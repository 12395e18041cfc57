import { z } from "zod";
import { Age, Duration, Size } from "../profile/quantity.ts";
import { Mode, RuleOrder } from "./action.ts";
import { Channels, StoreSetting } from "./approval-channels.ts";
import { RiskDefaults } from "./risk.ts";
import { OperatorToolRule, ToolRule } from "./tool-rule.ts";

/** What happens when nobody answers in time: the call fails, it is a no, or the question has no end. */
export const OnTimeout = z.enum(["error", "deny", "wait"]);
export type OnTimeout = z.infer<typeof OnTimeout>;

/** Whether a call waits for its answer. */
export const WaitStyle = z.enum(["block", "suspend"]);
export type WaitStyle = z.infer<typeof WaitStyle>;

/** The most rules of one layer. */
const MOST_RULES = 10_000;

const Rules = z.array(ToolRule).max(MOST_RULES).default([]);

const AgentName = z
  .string()
  .regex(/^[^*]+$/, "an agent's name has no `*`: rules name several agents by their own `agents`");

/** `approval:` of cofferdam.yaml. */
export const ApprovalSection = z.strictObject({
  mode: Mode.default("interactive"),
  order: RuleOrder.default("last-match"),
  rules: Rules,
  /** For calls that no rule covers and whose tool says nothing itself. */
  risk_defaults: RiskDefaults.prefault({}),
  /** Further rules for calls of one agent: a layer of their own. */
  agents: z
    .record(AgentName, z.strictObject({ order: RuleOrder.default("last-match"), rules: Rules }))
    .default({}),
  timeout: Duration.default(300_000),
  /** What happens after `timeout`. Without it a call that stands still fails, and one that is run later has `keep`. */
  on_timeout: OnTimeout.optional(),
  /** So long a call that is run later can be answered. */
  keep: Age.default(7 * 24 * 3_600_000),
  /** A call stands still until the answer, or ends as pending and is run later. */
  wait: WaitStyle.default("block"),
  store: StoreSetting.default("sqlite"),
  channels: Channels.prefault({}),
  /** So many questions of one session, and of one MCP token, may wait for an answer at once. */
  most_pending: z.int().min(1).default(20),
  /** So much may be kept for them meanwhile: inputs, and what people look at. */
  most_pending_size: Size.default(64 * 1024 ** 2),
});
export type ApprovalSection = z.infer<typeof ApprovalSection>;

/** Nothing is said: what an empty `approval:` means. */
export const DEFAULT_APPROVAL: ApprovalSection = ApprovalSection.parse({});

/** A rule of an operator on command lines: it asks or denies. */
const OperatorShellRule = z.strictObject({
  shell: z.string().min(1),
  action: z.enum(["ask", "deny"]),
  reason: z.string().optional(),
  match: z.array(z.string()).max(64).optional(),
  not_match: z.array(z.string()).max(64).optional(),
});

/** A rule of an operator: it asks or denies, for a tool by `pattern` or for a command line by `shell`. */
export const OperatorRule = z.union([OperatorToolRule, OperatorShellRule], {
  error: "an operator's rule is `{ pattern | shell, action: ask | deny }`: an operator can only tighten",
});
export type OperatorRule = z.infer<typeof OperatorRule>;

/** `approval:` of an operator file. A field left out says nothing. */
export const OperatorApprovalSection = z.strictObject({
  rules: z.array(OperatorRule).max(MOST_RULES).default([]),
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
