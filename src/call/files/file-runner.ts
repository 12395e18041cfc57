import type { ApprovedRun } from "../../approval/gate-result.ts";
import type { EffectiveProfile } from "../../decide/call-policy.ts";
import { baseOf } from "../../decide/origin.ts";
import type { ValueOutcome } from "../../decide/outcome.ts";
import { type Executed, isRuledOut } from "../../decide/prepare-file.ts";
import { CofferdamError, thrownText } from "../../errors.ts";
import type { CallLog, EndedCall } from "../../journal/call-log.ts";
import type { CallOrigin } from "../../policy/bound-call.ts";
import { hasApproval } from "../../policy/verdict.ts";
import type { AnyFileTool } from "../../tool/files/all.ts";
import { FileFaultError } from "../../tool/files/faults.ts";
import { asksAbout, MadeByCall, type Making } from "../appeared/made-by-call.ts";
import { registerFiles } from "../concurrency.ts";
import { endDeniedBy, endStopped } from "../end-stopped.ts";
import type { PassOptions, ReadyCall, ToolRunner } from "../pipeline.ts";
import { receiptOf } from "../receipt.ts";
import type { SessionContext } from "../session-context.ts";
import type { SupervisorContext } from "../supervisor-context.ts";
import { type DecidedFileUse, FileDecisions } from "./file-decisions.ts";
import { denialFor, errorFor, refusedUse } from "./refused.ts";
import { TemporariesSweep } from "./sweeping.ts";
import { type Follow, Workers, type WorkersFor } from "./workers.ts";

/** The parts that all file calls of one session share: workers, and the cleanup of their temporaries. */
export class FileTools implements AsyncDisposable {
  readonly sweeping: TemporariesSweep;
  readonly decisions: FileDecisions;
  readonly #context: SessionContext;
  readonly #workersUnder = new WeakMap<SupervisorContext, Workers>();
  #workers: Workers;
  /** The ends of workers of earlier configs. */
  #retired: Promise<unknown> = Promise.resolve();

  constructor(context: SessionContext) {
    const { shared } = context;
    this.#context = context;
    this.#workers = new Workers(shared);
    this.#workersUnder.set(shared, this.#workers);
    const workersFor: WorkersFor = (under) => this.workersFor(under);
    this.sweeping = new TemporariesSweep(context, workersFor);
    this.decisions = new FileDecisions(context, workersFor);
  }

  /** The workers under a state of the config; those of the one before end. */
  workersFor(shared: SupervisorContext): Workers {
    const known = this.#workersUnder.get(shared);
    if (known !== undefined && (known === this.#workers || shared !== this.#context.shared)) return known;
    const ended = this.#workers.retire().catch(() => undefined);
    this.#retired = Promise.all([this.#retired, ended]);
    this.#workers = new Workers(shared);
    this.#workersUnder.set(shared, this.#workers);
    return this.#workers;
  }

  /** Prepares a call: removes the remains of earlier calls. */
  async begin(): Promise<void> {
    this.#context.shared.running.add(this);
    await this.sweeping.sweep();
  }

  /** Ends the running calls, removes their remains, and ends the workers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { shared, shutdown } = this.#context;
    shared.running.delete(this);
    await shutdown.come();
    await this.sweeping[Symbol.asyncDispose]();
    await this.#workers[Symbol.asyncDispose]();
    await this.#retired;
  }
}

/**
 * Runs one call of a file tool. A worker in the sandbox looks at every path. Another one, with the grants of the
 * verdict, carries the call out: the supervisor never reads a file with its own rights.
 */
export class FileRunner implements ToolRunner<DecidedFileUse, ValueOutcome> {
  readonly isAwaited = true;
  readonly stopped = endStopped;
  readonly #throws: boolean;
  readonly #context: SessionContext;
  readonly #tools: FileTools;
  readonly #tool: AnyFileTool;
  readonly #input: unknown;
  readonly #options: PassOptions;
  readonly #startedAt = performance.now();
  #decided: DecidedFileUse | null = null;

  /** `throws`: an input that the tool does not take is thrown, instead of an outcome. */
  constructor(
    context: SessionContext,
    tools: FileTools,
    tool: AnyFileTool,
    input: unknown,
    options: PassOptions,
    throws = false,
  ) {
    this.#throws = throws;
    this.#context = context;
    this.#tools = tools;
    this.#tool = tool;
    this.#input = input;
    this.#options = options;
  }

  identify() {
    const { shared, options } = this.#context;
    return { callId: shared.host.id(), tool: this.#tool.name, agent: options.agent ?? null };
  }

  isCurrent(): boolean {
    return this.#tools.decisions.isCurrent(this.#decided);
  }

  async decide(
    log: CallLog,
    origin: CallOrigin | null,
  ): Promise<ReadyCall<DecidedFileUse> | EndedCall<ValueOutcome>> {
    const { sandbox, cwd: own } = await this.#context.watch.look();
    if (sandbox.kind === "unavailable") return endDeniedBy(sandbox.error);
    await this.#tools.begin();
    const { agent = null } = this.#context.options;
    let cwd = baseOf(origin, own);
    let input = this.#input;
    const decideAgain = async (edited?: unknown): Promise<DecidedFileUse> => {
      input = edited ?? input;
      this.#decided = await this.#tools.decisions.decide(
        this.#tool,
        input,
        log,
        agent,
        this.#options.signal ?? null,
        cwd,
      );
      return this.#decided;
    };
    const decideFrom = (other: CallOrigin): Promise<DecidedFileUse> => {
      cwd = baseOf(other, own);
      return decideAgain();
    };
    const decided = await decideAgain();
    const { prepared, use } = decided;
    // No approval grants it. If a rule denies it as well, the record must say so.
    if (prepared.denials.length > 0 && !isRuledOut(prepared)) return this.#refused(prepared.denials);
    // A failed preview ends the call here. Its reason reveals content, so only a call that may know it gets one.
    if (prepared.verdict.action === "ask" && prepared.mayBeTold) await decided.preview();
    const { risk } = this.#tool;
    return { kind: "ready", decided, decideAgain, decideFrom, risk, kept: { input: use.args, cwd } };
  }

  async execute(
    { decided, isApproved, by }: ApprovedRun<DecidedFileUse>,
    log: CallLog,
  ): Promise<EndedCall<ValueOutcome>> {
    const { prepared } = decided;
    // A person may have edited the input, so that no approval grants it.
    if (prepared.denials.length > 0) return this.#refused(prepared.denials);
    const isYes = isApproved || hasApproval(prepared.verdict);
    const granted = isYes ? prepared.withApproval : prepared.withoutApproval;
    // The request showed which files are executed, and by which program.
    const agreed = by === null ? [] : prepared.executed;
    const { value, receipt } = await this.#use(decided, granted, agreed, log);
    const durationMs = performance.now() - this.#startedAt;
    return {
      kind: "ended",
      outcome: { kind: "done", value, receipt, durationMs },
      end: { outcome: "done", durationMs },
    };
  }

  failed(cause: unknown): EndedCall<ValueOutcome> | null {
    if (this.#throws && cause instanceof CofferdamError && cause.code === "USAGE") return null;
    const durationMs = performance.now() - this.#startedAt;
    const isFault = cause instanceof FileFaultError;
    const denial = isFault ? denialFor(cause, this.#tool, this.#known) : null;
    if (denial !== null) return this.#refused([denial]);
    const error = isFault ? errorFor(cause, this.#roots) : cause;
    return {
      kind: "ended",
      outcome: { kind: "failed", error, receipt: null, durationMs },
      end: { outcome: "failed", reason: thrownText(error), durationMs },
    };
  }

  get #known() {
    const { under = this.#context.shared, workers = this.#tools.workersFor(under) } = this.#decided ?? {};
    return workers.known;
  }

  get #roots() {
    return (this.#decided?.under ?? this.#context.shared).loaded.config.roots;
  }

  #refused(denials: Parameters<typeof refusedUse>[0]): EndedCall<ValueOutcome> {
    return endStopped(refusedUse(denials, this.#roots));
  }

  #use(
    { use, targets, prepared, turn, early, under: shared, workers }: DecidedFileUse,
    granted: EffectiveProfile,
    agreed: readonly Executed[],
    log: CallLog,
  ) {
    const { sweeping, decisions } = this.#tools;
    const { signal = null } = this.#options;
    return workers.useAnew(
      granted,
      async (ask, worker) => {
        using live = await registerFiles(shared, granted.profile, signal);
        using temporaries = sweeping.during(worker);
        const follow: Follow = (parts) =>
          this.#followMade(
            { ...parts, profile: granted.profile, onTaken: () => live?.[Symbol.dispose]() },
            agreed,
            log,
          );
        const result = await workers.telling(granted.profile, worker, follow, () => {
          if (!shared.watch.isCurrent(shared)) throw changedMeanwhile();
          return use.run(targets, decisions.files(shared, ask, temporaries, early));
        });
        if (result === null) return null;
        const { plan, enforcement } = worker;
        const receipt = receiptOf({
          plan,
          enforcement,
          granted: granted.digest,
          argsHash: prepared.argsHash,
          sandbox: shared.sandbox,
          mountChanges: worker.mountChanges(),
          reached: [],
          appeared: result.appeared,
        });
        return { value: result.value, receipt };
      },
      { signal, turn, log },
    );
  }

  #followMade(
    parts: Pick<Making, "shared" | "facts" | "profile" | "onTaken">,
    agreed: readonly Executed[],
    log: CallLog,
  ): MadeByCall {
    const { sessionId, options } = this.#context;
    const { groupId = null, signal = null } = this.#options;
    const { workspace } = parts.shared.loaded.config;
    return new MadeByCall({
      ...parts,
      from: { sessionId, callId: log.callId, tool: log.tool, workspace },
      record: (body) => log.record(body),
      agreed,
      asks: asksAbout(this.#context, { log, agent: options.agent ?? null, groupId, signal }),
    });
  }
}

function changedMeanwhile(): CofferdamError {
  return new CofferdamError(
    "FACTS_UNSTABLE",
    "the config or an operator profile changed right before the tool's work",
    { hint: "call it again" },
  );
}
