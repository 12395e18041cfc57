import { CofferdamError } from "../errors.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { isByYes } from "../policy/verdict.ts";
import type { StoredRequest } from "../store/store.ts";
import { type Clearance, type ClearOptions, clearanceByPeople, putAway } from "./clearance.ts";
import { decidedEvent } from "./decided-event.ts";
import type { Asker, Passage, Question } from "./question.ts";
import { type GateOptions, type PutOptions, Questions, type Yes } from "./questions.ts";
import { readAnswer } from "./read-decision.ts";
import { ASK_AGAIN, denied, NOBODY, REMEDIES, type Stop, stopOf, used } from "./stops.ts";
import { HANDLER } from "./waits.ts";

/** More changes than this while people think, and the call is given up. */
const MOST_TRIES = 3;

/** How one call passes. */
export interface PassOptions extends PutOptions {
  /** An answer that was waited for elsewhere: the id of its request. Never anything that a model said. */
  readonly approvalId: string | null;
}

/** Decides a call; `edited` is an input that a person put in place of its own. */
export type Prepare<Asked extends Question> = (edited?: unknown) => Promise<Asked>;

/**
 * The gate that every call of a session passes: what rules let pass goes on, what they deny ends here, and about the rest
 * a person is asked, once. A yes holds for exactly what was shown: the call is decided again after it, and asked about
 * again when anything of it changed.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #questions: Questions;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#questions = new Questions(options);
  }

  /**
   * Brings one call through; `decided` is what `prepare` told of it just before, if it was asked. Throws what `prepare`
   * throws, and what keeps an event from being written.
   */
  async pass<Asked extends Question>(
    asker: Asker,
    prepare: Prepare<Asked>,
    options: PassOptions & { readonly decided?: Asked },
  ): Promise<Passage<Asked>> {
    let decided = options.decided ?? null;
    let given: Yes | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const asked = decided ?? (await prepare());
      decided = null;
      const { action } = asked.verdict;
      if (action === "deny") return withoutAsking(asked, options);
      if (tries === 0 && options.approvalId !== null) {
        const found = await this.#given(asker, options.approvalId);
        if (found.kind !== "approved") return found;
        given = found;
      }
      // Who edited an input wants it in place of this one, also where this one would pass.
      if (action === "allow" && given?.decision.editedInput === undefined)
        return this.#useUp(given, withoutAsking(asked, options));
      const answer =
        given !== null && tries === 0
          ? answerFor(asked, given, options)
          : await this.#questions.put(asker, asked, options);
      if (answer.kind === "changed") continue;
      if (answer.kind !== "approved") return answer;
      const { editedInput } = answer.decision;
      let again = await this.#prepareAgain(() => prepare(), answer.request);
      // The yes is for what was shown, and nothing else; whoever edits an input says yes to what they wrote in its place.
      const isSame = again.argsHash === asked.argsHash;
      if (isSame && editedInput !== undefined)
        again = await this.#prepareAgain(() => prepare(editedInput), answer.request);
      if (isSame && again.verdict.action !== "deny") return this.#use(again, answer);
      await this.#drop(answer.request);
      if (again.verdict.action === "deny") return withoutAsking(again, options);
    }
    return denied(
      "FACTS_UNSTABLE",
      "what the call is about kept changing while it waited for an answer",
      "run it again when the files are at rest",
    );
  }

  /**
   * Whether a call that was decided may be made, without making it: where a person has to be asked, the question is left
   * open, and found again under the same `toolCallId` as long as nothing of the call has changed.
   */
  async clear(asker: Asker, asked: Question, options: ClearOptions): Promise<Clearance> {
    switch (asked.verdict.action) {
      case "allow":
        await putAway(asker, asked, this.#options, options);
        return { kind: "allowed" };
      case "deny":
        return ruledOut(asked, options);
      case "ask":
        return clearanceByPeople(asker, asked, this.#options, this.#questions, options);
    }
  }

  /** Runs what was permitted, and says how it ended where somebody said yes to it. */
  async run<Result extends { readonly kind: string }>(
    { approvalId }: { readonly approvalId: string | null },
    work: () => Promise<Result>,
  ): Promise<Result> {
    let how: "done" | "failed" = "failed";
    try {
      const result = await work();
      if (result.kind === "done") how = "done";
      return result;
    } finally {
      if (approvalId !== null) await this.#finish(approvalId, how);
    }
  }

  /**
   * The answer that was given under an id. Whether the call needs one by then makes no difference: a yes is for one run,
   * and without one nothing runs by it.
   */
  async #given({ tool, agent }: Asker, approvalId: string): Promise<Yes | Stop> {
    const stored = await this.#options.broker.find(approvalId);
    if (stored === null || stored.request.tool !== tool || stored.request.agent !== agent)
      return denied(
        "APPROVAL_DENIED",
        "there is no request under this id for this tool and agent",
        ASK_AGAIN,
      );
    const current = stored.status === "pending" ? await this.#check(stored) : stored;
    const stop = stopOf(current, this.#options.wait.onTimeout);
    const { request, decision } = current;
    if (stop !== null || decision?.status !== "approved") return stop ?? used({ status: "failed" });
    return { kind: "approved", decision, request };
  }

  /** Asks those who may know by now what became of a request that they left open. */
  async #check(stored: StoredRequest): Promise<StoredRequest> {
    const { broker, handlers } = this.#options;
    const { approvalId } = stored.request;
    for (const handler of handlers) {
      const answer = await handler.checkApproval?.(approvalId);
      if (answer === undefined) continue;
      const read = readAnswer(answer, HANDLER);
      // Who keeps nothing knows nothing: that is no answer.
      const isKnown = read.status !== "pending" && !("by" in read && read.by === NOBODY);
      if (isKnown) await broker.respond(approvalId, read, HANDLER);
    }
    return (await broker.find(approvalId)) ?? stored;
  }

  /** Takes the yes, which holds once, and remembers it where it was for the session. */
  async #use<Asked extends Question>(asked: Asked, { decision, request }: Yes): Promise<Passage<Asked>> {
    const { broker, host, sessionId } = this.#options;
    const { approvalId, covers, tool } = request;
    if (!(await broker.claim(approvalId))) return used({ status: "done" });
    // What is remembered is what was shown: neither an edited call nor a payload that has changed since.
    const isAsShown = decision.editedInput === undefined && asked.grantKey.cacheKey === request.cacheKey;
    try {
      if (decision.scope === "session" && covers !== null && isAsShown)
        await broker.saveGrant({
          kind: "call",
          grantId: host.id(),
          sessionId,
          tool,
          key: asked.grantKey,
          covers,
          by: decision.by,
          grantedAt: host.now(),
        });
    } catch (cause) {
      await broker.finish(approvalId, "failed");
      throw cause;
    }
    return { kind: "permitted", asked, isByYes: true, approvalId, by: decision.by };
  }

  /** A call that passes by itself, and yet was asked about: it takes the yes, so that it runs once under its id. */
  async #useUp<Asked>(yes: Yes | null, passage: Passage<Asked>): Promise<Passage<Asked>> {
    if (yes === null || passage.kind !== "permitted") return passage;
    const { approvalId } = yes.request;
    return (await this.#options.broker.claim(approvalId))
      ? { ...passage, approvalId }
      : used({ status: "done" });
  }

  /** What ran has run: a store that can't be told so takes nothing from whoever waits, and finds it abandoned later. */
  async #finish(approvalId: string, how: "done" | "failed"): Promise<void> {
    try {
      await this.#options.broker.finish(approvalId, how);
    } catch (cause) {
      if (!(cause instanceof CofferdamError && cause.code === "STORE_UNAVAILABLE")) throw cause;
    }
  }

  /** Decides once more after a yes. Where that throws, the yes was to something else. */
  async #prepareAgain<Asked>(prepare: () => Promise<Asked>, request: ApprovalRequest): Promise<Asked> {
    try {
      return await prepare();
    } catch (cause) {
      await this.#drop(request);
      throw cause;
    }
  }

  /** A yes to what is no more, or is denied by now: nobody can use it. */
  async #drop({ approvalId }: ApprovalRequest): Promise<void> {
    const { broker } = this.#options;
    if (await broker.claim(approvalId)) await broker.finish(approvalId, "failed");
  }
}

/** A yes that was given for what is asked now: what it was given for can still be run by it, and nothing else. */
function answerFor(asked: Question, yes: Yes, { trail }: PassOptions): Yes | { readonly kind: "changed" } {
  const { request, decision } = yes;
  if (request.argsHash !== asked.argsHash) return { kind: "changed" };
  // It may have been given to another process, long ago: here it counts, so here it is written down.
  trail.record(decidedEvent(request, decision));
  trail.answered(request.approvalId, decision);
  return yes;
}

/** What rules, grants and modes decided by themselves. */
function withoutAsking<Asked extends Question>(asked: Asked, options: PutOptions): Passage<Asked> {
  const { verdict, argsHash } = asked;
  if (verdict.action !== "allow") return ruledOut(asked, options);
  options.trail.record({ type: "approval.auto", argsHash, approved: true, by: verdict.reason });
  return { kind: "permitted", asked, isByYes: isByYes(verdict), approvalId: null, by: null };
}

/** What rules deny. */
function ruledOut({ verdict, argsHash }: Question, { trail }: Pick<PutOptions, "trail">): Stop {
  trail.record({ type: "approval.auto", argsHash, approved: false, by: verdict.reason });
  const layer = verdict.hits.find(({ action }) => action === "deny")?.layer ?? "tool";
  return denied(layer === "mode" ? "APPROVAL_DENIED" : "APPROVAL_BLOCKED", verdict.reason, REMEDIES[layer]);
}
