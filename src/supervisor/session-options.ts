import { z } from "zod";
import { HANDLERS, type Handlers, handlersOf, isHandlers } from "../approval/handlers.ts";
import type { GateOptions } from "../approval/questions.ts";
import { Wait, waitOf } from "../approval/wait.ts";
import type { Call } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { having, type OptionsOf } from "./options.ts";
import type { Shared } from "./shared.ts";

/** How a session asks, and for whom. */
export interface SessionOptions {
  /**
   * Who is asked: one or several handlers, of which the first answer counts, or a function. Without any an ask is
   * answered no: silence is never a yes.
   */
  readonly handler?: Handlers;
  /** Whether the calls are an agent's, or typed by the person who runs this. */
  readonly caller?: Call["caller"];
  /** Which agent, by the name that rules know. Never anything that a model said. */
  readonly agent?: string;
  /** How long a call waits for its answer, instead of what the config says. */
  readonly wait?: Partial<Wait>;
  /**
   * Whose calls they are, where a supervisor serves several who are not trusted alike. What waits of one client is bounded over all
   * its sessions, also across restarts.
   */
  readonly client?: string;
  /** So many questions may wait at once, instead of what the config says; null: any number. */
  readonly mostPending?: number | null;
  /** False: a yes is for one call, never for the session. */
  readonly remember?: boolean;
  /** What becomes of a function tool that says nothing of approval and that no rule covers. */
  readonly legacyBareTools?: "ask" | "run";
  /** Tools of the host's own, beside ours: functions, or programs that run inside walls. */
  readonly tools?: readonly DefinedTool[];
}

/** How the same is checked when it comes from JavaScript. */
export const SESSION_OPTIONS: OptionsOf<SessionOptions> = z.strictObject({
  handler: z.custom<object>(isHandlers, { error: HANDLERS }).optional(),
  caller: z.enum(["agent", "person"], { error: "`agent` or `person`" }).optional(),
  agent: z.string({ error: "a name, as a text" }).min(1, { error: "a name, as a text" }).optional(),
  client: z.string({ error: "a name, as a text" }).min(1, { error: "a name, as a text" }).optional(),
  wait: WaitOptions().optional(),
  mostPending: z.int().min(1, { error: "a number of questions, or null" }).nullable().optional(),
  remember: z.boolean({ error: "`true` or `false`" }).optional(),
  legacyBareTools: z.enum(["ask", "run"], { error: "`ask` or `run`" }).optional(),
  tools: z.array(having("a tool, as `defineTool` makes it", "use"), { error: "a list of tools" }).optional(),
});

function WaitOptions() {
  const error = '`{ timeoutMs, onTimeout: "error" | "deny" | "wait", style: "block" | "suspend" }`';
  return z.custom<object>((given) => Wait.unwrap().partial().safeParse(given).success, { error });
}

/** The gate of a session: what its options say, else what the config says. */
export function gateOptionsOf(shared: Shared, sessionId: string, options: SessionOptions): GateOptions {
  const { broker, host, loaded, recorder, standing } = shared;
  const { approval } = standing.config;
  return {
    broker,
    host,
    runId: recorder.runId,
    sessionId,
    project: loaded.config.workspace,
    handlers: handlersOf(options.handler),
    wait: waitOf(options.wait ?? {}, approval),
    client: options.client ?? null,
    mostPending: options.mostPending === undefined ? approval.most_pending : options.mostPending,
    mostPendingBytes: approval.most_pending_size,
    sessionGrants: standing.ceiling.approval.sessionGrants && options.remember !== false,
  };
}
