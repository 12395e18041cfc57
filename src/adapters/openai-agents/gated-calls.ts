import { z } from "zod";
import { RecentMap } from "../../host/recent-map.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import type { CallClearance, Outcome } from "../../supervisor/outcome.ts";
import type { SessionOptions } from "../../supervisor/session-options.ts";
import { toolResult } from "../../supervisor/tool-result.ts";
import { type CallsOf, type FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { outputText } from "../output-text.ts";
import type { Said } from "./answers.ts";

/** So many questions that are open are kept in mind. */
const MOST_OPEN = 1_000;

/** Who answers, as the record names them, where a program does not say. */
export const BY = "openai-agents";

/** How the SDK let a call pass: what was said, and whether it had been asked about before. */
export interface Passed {
  readonly said: Said;
  readonly wasAsked: boolean;
}

/** The calls of the SDK's tools: what a yes, an `always` or a no of its person means to our gate. */
export class GatedCalls {
  readonly #calls: FrameworkCalls;
  /** What was last seen to be open about a call: where the call is another by now, that is not found any more. */
  readonly #open = new RecentMap<string, string>(MOST_OPEN);
  readonly #conversation: string | undefined;

  constructor(of: CallsOf, conversation: string | undefined, options: SessionOptions = {}) {
    this.#calls = new FrameworkCalls(of, BY, options);
    this.#conversation = conversation;
  }

  /** Every tool of the session. */
  get tools() {
    return this.#calls.session.tools();
  }

  /** What stands between a call and its run; once it was answered, only what was asked about is found. */
  async clearance(call: FrameworkCall, isAnswered: boolean): Promise<CallClearance> {
    const found = await this.#calls.clearance(this.#named(call), isAnswered);
    if (found.kind === "pending") this.#open.set(subjectOf(call), found.approvalId);
    return found;
  }

  /** The question that was kept under this id. */
  async request(approvalId: string): Promise<ApprovalRequest | null> {
    return (await this.#calls.session.find(approvalId))?.request ?? null;
  }

  /** Makes a call that nobody approved: the session asks whom it asks. */
  run(call: FrameworkCall, signal?: AbortSignal): Promise<Outcome> {
    return this.#calls.run(this.#named(call), signal);
  }

  /**
   * Makes a call that the SDK let pass. A yes is for exactly what was asked. An `always` is that for a call that was asked about,
   * and for any other as far as the session may remember a yes: never where an operator, or a rule, demands a person.
   */
  async make(call: FrameworkCall, passed: Passed, signal?: AbortSignal): Promise<Outcome> {
    const outcome = await this.#make(call, passed, signal);
    const subject = subjectOf(call);
    const open = this.#open.get(subject);
    this.#open.delete(subject);
    if (outcome.kind === "denied" && open !== undefined)
      await this.#calls.session.putAway(open, outcome.reason);
    return outcome;
  }

  async #make(call: FrameworkCall, { said, wasAsked }: Passed, signal?: AbortSignal): Promise<Outcome> {
    if (said === "yes") return this.#calls.runApproved(this.#named(call), signal);
    const found = await this.clearance(call, true);
    if (found.kind === "approved") return this.#calls.runApproved(this.#named(call), signal);
    if (said !== "always") return this.run(call, signal);
    const now = found.kind === "denied" && !wasAsked ? await this.clearance(call, false) : found;
    if (now.kind === "denied") return now;
    if (now.kind === "pending" && !(await this.#mayRemember(now.approvalId))) return ALWAYS_IS_NO_ANSWER;
    return this.#calls.runApproved(this.#named(call), signal, {
      approved: true,
      reason: "always, for this tool",
    });
  }

  /** Writes down a yes, for whoever runs the call. */
  async approve(call: FrameworkCall, said: "yes" | "always", by: string): Promise<void> {
    const found = await this.clearance(call, true);
    if (found.kind !== "pending") return;
    if (said === "yes" || (await this.#mayRemember(found.approvalId)))
      await this.#calls.session.respond(found.approvalId, { approved: true }, by);
  }

  /**
   * Writes down a no: nothing waits for an answer any more, also where the call is another by now. Of a yes elsewhere and a no
   * here the no counts, as long as nothing has run.
   */
  async refuse(call: FrameworkCall, note: string | undefined, by: string): Promise<void> {
    const approvalId = await this.#taken(call);
    if (approvalId === null) return;
    const no = { approved: false, ...(note === undefined ? {} : { reason: note }) };
    await this.#calls.session.respond(approvalId, no, by);
    await this.#calls.session.withdraw(approvalId);
  }

  /** Puts a question away that nobody answered, and that is about nothing any more: no person's no. */
  async putAway(call: FrameworkCall, reason: string): Promise<void> {
    const approvalId = await this.#taken(call);
    if (approvalId !== null) await this.#calls.session.putAway(approvalId, reason);
  }

  /** Which question about a call is open, or was answered and is not used: it is so no more; null where there is none. */
  async #taken(call: FrameworkCall): Promise<string | null> {
    const found = await this.clearance(call, true);
    const subject = subjectOf(call);
    const open = this.#open.get(subject) ?? null;
    this.#open.delete(subject);
    return found.kind === "approved" ? found.approvalId : open;
  }

  /** A call as it is asked about: its id is one in its conversation alone, where that was given. */
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

/** What a call is about, whatever it would do to it. */
function subjectOf({ tool, input, toolCallId }: FrameworkCall): string {
  return JSON.stringify([tool, toolCallId, Path.safeParse(input).data?.path ?? input]);
}

const ALWAYS_IS_NO_ANSWER = {
  kind: "denied",
  code: "APPROVAL_DENIED",
  // The model reads the reason alone.
  reason:
    "somebody has to say yes to this call by itself: an `always` does not answer it; approve it without `alwaysApprove`",
  hint: "approve it without `alwaysApprove`",
} as const;

/** What became of a call, as the text that a model reads. */
export function told(outcome: Outcome): string {
  const result = toolResult(outcome);
  switch (result.type) {
    case "success":
      return result.output === undefined ? "done" : outputText(result.output);
    case "denied":
      return result.output;
    case "error":
      return result.error;
    case "pending":
      return `Not run, nobody has said yes yet: ${result.reason}`;
  }
}
