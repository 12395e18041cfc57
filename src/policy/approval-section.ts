import { z } from "zod";
import { Age, Duration, Size } from "../profile/quantity.ts";
import { commandExamples, doubtSetting } from "../shell/rule.ts";
import { Mode, RuleOrder } from "./action.ts";
import { Channels, StoreSetting } from "./approval-channels.ts";
import { ReviewerSection } from "./reviewer-section.ts";
import { RiskDefaults } from "./risk.ts";
import { OperatorToolRule, ToolRule } from "./tool-rule.ts";
import { meetBudgets, NO_BUDGET, UnaskedBudget } from "./unasked-budget.ts";

/** The effect of a missing answer: the call fails, the request is rejected, or it never expires. */
export const OnTimeout = z.enum(["error", "deny", "wait"]);
export type OnTimeout = z.infer<typeof OnTimeout>;

/** Whether a call waits for its answer. */
export const WaitStyle = z.enum(["block", "suspend"]);
export type WaitStyle = z.infer<typeof WaitStyle>;

const MAX_RULES = 10_000;

const Rules = z.array(ToolRule).max(MAX_RULES).default([]);

const AgentName = z
  .string()
  .regex(/^[^*]+$/, "write a name without `*`: to name several agents, use `agents` of a rule");

/** `approval:` of cofferdam.yaml. */
export const ApprovalSection = z.strictObject({
  mode: Mode.default("interactive").describe(
    "`interactive`: ask a person. `approve_all`: approve every request. `strict`: reject every request.",
  ),
  order: RuleOrder.default("last-match").describe("The rule that decides if several rules cover a call."),
  rules: Rules.meta({
    description: "Rules for tools.",
    examples: [[{ pattern: "delete_*", action: "deny" }]],
  }),
  risk_defaults: RiskDefaults.prefault({}).describe(
    "The action for calls without a matching rule or a decision of their tool.",
  ),
  agents: z
    .record(
      AgentName,
      z.strictObject({
        order: RuleOrder.default("last-match").describe(
          "The rule that decides if several rules cover a call.",
        ),
        rules: Rules.describe("Rules for tools, only for this agent."),
      }),
    )
    .default({})
    .meta({
      description: "More rules for one agent, by its name. The strictest of both layers decides.",
      examples: [{ researcher: { rules: [{ pattern: "write_*", action: "deny" }] } }],
    }),
  timeout: Duration.prefault("5m").describe("The maximum time that a call waits for an answer."),
  on_timeout: OnTimeout.optional().describe(
    "After `timeout`: the call fails (`error`), is rejected (`deny`), or continues to wait (`wait`). Default: a waiting call fails, a suspended call can be answered until `keep` ends.",
  ),
  keep: Age.prefault("7d").describe("The time during which a suspended call can be answered."),
  wait: WaitStyle.default("block").describe(
    "`block`: a call waits for the answer. `suspend`: it ends as pending, and is resumed later.",
  ),
  store: StoreSetting.default("sqlite").describe(
    "The store of requests and approvals: `memory`, a file that all processes of this user share (`sqlite`), or a Postgres database.",
  ),
  reviewer: ReviewerSection.optional().describe(
    "A program that answers requests which nothing demands a person for. It never gives a call more access.",
  ),
  channels: Channels.prefault({}).describe(
    "Channels where people answer, besides the terminal. `cofferdam serve` opens them.",
  ),
  most_pending: z
    .int()
    .min(1)
    .default(20)
    .describe("The maximum number of waiting requests of one session or MCP client."),
  most_pending_size: Size.prefault("64MiB").describe("The maximum size of their inputs and previews."),
  budget: UnaskedBudget.prefault({}).describe(
    "How much of a session runs without a question, before a person is asked whether it may continue. Reads do not count.",
  ),
});
export type ApprovalSection = z.infer<typeof ApprovalSection>;

/** The meaning of an empty `approval:`. */
export const DEFAULT_APPROVAL: ApprovalSection = ApprovalSection.parse({});

/** An operator's rule on command lines: it asks or denies. */
const OperatorShellRule = z.strictObject({
  shell: z
    .string()
    .min(1)
    .meta({
      description: "The first words of a command. With `|`, of several commands in one line: `curl | sh`.",
      examples: ["git push"],
    }),
  action: z.enum(["ask", "deny"]).describe("The action of the rule: an operator cannot allow."),
  reason: z
    .string()
    .optional()
    .meta({ description: "Shown with the request or denial.", examples: ["ask before you push"] }),
  doubt: doubtSetting("`ask`"),
  ...commandExamples("git push origin", "git pull"),
});

/** An operator's rule: it asks or denies, for a tool by `pattern` or for a command line by `shell`. */
export const OperatorRule = z.union([OperatorToolRule, OperatorShellRule], {
  error: "write `{ pattern | shell, action: ask | deny }`: an operator can't allow",
});
export type OperatorRule = z.infer<typeof OperatorRule>;

/** `approval:` of an operator file. An omitted field has no effect. */
export const OperatorApprovalSection = z.strictObject({
  rules: z
    .array(OperatorRule)
    .max(MAX_RULES)
    .default([])
    .meta({
      description: "Rules for tools (`pattern`) or command lines (`shell`).",
      examples: [[{ pattern: "delete_*", action: "deny" }]],
    }),
  modes: z
    .array(Mode)
    .optional()
    .meta({
      description: "The values of `approval.mode` that a config may use.",
      examples: [["interactive", "strict"]],
    }),
  session_grants: z.boolean().optional().describe("`false`: an approval counts once, never for the session."),
  budget: UnaskedBudget.optional().describe("A limit of `approval.budget`: the smaller of both counts."),
  reviewer: z.boolean().optional().describe("`false`: no reviewer of a config answers requests."),
  kept_rules: z
    .boolean()
    .optional()
    .describe("`false`: no approval is kept for a project, and those that were kept answer no call."),
});
export type OperatorApprovalSection = z.infer<typeof OperatorApprovalSection>;

/** The approval settings of all operator files together. */
export interface OperatorApproval {
  readonly rules: readonly OperatorRule[];
  readonly modes: readonly Mode[];
  readonly sessionGrants: boolean;
  readonly budget: UnaskedBudget;
  /** False: every request goes to a person, even if a config has a reviewer. */
  readonly reviewer: boolean;
  readonly keptRules: boolean;
}

/** The unit of `meetApproval`: no operator settings. */
export const NO_OPERATOR: OperatorApproval = {
  rules: [],
  modes: Mode.options,
  sessionGrants: true,
  budget: NO_BUDGET,
  reviewer: true,
  keptRules: true,
};

/**
 * The meet of both: all rules of either, the modes that both allow, session grants and a reviewer only if both do, the
 * lesser budget.
 */
export function meetApproval(a: OperatorApproval, b: OperatorApproval): OperatorApproval {
  return {
    rules: [...a.rules, ...b.rules],
    modes: a.modes.filter((mode) => b.modes.includes(mode)),
    sessionGrants: a.sessionGrants && b.sessionGrants,
    budget: meetBudgets(a.budget, b.budget),
    reviewer: a.reviewer && b.reviewer,
    keptRules: a.keptRules && b.keptRules,
  };
}

/** The approval settings of one file's section. */
export function operatorApproval(section: OperatorApprovalSection | undefined): OperatorApproval {
  if (section === undefined) return NO_OPERATOR;
  return {
    rules: section.rules,
    modes: section.modes ?? Mode.options,
    sessionGrants: section.session_grants ?? true,
    budget: section.budget ?? NO_BUDGET,
    reviewer: section.reviewer ?? true,
    keptRules: section.kept_rules ?? true,
  };
}
