import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Broker } from "../approval/broker.ts";
import { Gate } from "../approval/gate.ts";
import { HANDLERS, type Handlers, handlersOf, isHandlers } from "../approval/handlers.ts";
import { SessionReviewer } from "../approval/reviewer.ts";
import { SessionBudget } from "../approval/session-budget.ts";
import type { ToolPolicy } from "../approval/tool-question.ts";
import { Wait, waitOf } from "../approval/wait.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { Journal } from "../journal/journal.ts";
import { Recorder } from "../journal/recorder.ts";
import { ApprovalSection, NO_OPERATOR } from "../policy/approval-section.ts";
import type { Grant } from "../policy/grant.ts";
import { failedToolExamples } from "../policy/rule-examples.ts";
import { MemoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { type FunctionReviewer, FunctionReviewerOption, functionReviewer } from "./function-reviewer.ts";
import { GuardedTools } from "./guarded-tools.ts";

/** The settings of a gate without a supervisor. */
export interface GateSettings {
  /** `approval:` as in a config: rules, agents, mode, defaults by risk, waiting times. */
  readonly approval?: z.input<typeof ApprovalSection>;
  /** Handlers for requests. Without any, a request is rejected. */
  readonly handler?: Handlers;
  /** The agent's name, as rules know it. */
  readonly agent?: string;
  /** A function that reviews requests first. A gate alone has no sandbox for a program. */
  readonly reviewer?: FunctionReviewer;
  readonly wait?: Partial<Wait>;
  /** The action for a tool without an approval setting that no rule covers. Default `ask`. */
  readonly legacyBareTools?: "ask" | "run";
  /** The journal for events; none by default. */
  readonly journal?: Journal;
  readonly store?: Store;
}

/** The approval layer alone: function tools behind a gate, without a sandbox. Made by `createGate`. */
export class ToolGate implements Disposable {
  readonly sessionId = randomUUID();
  /** Holds the pending requests. They can be answered from any channel. */
  readonly broker: Broker;
  readonly #gate: Gate;
  readonly #budget: SessionBudget;
  readonly #recorder: Recorder;
  readonly #approval: ApprovalSection;
  readonly #settings: GateSettings;

  /** @internal */
  constructor(settings: GateSettings, approval: ApprovalSection) {
    const { journal = NOWHERE, store = new MemoryStore(), handler, wait = {} } = settings;
    this.#settings = settings;
    this.#approval = approval;
    this.#recorder = new Recorder(CLOCK, journal, randomUUID());
    this.broker = new Broker(CLOCK, store, this.#recorder);
    this.#gate = new Gate({
      broker: this.broker,
      host: CLOCK,
      runId: this.#recorder.runId,
      sessionId: this.sessionId,
      project: process.cwd(),
      handlers: handlersOf(handler),
      wait: waitOf(wait, approval),
      client: null,
      maxPending: approval.most_pending,
      maxPendingBytes: approval.most_pending_size,
      sessionGrants: true,
      reviewer: reviewerOf(settings, this.broker),
    });
    this.#budget = new SessionBudget({ budget: approval.budget, mode: approval.mode, now: CLOCK.now });
  }

  /** Puts tools behind this gate. Throws `USAGE` if two have the same name. */
  guard(tools: readonly DefinedTool[]): GuardedTools;
  /** @internal */
  guard(tools: readonly DefinedTool[], around: Pick<ToolPolicy, "further" | "granted">): GuardedTools;
  guard(tools: readonly DefinedTool[], around: Pick<ToolPolicy, "further" | "granted"> = {}): GuardedTools {
    const { agent = null, legacyBareTools = "ask" } = this.#settings;
    const policy: ToolPolicy = {
      operator: NO_OPERATOR,
      approval: this.#approval,
      mode: this.#approval.mode,
      legacyBareTools,
      ...around,
    };
    return new GuardedTools(tools, {
      host: CLOCK,
      broker: this.broker,
      recorder: this.#recorder,
      gate: this.#gate,
      budget: this.#budget,
      enter: () => NO_END,
      sessionId: this.sessionId,
      agent,
      cwd: ".",
      project: ".",
      policyNow: async () => ({ policy, isCurrent: () => true }),
    });
  }

  /** Lists the grants of this gate. */
  grants(): Promise<readonly Grant[]> {
    return this.broker.grants(this.sessionId);
  }

  /** Revokes a grant; false if the id is unknown. */
  revoke(grantId: string, by = "the host"): Promise<boolean> {
    return this.broker.revoke(grantId, by);
  }

  /** Ends the gate. Resolves once all pending requests are rejected. */
  close(): Promise<void> {
    return this.broker.close();
  }

  /** Rejects all pending requests. */
  [Symbol.dispose](): void {
    this.broker[Symbol.dispose]();
  }
}

/** Makes the approval layer alone. Throws `CONFIG_INVALID` for unknown settings. */
export function createGate(settings: GateSettings = {}): ToolGate {
  const read = Settings.safeParse(settings);
  if (read.success) {
    assertExamples(read.data.approval);
    assertNoProgram(read.data.approval);
    return new ToolGate(settings, read.data.approval);
  }
  const [issue] = read.error.issues;
  const key = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const at = [...(issue?.path ?? []), ...key].map(String).join(".");
  throw new CofferdamError("CONFIG_INVALID", `${visible(at)}: ${issue?.message ?? "is not understood"}`, {
    hint: `\`createGate\` takes \`{ ${Object.keys(Settings.shape).join("?, ")}? }\`, with \`approval\` as in a config`,
  });
}

function reviewerOf({ reviewer }: GateSettings, broker: Broker): SessionReviewer | null {
  if (reviewer === undefined) return null;
  const runner = functionReviewer(reviewer);
  return new SessionReviewer({ broker, unreviewed: new Set(), runner: () => runner });
}

/** Throws `CONFIG_INVALID` for a reviewer that would need a sandbox. */
function assertNoProgram({ reviewer }: ApprovalSection): void {
  if (reviewer !== undefined)
    throw new CofferdamError("CONFIG_INVALID", "a gate alone has no sandbox for `approval.reviewer`", {
      hint: "pass a function: `createGate({ reviewer: { name, review, only: { tools } } })`",
    });
}

function assertExamples({ rules, agents }: ApprovalSection): void {
  const layers = [
    [null, rules],
    ...Object.entries(agents).map(([agent, own]) => [agent, own.rules] as const),
  ] as const;
  for (const [agent, list] of layers) {
    const [failed] = list.flatMap((rule) => failedToolExamples(rule, agent ?? undefined));
    if (failed !== undefined)
      throw new CofferdamError("CONFIG_INVALID", `an example fails: ${failed.message}`, {
        hint: failed.hint,
      });
  }
}

/** Checks settings that come from JavaScript: a misspelt one must not count as left out. */
const Settings = z.strictObject({
  approval: ApprovalSection.prefault({}),
  handler: z.custom<Handlers>(isHandlers, { error: HANDLERS }).optional(),
  agent: z.string().min(1).optional(),
  reviewer: FunctionReviewerOption.optional(),
  wait: Wait.unwrap().partial().optional(),
  legacyBareTools: z.enum(["ask", "run"]).optional(),
  journal: z.looseObject({ write: z.function() }).optional(),
  store: z.looseObject({}).optional(),
} satisfies Record<keyof GateSettings, z.ZodType>);

const CLOCK = { now: Date.now, id: randomUUID } as const;
/** A gate does not wait for the calls that pass it. */
const NO_END: Disposable = { [Symbol.dispose]: () => undefined };
/** Subscribers still receive the events. */
const NOWHERE: Journal = { write: () => undefined, [Symbol.dispose]: () => undefined };
