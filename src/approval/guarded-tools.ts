import { isDeepStrictEqual } from "node:util";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { inTurns, MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import type { Recorder } from "../journal/recorder.ts";
import { Trail } from "../journal/trail.ts";
import { asJson, type Json, readJsonInSteps } from "../policy/canonical-json.ts";
import { jsonSize } from "../policy/json-size.ts";
import { redact } from "../policy/redact.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { Broker } from "./broker.ts";
import type { Clearance } from "./clearance.ts";
import type { Gate } from "./gate.ts";
import { tellClearance } from "./tell-clearance.ts";
import { approvalError, type ToolOutcome } from "./tool-outcome.ts";
import { type ToolPolicy, toolQuestion } from "./tool-question.ts";

/** A name of an argument by which a model could try to bring an approval along. It is the host's alone. */
const TOKEN = "_approval_token";

/** How one call of a function tool is made. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  /** Calls of one turn share it. */
  readonly groupId?: string;
  /** The id of a request that was left pending and has been answered since. Never anything that a model said. */
  readonly approvalId?: string;
  /** What a framework has beside the arguments; handed to the tool and its checks. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** How one call is asked about without being made. */
export interface AskToolOptions extends Omit<ToolCallOptions, "approvalId"> {
  /** What a framework calls this call: asked again under it, the same question is found, in whatever process. */
  readonly toolCallId?: string;
  /** False: what was asked before is found, and nothing is asked anew. */
  readonly mayAsk?: boolean;
  /** True where no other call ever has this name: then a no to it stays one. */
  readonly isUnique?: boolean;
}

/** One call of a turn. `args` is data, or JSON text as a model sends it. */
export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
}

/** What the guarded tools of one session share. */
export interface GuardOptions {
  readonly host: Pick<Host, "id" | "now">;
  readonly broker: Broker;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly sessionId: string;
  readonly agent: string | null;
  /** The folder that the host stands in. */
  readonly cwd: string;
  readonly policy: ToolPolicy;
}

/** Function tools behind a gate: nothing of them runs but through here. */
export class GuardedTools {
  readonly #tools: ReadonlyMap<string, DefinedTool>;
  readonly #options: GuardOptions;

  constructor(tools: readonly DefinedTool[], options: GuardOptions) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#options = options;
    const program = tools.find(({ needs }) => needs !== null);
    if (program !== undefined)
      throw new CofferdamError(
        "USAGE",
        `${visible(program.name)} is a program: a gate alone has no walls for it`,
        {
          hint: "give it to a session, as `supervisor.session({ tools })`",
        },
      );
    if (this.#tools.size < tools.length)
      throw new CofferdamError("USAGE", "two tools have the same name", { hint: "rename one of them" });
  }

  /** True for a tool that stands behind this gate. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /**
   * Calls a tool by its name. What happens is the outcome: this throws only when an event can't be written down. A tool
   * that is not there, and arguments that it does not take, never reach the gate.
   */
  async call(name: string, args: unknown, options: ToolCallOptions = {}): Promise<ToolOutcome> {
    const { host, recorder, sessionId, agent } = this.#options;
    const trail = new Trail(recorder, { sessionId, callId: host.id(), tool: name, agent });
    const tool = this.#tools.get(name);
    try {
      if (tool === undefined) throw notFound(name);
      const json = await readArguments(args);
      trail.received(redact(json).safeArgs);
      const outcome = await this.#walk(tool, json, trail, options);
      trail.ended(outcome.kind, { reason: "reason" in outcome ? outcome.reason : null });
      return outcome;
    } catch (error) {
      trail.ended("failed", {
        reason: thrownText(error),
      });
      return { kind: "failed", error };
    } finally {
      trail[Symbol.dispose]();
    }
  }

  /**
   * Calls every tool of a turn at once. Those that need a yes are asked about as one group, each gets its own answer, and
   * no denial or failure of one keeps another from running. The outcomes stand in the order of the calls.
   */
  async callAll(
    calls: readonly ToolCall[],
    options: Omit<ToolCallOptions, "approvalId"> = {},
  ): Promise<readonly ToolOutcome[]> {
    const groupId = options.groupId ?? this.#options.host.id();
    return Promise.all(calls.map(({ tool, args }) => this.call(tool, args, { ...options, groupId })));
  }

  /**
   * A tool as a function of its own: it answers with what the tool does, and throws what kept it from running
   * (`ApprovalError`) and what the tool threw.
   */
  guarded(name: string): (args: unknown, options?: ToolCallOptions) => Promise<unknown> {
    return async (args, options) => {
      const outcome = await this.call(name, args, options);
      if (outcome.kind === "done") return outcome.value;
      throw outcome.kind === "failed" ? outcome.error : approvalError(name, outcome);
    };
  }

  /**
   * Whether a tool may be called so, without calling it. Throws `USAGE` for a tool that is not there and for arguments that it
   * does not take, and what its schema throws.
   */
  async ask(name: string, args: unknown, options: AskToolOptions = {}): Promise<Clearance> {
    const { host, recorder, sessionId, agent, gate, cwd } = this.#options;
    using trail = new Trail(recorder, { sessionId, callId: host.id(), tool: name, agent });
    try {
      const tool = this.#tools.get(name);
      if (tool === undefined) throw notFound(name);
      const json = await readArguments(args);
      trail.received(redact(json).safeArgs);
      const asked = await this.#walkOf(tool, json, trail, options).prepare();
      const { signal = null, groupId = null, toolCallId = null, mayAsk = true, isUnique = false } = options;
      const clearance = await gate.clear({ callId: trail.callId, tool: name, agent, groupId }, asked, {
        signal,
        toolCallId,
        mayAsk,
        isUnique,
        trail,
        call: { input: json, cwd },
      });
      tellClearance(clearance, trail);
      return clearance;
    } catch (error) {
      trail.ended("failed", { reason: thrownText(error) });
      throw error;
    }
  }

  /** One use on its way: how it is decided, and what then runs. */
  #walkOf(
    tool: DefinedTool,
    args: Json,
    trail: Trail,
    {
      signal = null,
      metadata = {},
    }: Pick<ToolCallOptions, "metadata"> & { readonly signal?: AbortSignal | null },
  ) {
    const { broker, sessionId, agent, cwd, policy } = this.#options;
    const around = { signal, metadata };
    let [current, shown] = [args, args];
    const prepare = async (edited?: unknown) => {
      if (edited !== undefined) {
        current = withoutToken(asJson(edited));
        trail.received(redact(current).safeArgs);
      }
      const use = tool.use(current, around);
      const grants = await broker.grants(sessionId);
      await otherTurns(jsonSize(use.args, MAX_AT_ONCE));
      shown = use.args;
      const question = await toolQuestion({ tool, args: use.args, use, agent, cwd }, policy, grants);
      trail.judged(question.verdict);
      return question;
    };
    const run = async (by: string | null): Promise<ToolOutcome> => {
      // Read once more from what was given: nothing that a check did to its copy reaches the tool.
      const use = tool.use(current, around);
      if (!isDeepStrictEqual(use.args, shown)) throw changed(tool.name);
      if (around.signal?.aborted === true) throw around.signal.reason;
      const value = await use.run?.({ by });
      return { kind: "done", value };
    };
    return { prepare, run };
  }

  async #walk(tool: DefinedTool, args: Json, trail: Trail, options: ToolCallOptions): Promise<ToolOutcome> {
    const { gate, agent, cwd } = this.#options;
    const { signal = null, groupId = null, approvalId = null } = options;
    const { prepare, run } = this.#walkOf(tool, args, trail, options);
    const passage = await gate.pass({ callId: trail.callId, tool: tool.name, agent, groupId }, prepare, {
      signal,
      approvalId,
      trail,
      call: { input: args, cwd },
    });
    switch (passage.kind) {
      case "pending":
        return passage;
      case "denied": {
        const code = passage.code === "FACTS_UNSTABLE" ? "APPROVAL_DENIED" : passage.code;
        return { ...passage, code };
      }
      case "permitted":
        return gate.run(passage, () => run(passage.by));
    }
  }
}

function notFound(name: string): CofferdamError {
  return new CofferdamError("USAGE", `tool ${visible(name)} not found`);
}

function changed(name: string): CofferdamError {
  return new CofferdamError(
    "FACTS_UNSTABLE",
    `${visible(name)} makes other arguments of the same each time`,
    {
      hint: "its schema must not depend on the time or on chance",
    },
  );
}

/** Arguments as data that nobody can change any more. Throws `USAGE` for what they can't be. */
async function readArguments(given: unknown): Promise<Json> {
  const args = withoutToken(await inTurns(readJsonInSteps(given)));
  await otherTurns(jsonSize(args, MAX_AT_ONCE));
  return args;
}

function withoutToken(args: Json): Json {
  if (typeof args === "object" && args !== null && TOKEN in args)
    throw new CofferdamError(
      "USAGE",
      `${visible(TOKEN)} is no argument: an approval is never brought along by a call`,
      {
        hint: "pass `approvalId` beside the arguments",
      },
    );
  return args;
}
