import { z } from "zod";
import type { GateOptions } from "../approval/gate-options.ts";
import { HANDLERS, type Handlers, handlersOf, isHandlers } from "../approval/handlers.ts";
import { SessionBudget } from "../approval/session-budget.ts";
import { Wait, waitOf } from "../approval/wait.ts";
import { rulesIn } from "../decide/meet-policies.ts";
import { flag, nonEmptyText, type OptionsOf } from "../policy/options.ts";
import { meetBudgets } from "../policy/unasked-budget.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { DEFINED_TOOLS } from "../tool/defined-tools.ts";
import type { SupervisorWatch } from "./supervisor-context.ts";

/** How a session asks people, and for which agent. */
export interface SessionOptions {
  /**
   * A function, or one or several handlers, of which the first answer counts. Without any, a request is rejected:
   * silence never approves.
   */
  readonly handler?: Handlers;
  /** Whether an agent makes the calls, or the person who runs this types them. */
  readonly caller?: "agent" | "person";
  /** The agent's name, as rules know it. Never a text from a model. */
  readonly agent?: string;
  /** Maximum wait of a call for its answer, instead of the config's. */
  readonly wait?: Partial<Wait>;
  /**
   * The client, if a supervisor serves several with different trust. Its pending requests are bounded over all its
   * sessions, also across restarts.
   */
  readonly client?: string;
  /** Maximum of pending requests, instead of the config's; null: no limit. */
  readonly maxPending?: number | null;
  /** False: an approval is for one call, never for the session. */
  readonly remember?: boolean;
  /** The action for a function tool without an approval setting that no rule covers. */
  readonly legacyBareTools?: "ask" | "run";
  /** The host's own tools: functions, or programs that run in a sandbox. */
  readonly tools?: readonly DefinedTool[];
}

/** Checks options that come from JavaScript. */
export const SESSION_OPTIONS: OptionsOf<SessionOptions> = z.strictObject({
  handler: z.custom<object>(isHandlers, { error: HANDLERS }).optional(),
  caller: z.enum(["agent", "person"], { error: "`agent` or `person`" }).optional(),
  agent: nonEmptyText("a name (a string)").optional(),
  client: nonEmptyText("a name (a string)").optional(),
  wait: WaitOptions().optional(),
  maxPending: z.int().min(1, { error: "a number of requests, or null" }).nullable().optional(),
  remember: flag().optional(),
  legacyBareTools: z.enum(["ask", "run"], { error: "`ask` or `run`" }).optional(),
  tools: DEFINED_TOOLS.optional(),
});

function WaitOptions() {
  const error = '`{ timeoutMs, onTimeout: "error" | "deny" | "wait", style: "block" | "suspend" }`';
  return z.custom<object>((given) => Wait.unwrap().partial().safeParse(given).success, { error });
}

/** The gate's options: the session's own, else the config's. */
export function gateOptionsOf(
  watch: Pick<SupervisorWatch, "shared">,
  sessionId: string,
  options: SessionOptions,
  reviewer: GateOptions["reviewer"] = null,
): GateOptions {
  const { broker, host, loaded, recorder, policy } = watch.shared;
  const { approval } = policy.config;
  return {
    broker,
    host,
    runId: recorder.runId,
    sessionId,
    project: loaded.config.workspace,
    handlers: handlersOf(options.handler),
    wait: waitOf(options.wait ?? {}, approval),
    client: options.client ?? null,
    reviewer,
    maxPending: options.maxPending === undefined ? approval.most_pending : options.maxPending,
    maxPendingBytes: approval.most_pending_size,
    get sessionGrants() {
      return watch.shared.policy.ceiling.approval.sessionGrants && options.remember !== false;
    },
    get keptRules() {
      return watch.shared.policy.ceiling.approval.keptRules && options.remember !== false;
    },
  };
}

/** A new budget of a session: the config's as it is now, and at most that of every operator. */
export function sessionBudgetOf(watch: Pick<SupervisorWatch, "shared">): SessionBudget {
  const { host } = watch.shared;
  return new SessionBudget({
    get budget() {
      const { policy } = watch.shared;
      const budgets = rulesIn(policy).map(({ config }) => config.approval.budget);
      return budgets.reduce(meetBudgets, policy.ceiling.approval.budget);
    },
    get mode() {
      const { policy } = watch.shared;
      return rulesIn(policy).find(({ mode }) => mode === "strict")?.mode ?? policy.mode;
    },
    now: () => host.now(),
  });
}
