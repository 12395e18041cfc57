import type { Broker } from "../approval/broker.ts";
import { originOfRepeated, originOfRequest } from "../approval/earlier.ts";
import type { DecideAgain, Gate } from "../approval/gate.ts";
import type { ApprovedRun, CallIdentity, DecidedCall } from "../approval/gate-result.ts";
import type { SessionBudget } from "../approval/session-budget.ts";
import { thrownText } from "../errors.ts";
import { CallLog, type EndedCall } from "../journal/call-log.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { CallOrigin } from "../policy/bound-call.ts";
import type { CallAnswer } from "../policy/call-answer.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { CheckResult, NotRun } from "../policy/not-run.ts";
import type { Risk } from "../policy/risk.ts";
import { CallsStoppedError } from "./config-watch.ts";
import { endStopped, stopBy } from "./end-stopped.ts";
import { stillApproved } from "./still-approved.ts";

/** The parts that one session gives to its calls. */
export interface CallContext {
  readonly gate: Gate;
  readonly budget: SessionBudget;
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly sessionId: string;
  /** Makes the end of the session wait until this is disposed. Throws `USAGE` after the end. */
  enter(): Disposable;
}

/** A call that was decided and can be put to the gate. */
export interface ReadyCall<Decided extends DecidedCall> {
  readonly kind: "ready";
  readonly decided: Decided;
  readonly decideAgain: DecideAgain<Decided>;
  /** The risk that its tool declares. */
  readonly risk: Risk | null;
  /** Plans the run as another process did, from now on; absent if nothing of it depends on the process. */
  readonly decideFrom?: (origin: CallOrigin) => Promise<Decided>;
  /** Null if only its caller can run it. */
  readonly kept: KeptCall | null;
}

/** Names one call; its group comes from the caller. */
export type CallName = Omit<CallIdentity, "groupId">;

/** One call of one kind of tool: how it is decided and how it is carried out. */
export interface ToolRunner<Decided extends DecidedCall, Done extends { readonly kind: string }> {
  /** False if the end of the session does not wait for it: a function of the host's may never end. */
  readonly isAwaited: boolean;
  /** Names the call. A program throws `USAGE` for an invalid input: then nothing is recorded. */
  identify(): Promise<CallName> | CallName;
  /**
   * Decides the call, or ends it without a request if no approval could make it run. `origin`: the process that planned
   * the run and asked about it; null for this one.
   */
  decide(log: CallLog, origin: CallOrigin | null): Promise<ReadyCall<Decided> | EndedCall<Done>>;
  execute(approved: ApprovedRun<Decided>, log: CallLog): Promise<EndedCall<Done>>;
  stopped(stop: NotRun): EndedCall<Done>;
  /** False if the config, an operator profile or trust has changed since the last decision. */
  isCurrent(): boolean;
  /** Ends a call that failed; null if the cause is to be thrown. */
  failed(cause: unknown): EndedCall<Done> | null;
}

/** How one call is run. */
export interface PassOptions {
  readonly signal?: AbortSignal;
  /** Calls of one turn share it: they can be answered together. */
  readonly groupId?: string;
  /** The id of a request that was answered since. Never a text from a model. */
  readonly approvalId?: string;
}

/** How one call is checked. */
export interface CheckOptions extends Omit<PassOptions, "approvalId"> {
  /**
   * A framework's id for this call. Asking again under it, in any process, finds the same request while the call is
   * unchanged and its answer unused.
   */
  readonly toolCallId?: string;
  /** False: only earlier requests are found, and no new one is made. */
  readonly mayAsk?: boolean;
  /** True if this id can never name another call: a rejection is then final for it. */
  readonly isUnique?: boolean;
}

/**
 * Runs one call of any tool. The call is named and decided. It ends early if no approval could help; else it passes the gate
 * and is carried out. Its record has exactly one end. Throws errors of `identify`, and failures that are no outcome.
 */
export async function runCall<Decided extends DecidedCall, Done extends { readonly kind: string }>(
  context: CallContext,
  runner: ToolRunner<Decided, Done>,
  { signal, groupId, approvalId }: PassOptions,
): Promise<Done> {
  using open = context.enter();
  if (!runner.isAwaited) open[Symbol.dispose]();
  const name = await runner.identify();
  using log = logOf(context, name);
  let answer: CallAnswer | null = null;
  const end = (ended: EndedCall<Done>): Done => answered(log.end(ended), answer);
  try {
    const identity = { ...name, groupId: groupId ?? null };
    const origin =
      approvalId === undefined ? null : await originOfRequest(context.broker, approvalId, identity);
    const ready = await runner.decide(log, origin);
    if (ready.kind === "ended") return end(ready);
    const decideAgain: DecideAgain<Decided> = (edited, by = null) => {
      answer = by;
      return ready.decideAgain(edited);
    };
    const call = { ...ready, decideAgain, signal: signal ?? null, approvalId: approvalId ?? null };
    const pass = { signal: call.signal, approvalId: call.approvalId, log, call: ready.kept };
    const result = await context.budget.pass(call, (decided, again) =>
      context.gate.pass(identity, decided, again, pass),
    );
    // A call that waited when trust was revoked was not given up by its caller.
    if (result.kind === "denied" && signal?.aborted === true && signal.reason instanceof CallsStoppedError)
      throw signal.reason;
    if (result.kind !== "approved") return end(runner.stopped(result));
    answer = result.answer;
    return await context.gate.track(result, async () => {
      const current = await stillApproved(result, runner, () => ready.decideAgain());
      if (current.kind !== "approved") return end(runner.stopped(current));
      // The session may have ended while a function waited for its approval.
      if (!runner.isAwaited) context.enter()[Symbol.dispose]();
      return end(withReview(await runner.execute(current, log), current));
    });
  } catch (cause) {
    return end(endFailed(runner, cause, log));
  }
}

/** The outcome with what an approval said: also if the input that it put in place was denied, or was invalid. */
function answered<Done>(outcome: Done, answer: CallAnswer | null): Done {
  return answer === null ? outcome : { ...outcome, answer };
}

/** Tells in the outcome of a call that ran which review allowed it. */
function withReview<Done extends { readonly kind: string }>(
  ended: EndedCall<Done>,
  { review }: Pick<ApprovedRun<DecidedCall>, "review">,
): EndedCall<Done> {
  const { outcome } = ended;
  const hasRun = outcome.kind === "done" || outcome.kind === "failed" || outcome.kind === "timed-out";
  return review === null || !hasRun ? ended : { ...ended, outcome: { ...outcome, review } };
}

/** Checks a call up to the gate. One that ends before it, and is not denied, needs no approval. Throws as `runCall`. */
export async function checkCall<Decided extends DecidedCall, Done extends { readonly kind: string }>(
  context: CallContext,
  runner: ToolRunner<Decided, Done>,
  { signal, groupId, toolCallId, mayAsk = true, isUnique = false }: CheckOptions,
): Promise<CheckResult> {
  using _open = context.enter();
  const name = await runner.identify();
  using log = logOf(context, name);
  try {
    const call = { ...name, groupId: groupId ?? null };
    const ready = await runner.decide(log, null);
    if (ready.kind === "ended") return asCheck(log.end(ready));
    const planned = await decidedBefore(context, ready, call, toolCallId);
    const decided = context.budget.seen(planned, ready.risk);
    const result = await context.gate.check(call, decided, {
      signal: signal ?? null,
      toolCallId: toolCallId ?? null,
      mayAsk,
      isUnique,
      log,
      call: ready.kept,
    });
    context.budget.note(decided, result);
    if (isNotRun(result)) return log.end(endStopped(result));
    return log.end({ kind: "ended", outcome: result, end: { outcome: "cleared" } });
  } catch (cause) {
    return asCheck(log.end(endFailed(runner, cause, log)));
  }
}

/** The call as the process that first asked about it planned it; else as it was decided here. */
async function decidedBefore<Decided extends DecidedCall>(
  { broker }: CallContext,
  { decided, decideFrom }: ReadyCall<Decided>,
  call: CallIdentity,
  toolCallId: string | undefined,
): Promise<Decided> {
  if (decideFrom === undefined || toolCallId === undefined) return decided;
  const origin = await originOfRepeated(broker, call, decided, toolCallId);
  return origin === null ? decided : decideFrom(origin);
}

function logOf({ recorder, sessionId }: CallContext, name: CallName): CallLog {
  return new CallLog(recorder, { ...name, sessionId });
}

/** Ends a call that failed. Throws the cause, recorded, if the runner returns no outcome for it. */
function endFailed<Done extends { readonly kind: string }>(
  runner: Pick<ToolRunner<DecidedCall, Done>, "failed" | "stopped">,
  cause: unknown,
  log: CallLog,
): EndedCall<Done> {
  const ended = cause instanceof CallsStoppedError ? runner.stopped(stopBy(cause)) : runner.failed(cause);
  if (ended !== null) return ended;
  log.end({ kind: "ended", outcome: null, end: { outcome: "failed", reason: thrownText(cause) } });
  throw cause;
}

function asCheck(outcome: { readonly kind: string } | NotRun): CheckResult {
  return isNotRun(outcome) ? outcome : { kind: "allowed" };
}

function isNotRun(outcome: { readonly kind: string }): outcome is NotRun {
  return outcome.kind === "denied" || outcome.kind === "pending";
}
