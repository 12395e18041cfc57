import type { ApprovedRun } from "../approval/gate-result.ts";
import { asksForHosts, type CallPolicy } from "../decide/call-policy.ts";
import { noTerminal } from "../decide/no-terminal.ts";
import type { ProgramOutcome } from "../decide/outcome.ts";
import { type CallFacts, type Prepared, type PreparedRun, prepare, runFor } from "../decide/prepare.ts";
import { CofferdamError } from "../errors.ts";
import { lookUpFacts } from "../host/launch/facts.ts";
import type { LiveCall } from "../host/launch/live-calls.ts";
import { otherTurns } from "../host/turns.ts";
import type { CallLog, EndedCall } from "../journal/call-log.ts";
import type { Network } from "../profile/network.ts";
import { type Call, inputLength } from "../tool/call.ts";
import { asksAbout, MadeByCall } from "./appeared/made-by-call.ts";
import type { ProgramRunOptions } from "./call-options.ts";
import { factsWithoutPlaceholders, registerProgram } from "./concurrency.ts";
import { endDeniedBy, endStopped } from "./end-stopped.ts";
import { enforce } from "./enforce.ts";
import { lookAtCall } from "./look.ts";
import { nearPaths } from "./near-paths.ts";
import type { ReadyCall, ToolRunner } from "./pipeline.ts";
import type { ProgramKindUnder } from "./program-kinds.ts";
import { logPrepared, logReceived } from "./program-log.ts";
import type { SessionContext } from "./session-context.ts";
import type { DecidedProgram } from "./shell-question.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import type { HostPrompt } from "./way-out.ts";

/** Runs one call that starts a program: the shell, a program of the host's own, or a resident one. */
export class ProgramRunner implements ToolRunner<DecidedProgram, ProgramOutcome> {
  readonly #context: SessionContext;
  readonly #kindUnder: ProgramKindUnder;
  readonly #input: unknown;
  readonly #options: ProgramRunOptions;
  readonly isAwaited = true;
  readonly stopped = endStopped;
  #call: Call | null = null;
  /** The state of the supervisor by which the call was decided last. */
  #under: SupervisorContext | null = null;

  constructor(context: SessionContext, kind: ProgramKindUnder, input: unknown, options: ProgramRunOptions) {
    this.#context = context;
    this.#kindUnder = kind;
    this.#input = input;
    this.#options = options;
  }

  async identify() {
    // While no call may run, the decision says so.
    await this.#context.watch.look().catch(() => undefined);
    this.#call = await this.#kindUnder(this.#context.shared).callFor(this.#input);
    const { callId, tool, agent } = this.#call;
    return { callId, tool, agent };
  }

  async decide(log: CallLog): Promise<ReadyCall<DecidedProgram> | EndedCall<ProgramOutcome>> {
    const first = this.#named;
    logReceived(first, log);
    await otherTurns(inputLength(first.input));
    const shared = await this.#look();
    const { policy, keep } = this.#kindUnder(shared);
    if (shared.sandbox.kind === "unavailable") return endDeniedBy(shared.sandbox.error);
    const { window } = this.#options;
    if (window !== undefined && !policy.withApproval.profile.terminal)
      return endStopped({ kind: "denied", code: "DENIED", ...noTerminal(first, policy) });
    const decideBy = async (now: SupervisorContext, edited?: unknown): Promise<DecidedProgram> => {
      const kind = this.#kindUnder(now);
      if (edited !== undefined) {
        this.#call = { ...(await kind.callFor(edited)), callId: first.callId };
        logReceived(this.#call, log);
      }
      const prepared = await this.#prepare(now, kind.policy, log);
      return kind.question(this.#named, prepared);
    };
    const decideAgain = async (edited?: unknown): Promise<DecidedProgram> =>
      decideBy(await this.#look(), edited);
    const decided = await decideBy(shared);
    const { verdict, withApproval } = decided.prepared;
    if (verdict.action === "ask" && withApproval.rendering.kind !== "plan")
      return endUnplanned(withApproval.rendering);
    // Only the caller can supply a program's input stream.
    const kept = first.stdin === "none" ? { input: keep(this.#input, first), cwd: shared.cwd } : null;
    return { kind: "ready", decided, decideAgain, kept };
  }

  /** Registers the call with the running ones. If it had to wait for them, it is decided again: facts may differ. */
  async execute(
    { decided, isApproved }: ApprovedRun<DecidedProgram>,
    log: CallLog,
  ): Promise<EndedCall<ProgramOutcome>> {
    const { prepared } = decided;
    const side = runFor(prepared, isApproved);
    if (side.rendering.kind !== "plan") return endUnplanned(side.rendering);
    const { signal = null } = this.#options;
    const under = this.#decidedUnder;
    using live = await registerProgram(under, side.profile, prepared.facts, signal);
    if (!live.hadToWait) return await this.#enforce(prepared, side, live, log);
    const shared = await this.#look();
    const now = await this.#prepare(shared, this.#kindUnder(shared).policy, log);
    if (now.argsHash !== prepared.argsHash || now.verdict.action !== prepared.verdict.action)
      throw new CofferdamError(
        "FACTS_UNSTABLE",
        "files of the call changed while it waited for other calls",
        { hint: "run it again" },
      );
    return await this.#enforce(now, runFor(now, isApproved), live, log);
  }

  failed(): null {
    return null;
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

  async #prepare(shared: SupervisorContext, policy: CallPolicy, log: CallLog): Promise<Prepared> {
    const prepared = await prepareProgram(shared, this.#named, policy);
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
    return await enforce(
      shared,
      { call, side, policy, plan, live, argsHash, program, facts, made, networkNow: this.#networkNow },
      this.#options,
      (body) => log.record(body),
      plan.proxy === null ? null : await this.#hostPrompt(side, policy, log),
    );
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

/** Decides a call that starts a program, without running it. Throws `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`. */
export async function prepareProgram(
  shared: SupervisorContext,
  call: Call,
  policy: CallPolicy,
): Promise<Prepared> {
  const grants = await shared.broker.grants(call.sessionId);
  const look = await lookAtProgramCall(shared, call, policy);
  await otherTurns(inputLength(call.input));
  return prepare(call, policy, look, grants);
}

/** Looks up the facts that decide a call. Throws `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`. */
export async function lookAtProgramCall(
  { host, sandbox, memory, ledger, cwd }: SupervisorContext,
  { input }: Call,
  policy: CallPolicy,
): Promise<CallFacts> {
  if (sandbox.kind === "unavailable") throw sandbox.error;
  const profiles = [policy.withoutApproval.profile, policy.withApproval.profile];
  const near = () => nearPaths(input, policy, cwd);
  const facts = await factsWithoutPlaceholders(ledger, (held) =>
    lookUpFacts(host, sandbox.machine.facts, profiles, memory, held, near),
  );
  return { ...lookAtCall(input, policy, cwd, host.env["PWD"]), facts, callerEnv: host.env };
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
