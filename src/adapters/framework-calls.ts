import type { Answer } from "../approval/handler.ts";
import type { CallOptions } from "../call/call-options.ts";
import type { SessionOptions } from "../call/session-options.ts";
import type { Outcome } from "../decide/outcome.ts";
import { CofferdamError } from "../errors.ts";
import type { CheckResult } from "../policy/not-run.ts";
import { Session } from "../session/session.ts";
import type { Supervisor } from "../session/supervisor.ts";

/** The source of a framework's calls: an existing session, or a supervisor that makes one with these options. */
export type CallsOf = Supervisor | Session;

/** A call as a framework knows it. */
export interface FrameworkCall {
  readonly tool: string;
  readonly input: unknown;
  /** The framework's id of the call: an approver approves this id. */
  readonly toolCallId: string;
  /** True if no other call in any conversation has this id: then a rejection of it is final. */
  readonly isUnique?: boolean;
  /** Shared by the calls of one turn: people can answer them together. */
  readonly groupId?: string;
  /** Maximum run time of a program, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * The calls of one framework. A request reaches people through the framework, if the program supports it, and through
 * the session's handlers at the same time. The first answer decides. The framework's approval holds only for the exact
 * request: a call that has changed since does not run by it.
 */
export class FrameworkCalls implements AsyncDisposable {
  readonly session: Session;
  readonly #by: string;
  readonly #isOwn: boolean;

  constructor(of: CallsOf, by: string, options: SessionOptions = {}) {
    this.#isOwn = !(of instanceof Session);
    if (of instanceof Session && Object.keys(options).length > 0)
      throw new CofferdamError("USAGE", "an existing session takes no options", {
        hint: "pass them to `supervisor.session`, or pass the supervisor here",
      });
    this.session = of instanceof Session ? of : of.session(options);
    this.#by = by;
  }

  /** Whether the framework has to ask. Once `isAnswered`, only the earlier request counts. Invalid calls pass here. */
  async check(call: FrameworkCall, isAnswered: boolean): Promise<CheckResult> {
    const { tool, input, toolCallId, groupId, isUnique = false } = call;
    const group = groupId === undefined ? {} : { groupId };
    try {
      return await this.session.ask(tool, input, { toolCallId, mayAsk: !isAnswered, isUnique, ...group });
    } catch (cause) {
      if (isForModels(cause)) return { kind: "allowed" };
      throw cause;
    }
  }

  /** Makes a call that the framework did not ask about. The session asks, unless `approvalId` was approved. */
  async run(call: FrameworkCall, signal: AbortSignal | undefined, approvalId?: string): Promise<Outcome> {
    const { tool, input } = call;
    const byYes = approvalId === undefined ? {} : { approvalId };
    return this.#made(() => this.session.call(tool, input, { ...given(call, signal), ...byYes }), signal);
  }

  /** Makes a call that was approved in the framework, by that approval alone. */
  async runApproved(
    call: FrameworkCall,
    signal: AbortSignal | undefined,
    answer: Answer = { approved: true },
  ): Promise<Outcome> {
    const { tool, input } = call;
    return this.#made(async () => {
      const checked = await this.check(call, true);
      if (checked.kind === "denied") return checked;
      if (checked.kind === "allowed") return this.session.call(tool, input, given(call, signal));
      const { approvalId } = checked;
      if (checked.kind === "pending") await this.session.respond(approvalId, answer, this.#by);
      return this.session.call(tool, input, { ...given(call, signal), approvalId });
    }, signal);
  }

  /** Records a rejection in the framework: the request is no longer open. */
  async refuse(call: FrameworkCall, note: string | undefined): Promise<void> {
    const checked = await this.check(call, true);
    if (checked.kind !== "pending" && checked.kind !== "approved") return;
    const no = { approved: false, ...(note === undefined ? {} : { reason: note }) };
    await this.session.respond(checked.approvalId, no, this.#by);
    // A rejection here overrides an approval elsewhere, as long as nothing has run.
    if (checked.kind === "approved") await this.session.withdraw(checked.approvalId);
  }

  /** Ends a call that nobody waits for any more: its request is no longer open, and no approval of it counts. */
  async drop(call: FrameworkCall, reason: string): Promise<void> {
    const checked = await this.check(call, true);
    if (checked.kind === "pending") await this.session.dismiss(checked.approvalId, reason);
    if (checked.kind === "approved") await this.session.withdraw(checked.approvalId);
  }

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

/** True for errors that a model can correct; people must fix all others. */
function isForModels(cause: unknown): boolean {
  return cause instanceof CofferdamError && (cause.code === "USAGE" || cause.code === "FACTS_UNSTABLE");
}
