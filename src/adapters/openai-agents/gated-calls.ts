import { z } from "zod";
import type { SessionOptions } from "../../call/session-options.ts";
import { resultText, toolResult } from "../../call/tool-result.ts";
import type { Outcome } from "../../decide/outcome.ts";
import { RecentMap } from "../../host/recent-map.ts";
import type { CheckResult } from "../../policy/not-run.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { type CallsOf, type FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { outputText } from "../output-text.ts";
import type { SdkAnswer } from "./answers.ts";

const MAX_OPEN = 1_000;

/** The answerer as the journal names it, if a program names none. */
export const BY = "openai-agents";

/** How the SDK let a call pass: the answer, and whether it had asked before. */
export interface Passed {
  readonly said: SdkAnswer;
  readonly wasAsked: boolean;
}

/** The calls of the SDK's tools: applies a `yes`, an `always` or a `no` of its person to our gate. */
export class GatedCalls {
  readonly #calls: FrameworkCalls;
  /** The last open request of a call: once the call has changed, the gate no longer finds it. */
  readonly #open = new RecentMap<string, string>(MAX_OPEN);
  readonly #conversation: string | undefined;

  constructor(of: CallsOf, conversation: string | undefined, options: SessionOptions = {}) {
    this.#calls = new FrameworkCalls(of, BY, options);
    this.#conversation = conversation;
  }

  get tools() {
    return this.#calls.session.tools();
  }

  /** Checks whether a call may run. Once it was answered, only the earlier request counts. */
  async check(call: FrameworkCall, isAnswered: boolean): Promise<CheckResult> {
    const found = await this.#calls.check(this.#named(call), isAnswered);
    if (found.kind === "pending") this.#open.set(subjectOf(call), found.approvalId);
    return found;
  }

  async request(approvalId: string): Promise<ApprovalRequest | null> {
    return (await this.#calls.session.find(approvalId))?.request ?? null;
  }

  /** Makes a call without the SDK's approval: the session asks its handlers. */
  run(call: FrameworkCall, signal?: AbortSignal): Promise<Outcome> {
    return this.#calls.run(this.#named(call), signal);
  }

  /**
   * Makes a call that the SDK let pass. A `yes` approves exactly the request. An `always` does so after asking;
   * otherwise it needs a session that may remember approvals, and no operator or rule that demands a person.
   */
  async make(call: FrameworkCall, passed: Passed, signal?: AbortSignal): Promise<Outcome> {
    const outcome = await this.#make(call, passed, signal);
    const subject = subjectOf(call);
    const open = this.#open.get(subject);
    this.#open.delete(subject);
    if (outcome.kind === "denied" && open !== undefined)
      await this.#calls.session.dismiss(open, outcome.reason);
    return outcome;
  }

  async #make(call: FrameworkCall, { said, wasAsked }: Passed, signal?: AbortSignal): Promise<Outcome> {
    if (said === "yes") return this.#calls.runApproved(this.#named(call), signal);
    const found = await this.check(call, true);
    if (found.kind === "approved") return this.#calls.runApproved(this.#named(call), signal);
    if (said !== "always") return this.run(call, signal);
    const now = found.kind === "denied" && !wasAsked ? await this.check(call, false) : found;
    if (now.kind === "denied") return now;
    if (now.kind === "pending" && !(await this.#mayRemember(now.approvalId))) return ALWAYS_IS_NO_ANSWER;
    return this.#calls.runApproved(this.#named(call), signal, {
      status: "approved",
      scope: "once",
      by: `${BY}, always for this tool`,
    });
  }

  /** Records an approval, for the process that runs the call. */
  async approve(call: FrameworkCall, said: "yes" | "always", by: string): Promise<void> {
    const found = await this.check(call, true);
    if (found.kind !== "pending") return;
    if (said === "yes" || (await this.#mayRemember(found.approvalId)))
      await this.#calls.session.respond(found.approvalId, { approved: true }, by);
  }

  /** Records a rejection, even if the call has changed. It overrides an approval elsewhere until something has run. */
  async refuse(call: FrameworkCall, note: string | undefined, by: string): Promise<void> {
    const approvalId = await this.#taken(call);
    if (approvalId === null) return;
    const no = { approved: false, ...(note === undefined ? {} : { reason: note }) };
    await this.#calls.session.respond(approvalId, no, by);
    await this.#calls.session.withdraw(approvalId);
  }

  /** Dismisses an unanswered request that is obsolete: it is no person's rejection. */
  async dismiss(call: FrameworkCall, reason: string): Promise<void> {
    const approvalId = await this.#taken(call);
    if (approvalId !== null) await this.#calls.session.dismiss(approvalId, reason);
  }

  /** Takes the request of a call that is open, or approved and unused; null if there is none. */
  async #taken(call: FrameworkCall): Promise<string | null> {
    const found = await this.check(call, true);
    const subject = subjectOf(call);
    const open = this.#open.get(subject) ?? null;
    this.#open.delete(subject);
    return found.kind === "approved" ? found.approvalId : open;
  }

  /** The call with an id that is unique to its conversation, if one was given. */
  #named(call: FrameworkCall): FrameworkCall {
    return this.#conversation === undefined
      ? call
      : { ...call, toolCallId: JSON.stringify([this.#conversation, call.toolCallId]) };
  }

  async #mayRemember(approvalId: string): Promise<boolean> {
    const request = await this.request(approvalId);
    return request !== null && !request.demandsPerson && request.covers !== null;
  }
}

const Path = z.object({ path: z.string() });

/** The subject of a call, independent of what it would do to it. */
function subjectOf({ tool, input, toolCallId }: FrameworkCall): string {
  return JSON.stringify([tool, toolCallId, Path.safeParse(input).data?.path ?? input]);
}

const ALWAYS_IS_NO_ANSWER = {
  kind: "denied",
  code: "APPROVAL_DENIED",
  deniedBy: "nobody",
  reason:
    "this call needs its own approval, and `alwaysApprove` does not give it; approve it without `alwaysApprove`",
  hint: "approve it without `alwaysApprove`",
} as const;

/** The outcome of a call, as text for a model. */
export function outcomeText(outcome: Outcome): string {
  return resultText(toolResult(outcome), (output) => (output === undefined ? "done" : outputText(output)));
}
