import { CofferdamError, type Position } from "../errors.ts";
import type { CallLog } from "../journal/call-log.ts";
import { changedParts } from "../policy/bound-call.ts";
import { type CallAnswer, callAnswer } from "../policy/call-answer.ts";
import { type CheckResult, denied } from "../policy/not-run.ts";
import type { EarlierRequest } from "../policy/request.ts";
import { denialByRule, type RuleHit } from "../policy/rule-hit.ts";
import { hasApproval } from "../policy/verdict.ts";
import type { StoredRequest } from "../store/store.ts";
import { Asker } from "./asker.ts";
import { decidedEvent } from "./decided-event.ts";
import { dismissAllowed, earlierRequest, keptChanging } from "./earlier.ts";
import type { CallRequestOptions, GateCheckOptions, GateOptions } from "./gate-options.ts";
import type { Approval, CallIdentity, DecidedCall, GateResult, GateStop } from "./gate-result.ts";
import { HANDLER } from "./handler.ts";
import { NOBODY } from "./nobody.ts";
import { ALREADY_USED, approvalOf } from "./not-run.ts";
import { readAnswer } from "./read-decision.ts";
import { isByReviewer } from "./reviewed.ts";
import { isStillFor } from "./reviewer.ts";
import { rememberApproval } from "./scope-offers.ts";
import { settleStored } from "./settle.ts";

/** A call that changes more often than this during its review is given up. */
const MAX_TRIES = 3;

/** Options of one call at the gate. */
export interface GatePass extends CallRequestOptions {
  /** The request whose answer the call uses, answered elsewhere. Never a value from a model. */
  readonly approvalId: string | null;
}

/** Finds the position of a rule that denied a call; null if it is not in a config. */
export type FindRule = (hit: RuleHit, call: CallIdentity) => Position | null;

/** Decides a call again; with the input that a person edited, if any, and the answer that holds it. */
export type DecideAgain<Decided extends DecidedCall> = (
  editedInput?: unknown,
  answer?: CallAnswer | null,
) => Promise<Decided>;

/** The gate of every call. An approval holds for exactly what was shown: a changed call is asked about again. */
export class Gate {
  readonly #options: GateOptions;
  readonly #asker: Asker;
  readonly #findRule: FindRule;

  constructor(options: GateOptions, findRule: FindRule = () => null) {
    this.#options = options;
    this.#findRule = findRule;
    this.#asker = new Asker(options);
  }

  /** Passes one call. Throws the errors of `decideAgain`, and failures to record an event. */
  async pass<Decided extends DecidedCall>(
    call: CallIdentity,
    first: Decided,
    decideAgain: DecideAgain<Decided>,
    options: GatePass,
  ): Promise<GateResult<Decided>> {
    const { approvalId, log } = options;
    const { broker } = this.#options;
    let given: Approval | null = null;
    let earlier: EarlierRequest | null = null;
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const decided = tries === 1 ? first : await decideAgain();
      const { verdict, argsHash } = decided;
      const { remembered } = verdict;
      if (verdict.action === "deny") return this.#ruledOut(call, decided, options.log);
      if (tries === 1 && approvalId !== null) {
        const found = await this.#find(approvalId, call, decided);
        if (found.kind !== "approved") return found;
        given = found;
      }
      // A person who edited an input wants it to run, even if the original one is allowed.
      if (verdict.action === "allow" && given?.decision.editedInput === undefined) {
        // It may have been revoked, or used up, since the call was decided.
        if (remembered !== undefined && given === null && !(await broker.memory.use(remembered))) continue;
        log.record({ type: "approval.auto", argsHash, approved: true, by: verdict.reason });
        if (given !== null && !(await broker.claim(given.approvalId))) return ALREADY_USED;
        const usedId = given?.approvalId ?? null;
        const run = { approvalId: usedId, by: null, answer: null, review: null } as const;
        return { kind: "approved", decided, isApproved: hasApproval(verdict), ...run };
      }
      const reused = tries === 1 ? given : null;
      if (reused !== null) {
        if (reused.request.argsHash !== argsHash) {
          earlier = await earlierRequest(this.#options.broker, reused, decided);
          continue;
        }
        // Another process may have received the answer, long ago: it is used here, so it is recorded here.
        log.record(decidedEvent(reused.request, reused.decision));
        log.answered(reused.approvalId, reused.decision);
        this.#options.reviewer?.heard(reused.request, reused.decision);
      }
      // A call that changed after its review, or after a person's answer, is for a person.
      const mayReview = tries === 1 && given === null;
      const asking: CallRequestOptions = { ...options, earlier, decideAgain };
      const approval: Approval | GateStop =
        reused ?? (await this.#asker.ask(call, decided, asking, { mayReview }));
      if (approval.kind !== "approved") return approval;
      const again = await this.#decideApproved(approval, argsHash, decideAgain);
      const isSame = again.isSame && isStillFor(approval, call, again.decided, this.#options.reviewer);
      if (isSame && again.decided.verdict.action !== "deny") return this.#use(approval, again.decided);
      await this.#drop(approval);
      if (again.decided.verdict.action === "deny") return this.#ruledOut(call, again.decided, options.log);
      const changed = changedParts(decided.bound?.parts ?? [], again.decided.bound?.parts ?? []);
      earlier = { approvalId: approval.approvalId, changed };
    }
    return keptChanging(earlier);
  }

  /** Checks a decided call without running it. A stored request has the same `toolCallId` until the call changes. */
  async check(call: CallIdentity, decided: DecidedCall, options: GateCheckOptions): Promise<CheckResult> {
    const { action } = decided.verdict;
    if (action === "deny") return this.#ruledOut(call, decided, options.log);
    if (action === "allow") {
      await dismissAllowed(this.#options.broker, call, decided, options.toolCallId);
      return { kind: "allowed" };
    }
    const found = await this.#asker.check(call, decided, options);
    return found.kind === "approved" ? { kind: found.kind, approvalId: found.approvalId } : found;
  }

  /** Runs an approved call, and stores how it ended if it used an approval. */
  async track<Result extends { readonly kind: string }>(
    { approvalId }: { readonly approvalId: string | null },
    work: () => Promise<Result>,
  ): Promise<Result> {
    let how: "done" | "failed" = "failed";
    try {
      const result = await work();
      if (result.kind === "done") how = "done";
      return result;
    } finally {
      if (approvalId !== null)
        await this.#options.broker.finish(approvalId, how).catch((cause: unknown) => {
          // A store that is unavailable must not hide the result: it finds the run abandoned later.
          if (!(cause instanceof CofferdamError && cause.code === "STORE_UNAVAILABLE")) throw cause;
        });
    }
  }

  /** The answer under an id. The call uses it even if it needs none by now: an approval is for one run. */
  async #find(
    approvalId: string,
    { tool, agent }: CallIdentity,
    decided: DecidedCall,
  ): Promise<Approval | GateStop> {
    const stored = await this.#options.broker.find(approvalId);
    if (stored === null || stored.request.tool !== tool || stored.request.agent !== agent)
      return denied("approval", "unknown request id for this tool and agent");
    const current = stored.status === "pending" ? await this.#answerOf(stored, decided) : stored;
    return approvalOf(current, this.#options.wait.onTimeout);
  }

  /** Asks handlers that may have an answer by now, such as one that left a message somewhere; then what is remembered. */
  async #answerOf(stored: StoredRequest, decided: DecidedCall): Promise<StoredRequest> {
    const { broker, handlers } = this.#options;
    const { approvalId } = stored.request;
    for (const handler of handlers) {
      const answer = await handler.checkApproval?.(approvalId);
      if (answer === undefined) continue;
      const read = readAnswer(answer, HANDLER);
      // A handler that stores nothing answers as `nobody`: that is no answer.
      if (read.status !== "pending" && !("by" in read && read.by === NOBODY))
        await broker.decide(approvalId, read, HANDLER);
    }
    return settleStored((await broker.find(approvalId)) ?? stored, decided, broker);
  }

  /** Decides once more after an approval: for the shown input, or the one that the person edited. */
  async #decideApproved<Decided extends DecidedCall>(
    approval: Approval,
    argsHash: string,
    decideAgain: DecideAgain<Decided>,
  ): Promise<{ readonly decided: Decided; readonly isSame: boolean }> {
    const { editedInput } = approval.decision;
    try {
      const decided = await decideAgain();
      const isSame = decided.argsHash === argsHash;
      return isSame && editedInput !== undefined
        ? { decided: await decideAgain(editedInput, callAnswer(approval.decision)), isSame }
        : { decided, isSame };
    } catch (cause) {
      await this.#drop(approval);
      throw cause;
    }
  }

  /** Uses an approval, which holds once, and remembers it if it was given for more. */
  async #use<Decided extends DecidedCall>(
    approval: Approval,
    decided: Decided,
  ): Promise<GateResult<Decided>> {
    const { broker } = this.#options;
    const { approvalId, decision } = approval;
    if (!(await broker.claim(approvalId))) return ALREADY_USED;
    try {
      await rememberApproval(approval, decided, this.#options);
    } catch (cause) {
      await broker.finish(approvalId, "failed");
      throw cause;
    }
    const { request } = approval;
    const review = isByReviewer(request, decision) ? (request.review ?? null) : null;
    const [by, answer] = [decision.by, callAnswer(decision)];
    return { kind: "approved", decided, isApproved: review === null, approvalId, by, answer, review };
  }

  /** The denial by the rules. */
  #ruledOut(call: CallIdentity, { verdict, argsHash }: DecidedCall, log: CallLog): GateStop {
    log.record({ type: "approval.auto", argsHash, approved: false, by: verdict.reason });
    const hit = verdict.hits.find(({ action }) => action === "deny");
    const { by, hint } = denialByRule(hit, call.tool, hit === undefined ? null : this.#findRule(hit, call));
    return denied(by, verdict.reason, { hint });
  }

  /** Takes an approval that must not be used any more. */
  async #drop({ approvalId }: Approval): Promise<void> {
    const { broker } = this.#options;
    if (await broker.claim(approvalId)) await broker.finish(approvalId, "failed");
  }
}
