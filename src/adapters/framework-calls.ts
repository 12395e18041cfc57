import type { Answer } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import type { CallOptions } from "../supervisor/call-options.ts";
import type { CallClearance, Outcome } from "../supervisor/outcome.ts";
import { Session } from "../supervisor/session.ts";
import type { SessionOptions } from "../supervisor/session-options.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";

/** What a framework's calls are made by: a session that is there, or one made of a supervisor, with these options. */
export type CallsOf = Supervisor | Session;

/** One call as a framework knows it. */
export interface FrameworkCall {
  readonly tool: string;
  readonly input: unknown;
  /** What the framework calls it: whoever approves it approves it under this name. */
  readonly toolCallId: string;
  /** The name is this call's alone, in whatever conversation: then a no to it stays one. */
  readonly isUnique?: boolean;
  /** Calls of one turn share it: people can answer them in one act. */
  readonly groupId?: string;
  /** Ends a program that runs for longer, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * The calls of one framework. A question is brought to people in the framework's own way, where the program is written so, and
 * by the session's handlers at once; whoever answers first decides. The framework's yes is for exactly what was asked: what
 * has changed since does not run by it.
 */
export class FrameworkCalls implements AsyncDisposable {
  readonly session: Session;
  /** Who answers, as the record names them, where the framework brings an answer. */
  readonly #by: string;
  readonly #isOwn: boolean;

  constructor(of: CallsOf, by: string, options: SessionOptions = {}) {
    this.#isOwn = !(of instanceof Session);
    if (of instanceof Session && Object.keys(options).length > 0)
      throw new CofferdamError("USAGE", "the options of a session are given where it is made", {
        hint: "give them to `supervisor.session`, or give the supervisor here",
      });
    this.session = of instanceof Session ? of : of.session(options);
    this.#by = by;
  }

  /**
   * Whether the framework has to ask. Once it has an answer (`isAnswered`), only what was asked about before is found: where the
   * call is another by now, it is denied. What can't be made throws nothing here: the call itself will say why.
   */
  async clearance(call: FrameworkCall, isAnswered: boolean): Promise<CallClearance> {
    const { tool, input, toolCallId, groupId, isUnique = false } = call;
    const group = groupId === undefined ? {} : { groupId };
    try {
      return await this.session.ask(tool, input, { toolCallId, mayAsk: !isAnswered, isUnique, ...group });
    } catch (cause) {
      if (isForModels(cause)) return { kind: "allowed" };
      throw cause;
    }
  }

  /**
   * Makes a call that the framework asked nobody about: the session asks whom it asks, unless somebody has said yes
   * elsewhere, to the question with this id. What is thrown is the outcome.
   */
  async run(call: FrameworkCall, signal: AbortSignal | undefined, approvalId?: string): Promise<Outcome> {
    const { tool, input } = call;
    const byYes = approvalId === undefined ? {} : { approvalId };
    return this.#made(() => this.session.call(tool, input, { ...given(call, signal), ...byYes }), signal);
  }

  /** Makes a call that somebody approved in the framework, by their yes alone. */
  async runApproved(
    call: FrameworkCall,
    signal: AbortSignal | undefined,
    answer: Answer = { approved: true },
  ): Promise<Outcome> {
    const { tool, input } = call;
    return this.#made(async () => {
      const clearance = await this.clearance(call, true);
      if (clearance.kind === "denied") return clearance;
      if (clearance.kind === "allowed") return this.session.call(tool, input, given(call, signal));
      const { approvalId } = clearance;
      if (clearance.kind === "pending") await this.session.respond(approvalId, answer, this.#by);
      return this.session.call(tool, input, { ...given(call, signal), approvalId });
    }, signal);
  }

  /** Writes down that somebody said no in the framework: nothing waits for an answer any more. */
  async refuse(call: FrameworkCall, note: string | undefined): Promise<void> {
    const clearance = await this.clearance(call, true);
    if (clearance.kind !== "pending" && clearance.kind !== "approved") return;
    const no = { approved: false, ...(note === undefined ? {} : { reason: note }) };
    await this.session.respond(clearance.approvalId, no, this.#by);
    // Of a yes elsewhere and a no here the no counts, as long as nothing has run.
    if (clearance.kind === "approved") await this.session.withdraw(clearance.approvalId);
  }

  /** Ends the session, where it is its own. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwn) await this.session[Symbol.asyncDispose]();
  }

  async #made(make: () => Promise<Outcome>, signal: AbortSignal | undefined): Promise<Outcome> {
    const began = performance.now();
    try {
      return await make();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isForModels(error)) throw error;
      return { kind: "failed", error, receipt: null, durationMs: performance.now() - began };
    }
  }
}

function given({ timeoutMs }: FrameworkCall, signal: AbortSignal | undefined): CallOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** What a model can do something about; all else a person has to mend. */
function isForModels(cause: unknown): boolean {
  return cause instanceof CofferdamError && (cause.code === "USAGE" || cause.code === "FACTS_UNSTABLE");
}
