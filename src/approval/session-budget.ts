import { aborted } from "../host/pause.ts";
import { RecentMap } from "../host/recent-map.ts";
import type { Mode } from "../policy/action.ts";
import { type CheckResult, denied } from "../policy/not-run.ts";
import type { Risk } from "../policy/risk.ts";
import { budgetHit, type UnaskedBudget } from "../policy/unasked-budget.ts";
import { answerByMode, type Verdict } from "../policy/verdict.ts";
import type { DecideAgain } from "./gate.ts";
import type { DecidedCall, GateResult, GateStop } from "./gate-result.ts";

/** The budget of a session, and how its questions are answered. */
export interface SessionBudgetOptions {
  readonly budget: UnaskedBudget;
  readonly mode: Mode;
  readonly now: () => number;
}

/** A call on its way to the gate. */
export interface BudgetedCall<Decided extends DecidedCall> {
  readonly decided: Decided;
  readonly decideAgain: DecideAgain<Decided>;
  /** The risk that its tool declares. */
  readonly risk: Risk | null;
  /** True if the call brings the answer to a request: a person was asked about it. */
  readonly approvalId: string | null;
  readonly signal: AbortSignal | null;
}

/** Puts a call to the gate, as the budget decided it. */
export type ToGate<Decided extends DecidedCall> = (
  decided: Decided,
  decideAgain: DecideAgain<Decided>,
) => Promise<GateResult<Decided>>;

type Denied = Extract<GateStop, { readonly kind: "denied" }>;

/** Maximum of own requests that are remembered while they wait. */
const MAX_ASKED = 1_000;

/**
 * Counts the calls of one session that run without a question. Once its budget is spent, a person is asked about the
 * next one, and an approval of that call begins a new budget. Between two such approvals no more calls than the budget
 * run unasked, however many are made at once. Reads and commands that a person typed do not count.
 */
export class SessionBudget {
  readonly #options: SessionBudgetOptions;
  #count = 0;
  #since: number | null = null;
  /** The open question of a call: it ends with the denial of the calls behind it, or with null if they may try again. */
  #asking: Promise<Denied | null> | null = null;
  /** The requests of this budget that were left open. */
  readonly #asked = new RecentMap<string, true>(MAX_ASKED);

  constructor(options: SessionBudgetOptions) {
    this.#options = options;
  }

  /** Lets one call pass to the gate: as it was decided, or as a question if the budget is spent. */
  async pass<Decided extends DecidedCall>(
    call: BudgetedCall<Decided>,
    toGate: ToGate<Decided>,
  ): Promise<GateResult<Decided>> {
    const { decided, decideAgain, risk, approvalId, signal } = call;
    const again: DecideAgain<Decided> = async (edited, by) =>
      this.#charged(await decideAgain(edited, by), risk);
    if (approvalId !== null) {
      const result = await toGate(decided, again);
      if (result.kind === "approved" && this.#asked.delete(approvalId)) this.#renew();
      return result;
    }
    for (;;) {
      const charged = this.#charged(decided, risk);
      if (!isOwnQuestion(charged)) return toGate(charged, again);
      if (this.#asking === null) return this.#ask(() => toGate(charged, again));
      const stop = await Promise.race([this.#asking, ...(signal === null ? [] : [cancelled(signal)])]);
      if (stop !== null) return stop;
    }
  }

  /** The call as `pass` would decide it now. Nothing is counted. */
  seen<Decided extends DecidedCall>(decided: Decided, risk: Risk | null): Decided {
    const hit = isCounted(decided, risk) ? this.#hit() : null;
    return hit === null ? decided : this.#questioned(decided, hit);
  }

  /** Remembers the request of a checked call, if it is one of this budget. */
  note(decided: DecidedCall, result: CheckResult): void {
    if (result.kind === "pending" && isOwnQuestion(decided)) this.#asked.set(result.approvalId, true);
  }

  /** One question at a time: calls behind it share its rejection, and otherwise try again. */
  async #ask<Decided extends DecidedCall>(
    toGate: () => Promise<GateResult<Decided>>,
  ): Promise<GateResult<Decided>> {
    const { promise, resolve } = Promise.withResolvers<Denied | null>();
    this.#asking = promise;
    let shared: Denied | null = null;
    try {
      const result = await toGate();
      if (result.kind === "approved" && isOwnQuestion(result.decided)) this.#renew();
      if (result.kind === "pending") this.#asked.set(result.approvalId, true);
      if (result.kind !== "denied") return result;
      if (result.deniedBy === "timeout" || result.deniedBy === "person") shared = rejectedBefore(result);
      return result.deniedBy === "nobody" ? { ...result, hint: NO_PERSON } : result;
    } finally {
      this.#asking = null;
      resolve(shared);
    }
  }

  /** Takes a call from the budget, in one step: concurrent calls can't take the same. */
  #charged<Decided extends DecidedCall>(decided: Decided, risk: Risk | null): Decided {
    const seen = this.seen(decided, risk);
    if (seen === decided && isCounted(decided, risk)) {
      this.#count += 1;
      this.#since ??= this.#options.now();
    }
    return seen;
  }

  #hit() {
    const elapsedMs = this.#since === null ? 0 : this.#options.now() - this.#since;
    return budgetHit(this.#options.budget, { count: this.#count, elapsedMs });
  }

  /** The call with the budget's hit: a person must answer, and in the mode `strict` nobody does. */
  #questioned<Decided extends DecidedCall>(decided: Decided, hit: Verdict["hits"][number]): Decided {
    const { hits } = decided.verdict;
    const reason = hit.reason ?? decided.verdict.reason;
    const asked: Verdict = { action: "ask", demandsPerson: true, hits: [...hits, hit], reason };
    const { mode } = this.#options;
    return { ...decided, verdict: mode === "strict" ? answerByMode(asked, mode, false) : asked };
  }

  #renew(): void {
    this.#count = 0;
    this.#since = null;
  }
}

const NO_PERSON = "run it where a person can be asked, or raise `approval.budget`";

function isCounted({ verdict: { action, hits } }: DecidedCall, risk: Risk | null): boolean {
  const isTyped = hits.some(({ layer }) => layer === "caller");
  return action === "allow" && risk !== "read_only" && !isTyped;
}

function isOwnQuestion({ verdict: { action, hits } }: DecidedCall): boolean {
  return action === "ask" && hits.some(({ layer }) => layer === "budget");
}

function rejectedBefore(stop: Denied): Denied {
  return {
    ...stop,
    reason: `the question whether the session may continue was not approved: ${stop.reason}`,
  };
}

async function cancelled(signal: AbortSignal): Promise<Denied> {
  await aborted(signal);
  return denied("approval", "the call was cancelled before an answer");
}
