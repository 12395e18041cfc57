import { setTimeout as pause } from "node:timers/promises";
import { thrownText } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";
import { RecentMap } from "../host/recent-map.ts";
import type { CallLog } from "../journal/call-log.ts";
import type { Decision } from "../policy/decision.ts";
import { redactText } from "../policy/redact.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ReviewRecord } from "../policy/review-record.ts";
import type { ReviewerSettings } from "../policy/reviewer-section.ts";
import { printDuration } from "../profile/quantity.ts";
import type { Broker } from "./broker.ts";
import { rejected } from "./factories.ts";
import type { Approval, CallIdentity, DecidedCall } from "./gate-result.ts";
import { NOBODY } from "./nobody.ts";
import {
  isForReviewer,
  type ReviewDocument,
  type ReviewedCall,
  type ReviewSubject,
  type ReviewVerdict,
  readReview,
  reviewDocument,
} from "./review.ts";
import { isByReviewer } from "./reviewed.ts";

/** A program, a service or a function that reviews requests, with its settings. */
export interface ReviewRunner {
  /** `reviewer:` and the SHA-256 of it and its settings. */
  readonly by: string;
  /** Its name for people. */
  readonly name: string;
  readonly settings: ReviewerSettings;
  /** Its answer: JSON text or data. Throws if there is none. */
  ask(document: ReviewDocument, signal: AbortSignal): Promise<unknown>;
}

/** The parts of a session's reviewer. */
export interface SessionReviewerOptions {
  /** The reviewer in force; null without one. */
  readonly runner: () => ReviewRunner | null;
  /** Names of tools that are never reviewed: those of the product. */
  readonly unreviewed: ReadonlySet<string>;
  readonly broker: Broker;
}

/** The review of one call, with what its log and its caller's signal need. */
export interface ReviewAround {
  readonly signal: AbortSignal | null;
  readonly log: CallLog;
}

/** Maximum of denied calls that are remembered. */
const MAX_REMEMBERED = 1_000;
/** Maximum of characters of a recorded reason. */
const MAX_BECAUSE = 200;

/**
 * The reviews of one session: which requests are reviewed, within a budget. Every review ends in time and is recorded
 * before it has an effect. An error, a late or a wrong answer is no review: then a person is asked.
 */
export class SessionReviewer {
  readonly #options: SessionReviewerOptions;
  /** The requests of denied calls, by `argsHash`. */
  readonly #denied = new RecentMap<string, string>(MAX_REMEMBERED);
  #counts = { reviews: 0, allowed: 0, denied: 0 };
  /** Since a person last answered a request of the session. */
  #since = { allowed: 0, denied: 0 };
  #running = 0;

  constructor(options: SessionReviewerOptions) {
    this.#options = options;
  }

  /** Reviews a call; null if its request is for a person alone. Throws if the review can't be recorded. */
  async review(
    call: Omit<ReviewedCall, "verdict">,
    decided: Pick<DecidedCall, "verdict" | "argsHash" | "reviewSubject">,
    { signal, log }: ReviewAround,
  ): Promise<ReviewRecord | null> {
    const found = this.#reviewable(call, decided);
    if (found === null) return null;
    const { runner, reviewed, subject } = found;
    const { argsHash } = decided;
    const review = await this.#reviewWithin(runner, reviewed, subject, argsHash, signal);
    const { approvalId, tool } = call;
    log.record({ type: "approval.reviewed", approvalId, tool, argsHash, review });
    if (review.verdict === "deny") this.#denied.set(argsHash, approvalId);
    return review;
  }

  /** True if the reviewer `by` may still answer for a call: rules and the reviewer may change while it reviews. */
  mayAnswer(
    by: string,
    call: Omit<ReviewedCall, "verdict">,
    decided: Pick<DecidedCall, "verdict" | "reviewSubject">,
  ): boolean {
    return this.#reviewable(call, decided)?.runner.by === by;
  }

  /**
   * The approval by which a person overruled the denial of exactly this call; null without one. A denied request that
   * nobody answered is closed, because the call is made again: this time a person is asked.
   */
  async overruled(argsHash: string): Promise<Approval | null> {
    const approvalId = this.#denied.get(argsHash);
    if (approvalId === undefined) return null;
    const { broker } = this.#options;
    const stored = await broker.find(approvalId);
    if (stored?.status === "pending")
      await broker.decide(approvalId, rejected(NOBODY, "the call was made again"), NOBODY);
    if (stored?.status !== "approved" || stored.decision?.status !== "approved") return null;
    return { kind: "approved", approvalId, decision: stored.decision, request: stored.request };
  }

  /** Counts an answer to a request of the session: after one by a person, the reviewer may go on. */
  heard(request: Pick<ApprovalRequest, "review">, decision: Decision): void {
    if (!("by" in decision) || decision.by === NOBODY || isByReviewer(request, decision)) return;
    this.#since = { allowed: 0, denied: 0 };
  }

  /** The reviewer of a call, and what it is told; null if its request is for a person alone, or there is none. */
  #reviewable(
    call: Omit<ReviewedCall, "verdict">,
    { verdict, reviewSubject }: Pick<DecidedCall, "verdict" | "reviewSubject">,
  ) {
    const runner = this.#options.runner();
    if (runner === null || reviewSubject === undefined || this.#options.unreviewed.has(call.tool))
      return null;
    if (verdict.action !== "ask" || verdict.demandsPerson) return null;
    const subject = reviewSubject();
    const reviewed = { ...call, verdict };
    return isForReviewer(reviewed, subject, runner.settings) ? { runner, reviewed, subject } : null;
  }

  async #reviewWithin(
    runner: ReviewRunner,
    call: ReviewedCall,
    subject: ReviewSubject,
    argsHash: string,
    signal: AbortSignal | null,
  ): Promise<ReviewRecord> {
    const { by, name, settings } = runner;
    const none = { verdict: "none", by, name, input: null, durationMs: 0 } as const;
    const spent = this.#whySpent(settings, argsHash);
    if (spent !== null) return { ...none, because: spent };
    this.#counts.reviews += 1;
    this.#running += 1;
    const document = reviewDocument(call, subject, this.#counts);
    const began = performance.now();
    const asked = (): Pick<ReviewRecord, "by" | "name" | "input" | "durationMs"> => ({
      by,
      name,
      input: document.digest,
      durationMs: Math.round(performance.now() - began),
    });
    try {
      const verdict = readReview(await inTime(runner, document, signal), document, settings);
      this.#count(verdict);
      return { verdict, because: null, ...asked() };
    } catch (cause) {
      const because = redactText(thrownText(cause), MAX_BECAUSE).text;
      return { verdict: "none", because, ...asked() };
    } finally {
      this.#running -= 1;
    }
  }

  #count(verdict: ReviewVerdict): void {
    if (verdict === "person") return;
    const which = verdict === "deny" ? "denied" : "allowed";
    this.#counts[which] += 1;
    this.#since[which] += 1;
  }

  /** Why no further review is made, or null. Running reviews count as if they allowed their calls. */
  #whySpent({ budget }: ReviewerSettings, argsHash: string): string | null {
    const { calls, in_a_row: inARow, deny_stop: denyStop } = budget;
    if (this.#denied.has(argsHash)) return "the reviewer denied this call before";
    if (this.#counts.reviews >= calls) return `this session has had ${calls} reviews`;
    if (this.#since.denied >= denyStop)
      return `the reviewer denied ${denyStop} calls since a person answered`;
    if (this.#since.allowed + this.#running >= inARow)
      return `the reviewer allowed ${inARow} calls since a person answered`;
    return null;
  }
}

/** The answer within the time of the budget. A reviewer that goes on is told to end, and not waited for. */
async function inTime(
  runner: ReviewRunner,
  document: ReviewDocument,
  signal: AbortSignal | null,
): Promise<unknown> {
  const { timeout } = runner.settings.budget;
  const over = new AbortController();
  using either = new AnySignal(signal, over.signal);
  const work = Promise.resolve().then(() => runner.ask(document, either.signal));
  // Its error may come after the time is over.
  work.catch(() => undefined);
  const tooLate = pause(timeout, undefined, { signal: either.signal }).then(
    () => {
      throw new Error(`the reviewer did not answer within ${printDuration(timeout)}`);
    },
    () => {
      throw new Error("the call was given up");
    },
  );
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    over.abort();
  }
}

/** False if a reviewer approved a call that is for a person by now. */
export function isStillFor(
  { approvalId, decision, request }: Approval,
  call: CallIdentity,
  decided: Pick<DecidedCall, "verdict" | "reviewSubject">,
  reviewer: SessionReviewer | null = null,
): boolean {
  if (!isByReviewer(request, decision) || decided.verdict.action === "allow") return true;
  return reviewer?.mayAnswer(decision.by, { ...call, approvalId }, decided) === true;
}
