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
import type { Verdict } from "../policy/verdict.ts";
import { type Call, inputLength } from "../tool/call.ts";
import { asksAbout, MadeByCall } from "./appeared/made-by-call.ts";
import type { ProgramRunOptions } from "./call-options.ts";
import { factsWithoutPlaceholders, registerProgram } from "./concurrency.ts";
import { endDeniedBy, endStopped } from "./end-stopped.ts";
import { enforce } from "./enforce.ts";
import { lookAtCall } from "./look.ts";
import { nearPaths } from "./near-paths.ts";
import type { ReadyCall, ToolRunner } from "./pipeline.ts";
import type { ProgramKind } from "./program-kinds.ts";
import { logPrepared, logReceived } from "./program-log.ts";
import type { SessionContext } from "./session-context.ts";
import type { DecidedProgram } from "./shell-question.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import type { HostPrompt } from "./way-out.ts";

/** Runs one call that starts a program: the shell, a program of the host's own, or a resident one. */
export class ProgramRunner implements ToolRunner<DecidedProgram, ProgramOutcome> {
  readonly #context: SessionContext;
  readonly #kind: ProgramKind;
  readonly #input: unknown;
  readonly #options: ProgramRunOptions;
  readonly isAwaited = true;
  readonly stopped = endStopped;
  #call: Call | null = null;

  constructor(context: SessionContext, kind: ProgramKind, input: unknown, options: ProgramRunOptions) {
    this.#context = context;
    this.#kind = kind;
    this.#input = input;
    this.#options = options;
  }

  async identify() {
    this.#call = await this.#kind.callFor(this.#input);
    const { callId, tool, agent } = this.#call;
    return { callId, tool, agent };
  }

  async decide(log: CallLog): Promise<ReadyCall<DecidedProgram> | EndedCall<ProgramOutcome>> {
    const { shared } = this.#context;
    const first = this.#named;
    logReceived(first, log);
    await otherTurns(inputLength(first.input));
    if (shared.sandbox.kind === "unavailable") return endDeniedBy(shared.sandbox.error);
    const { window } = this.#options;
    if (window !== undefined && !this.#kind.policy.withApproval.profile.terminal)
      return endStopped({ kind: "denied", code: "DENIED", ...noTerminal(first, this.#kind.policy) });
    const decideAgain = async (edited?: unknown): Promise<DecidedProgram> => {
      if (edited !== undefined) {
        this.#call = { ...(await this.#kind.callFor(edited)), callId: first.callId };
        logReceived(this.#call, log);
      }
      const prepared = await this.#prepare(this.#named, log);
      return this.#kind.question(this.#named, prepared);
    };
    const decided = await decideAgain();
    const { verdict, withApproval } = decided.prepared;
    if (verdict.action === "ask" && withApproval.rendering.kind !== "plan")
      return endUnplanned(withApproval.rendering);
    // Only the caller can supply a program's input stream.
    const kept =
      first.stdin === "none" ? { input: this.#kind.keep(this.#input, first), cwd: shared.cwd } : null;
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
    using live = await registerProgram(this.#context.shared, side.profile, prepared.facts, signal);
    if (!live.hadToWait) return await this.#enforce(prepared, side, live, log);
    const now = await this.#prepare(this.#named, log);
    if (now.argsHash !== prepared.argsHash || !(await this.#isAsAllowed(prepared.verdict, now.verdict)))
      throw new CofferdamError(
        "FACTS_UNSTABLE",
        "files of the call changed while it waited for other calls",
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

  failed(): null {
    return null;
  }

  get #named(): Call {
    if (this.#call !== null) return this.#call;
    throw new CofferdamError("INTERNAL", "a call was decided before it was identified");
  }

  async #prepare(call: Call, log: CallLog): Promise<Prepared> {
    const prepared = await prepareProgram(this.#context.shared, call, this.#kind.policy);
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
    const { shared } = this.#context;
    await using made = this.#followMade(side, facts, log, live);
    const { plan } = rendering;
    return await enforce(
      shared,
      { call, side, policy, plan, live, argsHash, program, facts, made },
      this.#options,
      (body) => log.record(body),
      plan.proxy === null ? null : await this.#hostPrompt(side, policy, log),
    );
  }

  /** Follows the files that the call makes and hosts execute. None was approved: a command does not name them. */
  #followMade(side: PreparedRun, facts: Prepared["facts"], log: CallLog, live: LiveCall): MadeByCall {
    const { sessionId, callId, tool, agent } = this.#named;
    const { shared } = this.#context;
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
    return hostPromptFor({ shared, gate, call: this.#named, policy, granted, log });
  }
}

/** Decides a call that starts a program, without running it. Throws `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`. */
export async function prepareProgram(
  shared: SupervisorContext,
  call: Call,
  policy: CallPolicy,
): Promise<Prepared> {
  const memory = await shared.broker.memory.of(call.sessionId);
  const look = await lookAtProgramCall(shared, call, policy);
  await otherTurns(inputLength(call.input));
  return prepare(call, policy, look, memory);
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
