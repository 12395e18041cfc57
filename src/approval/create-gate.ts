import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { Journal } from "../journal/journal.ts";
import { Recorder } from "../journal/recorder.ts";
import { ApprovalSection, NO_OPERATOR } from "../policy/approval-section.ts";
import type { Grant } from "../policy/grant.ts";
import { failedToolExamples } from "../policy/rule-examples.ts";
import { MemoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { Broker } from "./broker.ts";
import { Gate } from "./gate.ts";
import { GuardedTools } from "./guarded-tools.ts";
import { HANDLERS, type Handlers, handlersOf, isHandlers } from "./handlers.ts";
import type { ToolPolicy } from "./tool-question.ts";
import { Wait, waitOf } from "./wait.ts";

/** What a gate without a supervisor is made from. */
export interface GateSettings {
  /** As `approval:` stands in a config: rules, agents, mode, defaults by risk, how long is waited. */
  readonly approval?: z.input<typeof ApprovalSection>;
  /** Who is asked. Without anybody an ask is answered no. */
  readonly handler?: Handlers;
  /** Which agent this gate is for, by the name that rules know. */
  readonly agent?: string;
  readonly wait?: Partial<Wait>;
  /** What becomes of a tool that says nothing of approval and that no rule covers. Default `ask`. */
  readonly legacyBareTools?: "ask" | "run";
  /** Where events are written down, instead of nowhere. */
  readonly journal?: Journal;
  readonly store?: Store;
}

/** The approval layer alone: function tools behind a gate, without walls. Made by `createGate`. */
export class ToolGate implements Disposable {
  readonly sessionId = randomUUID();
  /** Where questions wait, and can be answered from wherever. */
  readonly broker: Broker;
  readonly #gate: Gate;
  readonly #recorder: Recorder;
  readonly #approval: ApprovalSection;
  readonly #settings: GateSettings;

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
      mostPending: approval.most_pending,
      mostPendingBytes: approval.most_pending_size,
      sessionGrants: true,
    });
  }

  /** Puts tools behind this gate. Throws `USAGE` where two have one name. */
  guard(tools: readonly DefinedTool[], around: Pick<ToolPolicy, "further" | "granted"> = {}): GuardedTools {
    const { agent = null, legacyBareTools = "ask" } = this.#settings;
    return new GuardedTools(tools, {
      host: CLOCK,
      broker: this.broker,
      recorder: this.#recorder,
      gate: this.#gate,
      sessionId: this.sessionId,
      agent,
      cwd: ".",
      policy: {
        operator: NO_OPERATOR,
        approval: this.#approval,
        mode: this.#approval.mode,
        legacyBareTools,
        ...around,
      },
    });
  }

  /** What was granted for as long as this gate lasts. */
  grants(): Promise<readonly Grant[]> {
    return this.broker.grants(this.sessionId);
  }

  /** Takes a grant back; false when there is none under this id. */
  revoke(grantId: string, by = "the host"): Promise<boolean> {
    return this.broker.revoke(grantId, by);
  }

  /** Whoever still waits is answered no. */
  [Symbol.dispose](): void {
    this.broker[Symbol.dispose]();
  }
}

/** The approval layer by itself. Throws `CONFIG_INVALID` for settings that there are not. */
export function createGate(settings: GateSettings = {}): ToolGate {
  const read = Settings.safeParse(settings);
  if (read.success) {
    assertExamples(read.data.approval);
    return new ToolGate(settings, read.data.approval);
  }
  const [issue] = read.error.issues;
  const key = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const at = [...(issue?.path ?? []), ...key].map(String).join(".");
  throw new CofferdamError("CONFIG_INVALID", `${visible(at)}: ${issue?.message ?? "is not understood"}`, {
    hint: `a gate takes \`{ ${Object.keys(Settings.shape).join("?, ")}? }\`, \`approval\` as in a config`,
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

/** How settings are checked when they come from JavaScript: one that is misspelt must not count as one left out. */
const Settings = z.strictObject({
  approval: ApprovalSection.prefault({}),
  handler: z.custom<Handlers>(isHandlers, { error: HANDLERS }).optional(),
  agent: z.string().min(1).optional(),
  wait: Wait.unwrap().partial().optional(),
  legacyBareTools: z.enum(["ask", "run"]).optional(),
  journal: z.looseObject({ write: z.function() }).optional(),
  store: z.looseObject({}).optional(),
} satisfies Record<keyof GateSettings, z.ZodType>);

const CLOCK = { now: Date.now, id: randomUUID } as const;
/** Events are told to subscribers all the same. */
const NOWHERE: Journal = { write: () => undefined, [Symbol.dispose]: () => undefined };
