import type { ApprovedRun } from "../approval/gate-result.ts";
import { asksForHosts, type CallPolicy } from "../decide/call-policy.ts";
import { noTerminal } from "../decide/no-terminal.ts";
import { baseOf } from "../decide/origin.ts";
import type { ProgramOutcome } from "../decide/outcome.ts";
import { type Prepared, type PreparedRun, runFor } from "../decide/prepare.ts";
import { CofferdamError, thrownText } from "../errors.ts";
import type { LiveCall } from "../host/launch/live-calls.ts";
import { otherTurns } from "../host/turns.ts";
import type { CallLog, EndedCall } from "../journal/call-log.ts";
import { type BoundCall, type CallOrigin, changedParts, printChanged } from "../policy/bound-call.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Network } from "../profile/network.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { type Call, inputLength } from "../tool/call.ts";
import { asksAbout, MadeByCall } from "./appeared/made-by-call.ts";
import type { ProgramRunOptions } from "./call-options.ts";
import { registerProgram } from "./concurrency.ts";
import { endDeniedBy, endStopped } from "./end-stopped.ts";
import { enforce } from "./enforce.ts";
import type { ReadyCall, ToolRunner } from "./pipeline.ts";
import { prepareProgram } from "./prepare-program.ts";
import type { ProgramKind, ProgramKindUnder } from "./program-kinds.ts";
import { logPrepared, logReceived } from "./program-log.ts";
import type { SessionContext } from "./session-context.ts";
import type { DecidedProgram } from "./shell-question.ts";
import { isStillAllowed } from "./still-approved.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import type { HostPrompt } from "./way-out.ts";

/** Runs one call that starts a program: the shell, a program of the host's own, or a resident one. */
export class ProgramRunner implements ToolRunner<DecidedProgram, ProgramOutcome> {
  readonly #throws: boolean;
  readonly #context: SessionContext;
  readonly #kindUnder: ProgramKindUnder;
  readonly #input: unknown;
  readonly #options: ProgramRunOptions;
  readonly isAwaited = true;
  readonly stopped = endStopped;
  readonly #startedAt = performance.now();
  #call: Call | null = null;
  /** The error of an input that the tool does not take; null if there is none. */
  #invalid: { readonly error: unknown } | null = null;
  /** The process that planned the run; null for this one. */
  #origin: CallOrigin | null = null;
  /** The state of the supervisor by which the call was decided last. */
  #under: SupervisorContext | null = null;

  /** `throws`: an input that the tool does not take is thrown, instead of an outcome. */
  constructor(
    context: SessionContext,
    kind: ProgramKindUnder,
    input: unknown,
    options: ProgramRunOptions,
    throws = false,
  ) {
    this.#throws = throws;
    this.#context = context;
    this.#kindUnder = kind;
    this.#input = input;
    this.#options = options;
  }

  async identify() {
    // While no call may run, the decision says so.
    await this.#context.watch.look().catch(() => undefined);
    const { shared, options } = this.#context;
    const kind = this.#kindUnder(shared);
    const call = await this.#callFor(kind, this.#input);
    if (call === null) return { callId: shared.host.id(), tool: kind.tool, agent: options.agent ?? null };
    const { callId, tool, agent } = call;
    return { callId, tool, agent };
  }

  async decide(
    log: CallLog,
    origin: CallOrigin | null,
  ): Promise<ReadyCall<DecidedProgram> | EndedCall<ProgramOutcome>> {
    if (this.#invalid !== null) throw this.#invalid.error;
    const { callId } = this.#named;
    if (origin !== null) await this.#planFrom(origin);
    const first = this.#named;
    logReceived(first, log);
    await otherTurns(inputLength(first.input));
    const shared = await this.#look();
    const { policy, risk, keep } = this.#kindUnder(shared);
    if (shared.sandbox.kind === "unavailable") return endDeniedBy(shared.sandbox.error);
    const { window } = this.#options;
    if (window !== undefined && !policy.withApproval.profile.terminal)
      return endStopped({ kind: "denied", code: "DENIED", ...noTerminal(first, policy) });
    const decideBy = async (now: SupervisorContext, edited?: unknown): Promise<DecidedProgram> => {
      const kind = this.#kindUnder(now);
      if (edited !== undefined) {
        const call = await this.#callFor(kind, edited);
        if (call === null) throw this.#invalid?.error;
        this.#call = { ...call, callId };
        logReceived(this.#call, log);
      }
      const prepared = await this.#prepare(now, kind.policy, log);
      return kind.question(this.#named, prepared);
    };
    const decideAgain = async (edited?: unknown): Promise<DecidedProgram> =>
      decideBy(await this.#look(), edited);
    const decideFrom = async (other: CallOrigin): Promise<DecidedProgram> => {
      await this.#planFrom(other);
      return decideAgain();
    };
    const decided = await decideBy(shared);
    const { verdict, withApproval } = decided.prepared;
    if (verdict.action === "ask" && withApproval.rendering.kind !== "plan")
      return endUnplanned(withApproval.rendering);
    // Only the caller can supply a program's input stream.
    const kept = first.stdin === "none" ? { input: keep(this.#input, first), cwd: this.#base } : null;
    return { kind: "ready", decided, decideAgain, decideFrom, risk, kept };
  }

  /** Registers the call with the running ones. If it had to wait for them, it is decided again: facts may differ. */
  async execute(approved: ApprovedRun<DecidedProgram>, log: CallLog): Promise<EndedCall<ProgramOutcome>> {
    const { decided, isApproved } = approved;
    const { prepared } = decided;
    const side = runFor(prepared, isApproved);
    if (side.rendering.kind !== "plan") return endUnplanned(side.rendering);
    const { signal = null } = this.#options;
    const under = this.#decidedUnder;
    using live = await registerProgram(under, side.profile, prepared.facts, signal);
    if (!live.hadToWait) return await this.#enforce(prepared, side, live, log);
    const shared = await this.#look();
    const now = await this.#prepare(shared, this.#kindUnder(shared).policy, log);
    const isAllowed =
      (await this.#isAsAllowed(prepared.verdict, now.verdict)) &&
      (shared === under || isStillAllowed(approved, now.verdict));
    if (now.argsHash !== prepared.argsHash || !isAllowed)
      throw new CofferdamError(
        "FACTS_UNSTABLE",
        `the call changed while it waited for other calls: ${changed(prepared, now)}`,
        { hint: "run it again" },
      );
    return await this.#enforce(now, runFor(now, isApproved), live, log);
  }

  /** True if the verdict is as before; a grant may have answered its last call with this one. */
  async #isAsAllowed({ action, remembered }: Verdict, now: Verdict): Promise<boolean> {
    if (now.action === action) return true;
    const { memory } = this.#context.shared.broker;
    return now.action === "ask" && remembered !== undefined && (await memory.isKnown(remembered));
  }

  /** An input that the tool does not take is the model's to correct; every other error is thrown. */
  failed(error: unknown): EndedCall<ProgramOutcome> | null {
    if (this.#throws || this.#invalid?.error !== error) return null;
    const durationMs = performance.now() - this.#startedAt;
    const end = { outcome: "failed", reason: thrownText(error), durationMs } as const;
    return { kind: "ended", outcome: { kind: "failed", error, durationMs }, end };
  }

  /** The call for an input; null if the tool does not take it. */
  async #callFor(kind: ProgramKind, input: unknown): Promise<Call | null> {
    try {
      this.#call = await kind.callFor(input, this.#base);
      return this.#call;
    } catch (error) {
      this.#invalid = { error };
      return null;
    }
  }

  isCurrent(): boolean {
    return this.#context.watch.isCurrent(this.#decidedUnder);
  }

  async #look(): Promise<SupervisorContext> {
    this.#under = await this.#context.watch.look();
    return this.#under;
  }

  get #decidedUnder(): SupervisorContext {
    return this.#under ?? this.#context.shared;
  }

  get #named(): Call {
    if (this.#call !== null) return this.#call;
    throw new CofferdamError("INTERNAL", "a call was decided before it was identified");
  }

  get #base(): AbsolutePath {
    return baseOf(this.#origin, this.#context.shared.cwd);
  }

  /** Plans the run as the process that asked about it did: its tool makes the words in that process's folder. */
  async #planFrom(origin: CallOrigin): Promise<void> {
    this.#origin = origin;
    const { callFor } = this.#kindUnder(this.#context.shared);
    this.#call = { ...(await callFor(this.#input, this.#base)), callId: this.#named.callId };
  }

  async #prepare(shared: SupervisorContext, policy: CallPolicy, log: CallLog): Promise<Prepared> {
    const prepared = await prepareProgram(this.#context, shared, this.#named, policy, this.#origin);
    logPrepared(log, prepared);
    return prepared;
  }

  async #enforce(
    { argsHash, program, facts, policy }: Prepared,
    side: PreparedRun,
    live: LiveCall,
    log: CallLog,
  ): Promise<EndedCall<ProgramOutcome>> {
    const { rendering } = side;
    if (rendering.kind !== "plan") return endUnplanned(rendering);
    const call = this.#named;
    const shared = this.#decidedUnder;
    await using made = this.#followMade(side, facts, log, live);
    const { plan } = rendering;
    const ended = await enforce(
      shared,
      { call, side, policy, plan, live, argsHash, program, facts, made, networkNow: this.#networkNow },
      this.#options,
      (body) => log.record(body),
      plan.proxy === null ? null : await this.#hostPrompt(side, policy, log),
    );
    const { outcome } = ended;
    if ("denials" in outcome && outcome.denials?.some(({ askable }) => askable === true) === true)
      this.#context.deniedCalls.set(argsHash, true);
    return ended;
  }

  /** Follows the files that the call makes and hosts execute. None was approved: a command does not name them. */
  #followMade(side: PreparedRun, facts: Prepared["facts"], log: CallLog, live: LiveCall): MadeByCall {
    const { sessionId, callId, tool, agent } = this.#named;
    const shared = this.#decidedUnder;
    const { groupId = null, signal = null } = this.#options;
    return new MadeByCall({
      shared,
      profile: side.profile,
      facts,
      from: { sessionId, callId, tool, workspace: shared.loaded.config.workspace },
      record: (body) => log.record(body),
      agreed: [],
      asks: asksAbout(this.#context, { log, agent, groupId, signal }),
      onTaken: () => live[Symbol.dispose](),
    });
  }

  /** Asks people about hosts while the call runs; null if no one is asked. */
  async #hostPrompt(granted: PreparedRun, policy: CallPolicy, log: CallLog): Promise<HostPrompt | null> {
    if (!asksForHosts(policy)) return null;
    const { hostPromptFor } = await import("./host-prompt.ts");
    const { shared, gate } = this.#context;
    return hostPromptFor({ shared, gate, call: this.#named, policyNow: this.#policyNow, granted, log });
  }

  /** The policy of such calls at this moment, while one runs. Throws `CallsStoppedError`. */
  readonly #policyNow = async (): Promise<CallPolicy> =>
    this.#kindUnder(await this.#context.watch.look()).policy;

  /** The network that a config changed since leaves to the running call; none while no call may run. */
  readonly #networkNow = async (): Promise<Network> => {
    try {
      return (await this.#policyNow()).withApproval.profile.network;
    } catch (cause) {
      if (cause instanceof CofferdamError) return "none";
      throw cause;
    }
  };
}

function changed(then: { readonly bound: BoundCall }, now: { readonly bound: BoundCall }): string {
  return printChanged(changedParts(then.bound.parts, now.bound.parts));
}

/** The end of a call that no approval can make run. */
function endUnplanned(
  rendering: Exclude<PreparedRun["rendering"], { readonly kind: "plan" }>,
): EndedCall<ProgramOutcome> {
  if (rendering.kind === "not-found") {
    const { reason, hint } = rendering;
    const outcome = { kind: "not-found", code: 127, reason, hint } as const;
    return { kind: "ended", outcome, end: { outcome: "failed", code: 127, reason } };
  }
  const { reason, remedy: hint } = rendering.refusal;
  return endStopped({
    kind: "denied",
    code: rendering.kind === "denied" ? rendering.code : "NOT_ENFORCEABLE",
    reason,
    hint,
  });
}
