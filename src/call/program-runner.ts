import type { ApprovedRun } from "../approval/gate-result.ts";
import { asksForHosts, type CallPolicy } from "../decide/call-policy.ts";
import { noTerminal } from "../decide/no-terminal.ts";
import { baseOf, callerEnvUnder } from "../decide/origin.ts";
import type { ProgramOutcome } from "../decide/outcome.ts";
import { type CallFacts, type Prepared, type PreparedRun, prepare, runFor } from "../decide/prepare.ts";
import { CofferdamError, thrownText } from "../errors.ts";
import { lookUpFacts } from "../host/launch/facts.ts";
import type { LiveCall } from "../host/launch/live-calls.ts";
import { otherTurns } from "../host/turns.ts";
import type { CallLog, EndedCall } from "../journal/call-log.ts";
import { type BoundCall, type CallOrigin, changedParts, printChanged } from "../policy/bound-call.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { AbsolutePath } from "../profile/path.ts";
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
  readonly #throws: boolean;
  readonly #context: SessionContext;
  readonly #kind: ProgramKind;
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

  /** `throws`: an input that the tool does not take is thrown, instead of an outcome. */
  constructor(
    context: SessionContext,
    kind: ProgramKind,
    input: unknown,
    options: ProgramRunOptions,
    throws = false,
  ) {
    this.#throws = throws;
    this.#context = context;
    this.#kind = kind;
    this.#input = input;
    this.#options = options;
  }

  async identify() {
    const call = await this.#callFor(this.#input);
    const { shared, options } = this.#context;
    if (call === null)
      return { callId: shared.host.id(), tool: this.#kind.tool, agent: options.agent ?? null };
    const { callId, tool, agent } = call;
    return { callId, tool, agent };
  }

  async decide(
    log: CallLog,
    origin: CallOrigin | null,
  ): Promise<ReadyCall<DecidedProgram> | EndedCall<ProgramOutcome>> {
    const { shared } = this.#context;
    if (this.#invalid !== null) throw this.#invalid.error;
    const { callId } = this.#named;
    if (origin !== null) await this.#planFrom(origin);
    const first = this.#named;
    logReceived(first, log);
    await otherTurns(inputLength(first.input));
    if (shared.sandbox.kind === "unavailable") return endDeniedBy(shared.sandbox.error);
    const { window } = this.#options;
    if (window !== undefined && !this.#kind.policy.withApproval.profile.terminal)
      return endStopped({ kind: "denied", code: "DENIED", ...noTerminal(first, this.#kind.policy) });
    const decideAgain = async (edited?: unknown): Promise<DecidedProgram> => {
      if (edited !== undefined) {
        const call = await this.#callFor(edited);
        if (call === null) throw this.#invalid?.error;
        this.#call = { ...call, callId };
        logReceived(this.#call, log);
      }
      const prepared = await this.#prepare(this.#named, log);
      return this.#kind.question(this.#named, prepared);
    };
    const decideFrom = async (other: CallOrigin): Promise<DecidedProgram> => {
      await this.#planFrom(other);
      return decideAgain();
    };
    const decided = await decideAgain();
    const { verdict, withApproval } = decided.prepared;
    if (verdict.action === "ask" && withApproval.rendering.kind !== "plan")
      return endUnplanned(withApproval.rendering);
    // Only the caller can supply a program's input stream.
    const kept =
      first.stdin === "none" ? { input: this.#kind.keep(this.#input, first), cwd: this.#base } : null;
    return { kind: "ready", decided, decideAgain, decideFrom, risk: this.#kind.risk, kept };
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
  async #callFor(input: unknown): Promise<Call | null> {
    try {
      this.#call = await this.#kind.callFor(input, this.#base);
      return this.#call;
    } catch (error) {
      this.#invalid = { error };
      return null;
    }
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
    this.#call = { ...(await this.#kind.callFor(this.#input, this.#base)), callId: this.#named.callId };
  }

  async #prepare(call: Call, log: CallLog): Promise<Prepared> {
    const prepared = await prepareProgram(this.#context, call, this.#kind.policy, this.#origin);
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
    const ended = await enforce(
      shared,
      { call, side, policy, plan, live, argsHash, program, facts, made },
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
  { shared, deniedCalls }: Pick<SessionContext, "shared" | "deniedCalls">,
  call: Call,
  policy: CallPolicy,
  origin: CallOrigin | null = null,
): Promise<Prepared> {
  const memory = await shared.broker.memory.of(call.sessionId);
  const look = await lookAtProgramCall(shared, call, policy, origin);
  await otherTurns(inputLength(call.input));
  return prepare(call, policy, look, memory, (argsHash) => deniedCalls.has(argsHash));
}

/**
 * Looks up the facts that decide a call; `origin` is the process that planned it, null for this one. Throws
 * `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`.
 */
export async function lookAtProgramCall(
  { host, sandbox, memory, ledger, cwd: own }: SupervisorContext,
  { input }: Call,
  policy: CallPolicy,
  origin: CallOrigin | null = null,
): Promise<CallFacts> {
  if (sandbox.kind === "unavailable") throw sandbox.error;
  const cwd = baseOf(origin, own);
  const pwd = origin === null ? (host.env["PWD"] ?? null) : origin.pwd;
  const profiles = [policy.withoutApproval.profile, policy.withApproval.profile];
  const near = () => nearPaths(input, policy, cwd);
  const facts = await factsWithoutPlaceholders(ledger, (held) =>
    lookUpFacts(host, sandbox.machine.facts, profiles, memory, held, near),
  );
  return {
    ...lookAtCall(input, policy, cwd, pwd ?? undefined),
    facts,
    callerEnv: origin === null ? host.env : callerEnvUnder(origin, host.env),
    from: { cwd, pwd },
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
