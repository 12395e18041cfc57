import { rejected } from "../approval/factories.ts";
import { type FindRule, Gate } from "../approval/gate.ts";
import type { DecidedCall } from "../approval/gate-result.ts";
import type { Answer } from "../approval/handler.ts";
import { NOBODY } from "../approval/nobody.ts";
import { readDecision } from "../approval/read-decision.ts";
import type { ToolOutcome } from "../approval/tool-outcome.ts";
import {
  CALL_OPTIONS,
  type CallOptions,
  CHECK_OPTIONS,
  RESUME_OPTIONS,
  type ResumeOptions,
} from "../call/call-options.ts";
import type { FunctionCallOptions } from "../call/function-runner.ts";
import type { GuardedTools, ToolCall } from "../call/guarded-tools.ts";
import { type CheckOptions, checkCall, runCall } from "../call/pipeline.ts";
import type { ResidentOptions, ResidentProgram } from "../call/resident.ts";
import type { ResidentSpecIn } from "../call/resident-end.ts";
import { deniedCalls, type SessionContext } from "../call/session-context.ts";
import { gateOptionsOf, type SessionOptions, sessionBudgetOf } from "../call/session-options.ts";
import { sessionReviewer } from "../call/session-reviewer.ts";
import { type SessionPolicy, SessionTools } from "../call/session-tools.ts";
import { Shutdown } from "../call/shutdown.ts";
import { startProgram } from "../call/start-program.ts";
import type { SupervisorContext, SupervisorWatch } from "../call/supervisor-context.ts";
import { positionOfRule } from "../config/rule-position.ts";
import type { Outcome, ProgramOutcome } from "../decide/outcome.ts";
import type { CallFacts, Prepared } from "../decide/prepare.ts";
import type { ResidentProgramSpec } from "../decide/resident-program.ts";
import type { ToolCard, ToolName, ToolTypes } from "../decide/tool-cards.ts";
import { CofferdamError } from "../errors.ts";
import type { Grant } from "../policy/grant.ts";
import type { CheckResult } from "../policy/not-run.ts";
import { assertOptions } from "../policy/options.ts";
import type { Resolution, StoredRequest } from "../store/store.ts";
import type { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { allOutcomes } from "./all-outcomes.ts";
import { keptRequest, notRunByCaller } from "./kept-request.ts";
import { startedEvent } from "./started-event.ts";
import { type CallEvent, streamOf } from "./stream.ts";

/** Calls of one agent or person. Its grants end with it. */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #watch: SupervisorWatch;
  readonly #context: SessionContext;
  readonly #tools: SessionTools;
  readonly #shutdown: Shutdown;
  #isStarted = false;

  /** @internal */
  constructor(watch: SupervisorWatch, options: SessionOptions) {
    const { shared } = watch;
    this.#watch = watch;
    this.#shutdown = new Shutdown("session", shared.shutdown);
    this.sessionId = shared.host.id();
    const findRule: FindRule = (hit, call) => positionOfRule(this.#shared.loaded.config, hit, call);
    const around = {
      get shared() {
        return watch.shared;
      },
      watch,
      options,
      sessionId: this.sessionId,
      recorder: shared.recorder,
      broker: shared.broker,
      shutdown: this.#shutdown,
      enter: () => this.#shutdown.enter(),
      budget: sessionBudgetOf(watch),
      deniedCalls: deniedCalls(),
    };
    const gate = gateOptionsOf(watch, this.sessionId, options, sessionReviewer(around));
    this.#context = Object.assign(around, { gate: new Gate(gate, findRule) });
    this.#tools = new SessionTools(this.#context);
  }

  /** Every tool that can be called here, ours and the host's, as a model sees them under the rules in force now. */
  tools(): readonly ToolCard[] {
    return this.#tools.cards();
  }

  /** Decides a call of the shell without running it. Throws `USAGE` for invalid input. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#tools.prepare(input);
  }

  /** @internal Collects the facts of a call, for callers that prepare it themselves. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#tools.look(input);
  }

  /** The active grants of this session. */
  grants(): Promise<readonly Grant[]> {
    return this.#shared.broker.grants(this.sessionId);
  }

  /** Revokes a grant; false if its id is unknown. */
  revoke(grantId: string, by = this.#shared.host.user.name): Promise<boolean> {
    return this.#shared.broker.revoke(grantId, by);
  }

  /** Closes the session, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Closes the session: rejects waiting requests, revokes every grant, and ends running programs and file work. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#shutdown.close();
    await this.#shared.broker.endSession(this.sessionId);
    await this.#shutdown.come();
    await this.#tools[Symbol.asyncDispose]();
  }

  /**
   * Calls a function of the host through this session's gate, once. It runs in this process, outside any sandbox.
   * The outcome reports the result: this throws if an event can't be recorded, and `USAGE` after the end.
   * @internal
   */
  callFunction(
    tool: DefinedTool,
    args: unknown,
    options: FunctionCallOptions = {},
    around: SessionPolicy = {},
  ): Promise<ToolOutcome> {
    this.#start();
    const runner = this.#tools.functionRunner(tool, args, options, around);
    return runCall<DecidedCall, ToolOutcome>(this.#context, runner, options);
  }

  /** Functions of the host, checked by this session's gate. They run in this process, outside any sandbox. */
  guard(tools: readonly DefinedTool[]): GuardedTools {
    this.#start();
    return this.#tools.guard(tools);
  }

  /**
   * Starts a program that runs until it is stopped, until this session ends, or until a changed config would not give
   * it the access that it has. It reads its requests from `input`, and its output goes to the sinks. Returns once its
   * sandbox is verified, or with the reason why it did not start. Throws what `call` throws for a program.
   */
  startProgram(
    program: ResidentProgramSpec,
    options: ResidentOptions,
  ): Promise<ResidentProgram | ProgramOutcome>;
  /** @internal */
  startProgram(
    program: ResidentProgramSpec,
    options: ResidentOptions,
    specIn: ResidentSpecIn,
  ): Promise<ResidentProgram | ProgramOutcome>;
  startProgram(
    program: ResidentProgramSpec,
    options: ResidentOptions,
    specIn: ResidentSpecIn = () => program,
  ): Promise<ResidentProgram | ProgramOutcome> {
    this.#shutdown.assertOpen();
    this.#start();
    return startProgram(this.#context, this.#tools, { program, specIn }, options);
  }

  /**
   * Calls a tool by its name. Every result is the outcome: a denial is a value, and so is a tool's failure. An unknown
   * tool, or an input that the tool does not take, is `failed` with a `USAGE` error, because a model must read it. Throws
   * `USAGE` for invalid options, `FACTS_UNSTABLE` if files change while they are inspected, `SANDBOX_UNAVAILABLE` if the
   * sandbox failed.
   */
  async call<Name extends ToolName>(
    tool: Name,
    input: ToolTypes[Name]["input"],
    options?: CallOptions,
  ): Promise<ToolTypes[Name]["outcome"]>;
  async call(tool: string, input: unknown, options?: CallOptions): Promise<Outcome>;
  async call(tool: string, input: unknown, given: CallOptions = {}): Promise<Outcome> {
    assertOptions("call", CALL_OPTIONS, given);
    this.#shutdown.assertOpen();
    this.#start();
    using stopped = this.#shutdown.or(given.signal);
    const options = { ...given, signal: stopped.signal };
    return await runCall(this.#context, this.#tools.runner(tool, input, options), options);
  }

  /**
   * Checks whether a call is allowed without making it, for callers that ask people themselves. If it needs approval, a
   * request is stored and its id returned. Answer it with `respond` or through any channel, then make the call with
   * that `approvalId`: it is checked again. Throws what `call` throws, and `USAGE` for an unknown tool and invalid input.
   */
  async ask(tool: string, input: unknown, given: CheckOptions = {}): Promise<CheckResult> {
    assertOptions("ask", CHECK_OPTIONS, given);
    this.#shutdown.assertOpen();
    this.#start();
    using stopped = this.#shutdown.or(given.signal);
    const options = { ...given, signal: stopped.signal };
    return await checkCall(this.#context, this.#tools.runner(tool, input, options, true), options);
  }

  /**
   * Answers a stored request in the name of `by`. Throws `USAGE` for an invalid decision, and for an answer by
   * `nobody`, the reserved name of rejections without a person.
   */
  async respond(approvalId: string, answer: Answer, by = this.#shared.host.user.name): Promise<Resolution> {
    const decision = readDecision(answer, by);
    if ("by" in decision && decision.by === NOBODY)
      throw new CofferdamError("USAGE", `an answer can't be by \`${NOBODY}\``, {
        hint: "pass the name of the person as `by`",
      });
    return this.#shared.broker.decide(approvalId, decision, by);
  }

  /** Withdraws an unused approval, so that nothing can run by it; false if there is none. */
  async withdraw(approvalId: string): Promise<boolean> {
    const { broker } = this.#shared;
    if (!(await broker.claim(approvalId))) return false;
    await broker.finish(approvalId, "failed");
    return true;
  }

  /** Dismisses an unanswered request that is obsolete: it is no person's rejection. */
  async dismiss(approvalId: string, reason: string): Promise<void> {
    await this.#shared.broker.decide(approvalId, rejected(NOBODY, reason), NOBODY);
  }

  /** A stored request and its state; null if it is unknown or was removed. */
  find(approvalId: string): Promise<StoredRequest | null> {
    return this.#shared.broker.find(approvalId);
  }

  /**
   * Makes a call and yields its events: a program's output as it comes, and last the outcome. If the gate denies the
   * call, the outcome is the only event. Throws what `call` throws. A consumer that stops taking events ends the call.
   */
  stream<Name extends ToolName>(
    tool: Name,
    input: ToolTypes[Name]["input"],
    options?: Omit<CallOptions, "sinks">,
  ): AsyncGenerator<CallEvent<ToolTypes[Name]["outcome"]>, void, undefined>;
  stream(
    tool: string,
    input: unknown,
    options?: Omit<CallOptions, "sinks">,
  ): AsyncGenerator<CallEvent, void, undefined>;
  stream(
    tool: string,
    input: unknown,
    options: Omit<CallOptions, "sinks"> = {},
  ): AsyncGenerator<CallEvent, void, undefined> {
    assertOptions("stream", STREAM_OPTIONS, options);
    const hasStreams = this.#tools.isProgram(tool);
    return streamOf(
      (sinks, signal) => this.call(tool, input, { ...options, ...(hasStreams ? { sinks } : {}), signal }),
      options.signal ?? null,
    );
  }

  /**
   * Makes the calls of one turn concurrently. Those that need approval are asked about as one group, and each gets its
   * own answer; a denial does not stop the others. The outcomes are in the order of the calls. An error that `call`
   * would throw becomes a failure, because a model must read it.
   */
  async callAll(
    calls: readonly ToolCall[],
    options: Omit<CallOptions, "stdin" | "approvalId"> = {},
  ): Promise<readonly Outcome[]> {
    const groupId = options.groupId ?? this.#shared.host.id();
    return allOutcomes(calls, ({ tool, args }) => this.call(tool, args, { ...options, groupId }));
  }

  /**
   * Runs the call of a request that was approved, through any channel. It is checked again against the current state,
   * and runs at most once. Otherwise the outcome is pending without an answer, and denied for a rejection, a used
   * approval, or another agent's request. A call that has changed since is asked about again. Throws `USAGE` for an
   * unknown id, and for a call that only its caller can make because it reads a stream; and what `call` throws.
   */
  async resume(approvalId: string, options: ResumeOptions = {}): Promise<Outcome> {
    assertOptions("resume", RESUME_OPTIONS, options);
    const { stored, call } = await keptRequest(this.#shared.broker, approvalId);
    const { tool } = stored.request;
    const { signal } = options;
    // Only programs have streams and a timeout of their own.
    const own = this.#tools.isProgram(tool) ? options : signal === undefined ? {} : { signal };
    if (call !== null) return this.call(tool, call.input, { ...own, approvalId });
    return notRunByCaller(stored, this.#shared.policy.config.approval);
  }

  get #shared(): SupervisorContext {
    return this.#watch.shared;
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#shared.recorder.write(this.sessionId, null, startedEvent(this.#shared));
  }
}

/** The options of `stream`: it has its own sinks. */
const STREAM_OPTIONS = CALL_OPTIONS.omit({ sinks: true });
