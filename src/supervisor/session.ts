import { rejected } from "../approval/factories.ts";
import { Gate } from "../approval/gate.ts";
import type { GuardedTools, ToolCall } from "../approval/guarded-tools.ts";
import type { Answer } from "../approval/handler.ts";
import { readDecision } from "../approval/read-decision.ts";
import { NOBODY, stopOf } from "../approval/stops.ts";
import { waitOf } from "../approval/wait.ts";
import { CofferdamError } from "../errors.ts";
import type { Grant } from "../policy/grant.ts";
import type { Resolution, StoredRequest } from "../store/store.ts";
import type { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import {
  CALL_OPTIONS,
  type CallOptions,
  CLEARANCE_OPTIONS,
  type ClearanceOptions,
  RESUME_OPTIONS,
  type ResumeOptions,
} from "./call-options.ts";
import type { Corridor } from "./corridor.ts";
import { Ending } from "./ending.ts";
import { type Held, type HoldOptions, holdProgram } from "./held.ts";
import type { HeldProgram } from "./held-program.ts";
import { keptRequest } from "./kept-request.ts";
import { assertOptions } from "./options.ts";
import type { CallClearance, Outcome, ProgramOutcome } from "./outcome.ts";
import type { CallFacts, Prepared } from "./prepare.ts";
import { gateOptionsOf, type SessionOptions } from "./session-options.ts";
import type { Shared } from "./shared.ts";
import { type CallEvent, streamOf } from "./stream.ts";
import { type Around, ToolCalls } from "./tool-calls.ts";
import type { ToolCard, ToolName, ToolTypes } from "./tool-cards.ts";

/** Calls of one agent or person. What is granted to it ends with it. */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #shared: Shared;
  readonly #calls: ToolCalls;
  readonly #ending: Ending;
  #isStarted = false;

  constructor(shared: Shared, options: SessionOptions) {
    this.#shared = shared;
    this.#ending = new Ending("session", shared.ending);
    this.sessionId = shared.host.id();
    const corridor: Corridor = {
      shared,
      options,
      sessionId: this.sessionId,
      gate: new Gate(gateOptionsOf(shared, this.sessionId, options)),
      ending: this.#ending,
    };
    this.#calls = new ToolCalls(corridor);
  }

  /** Every tool that can be called here: ours and those of the host, as a model is told of them. */
  tools(): readonly ToolCard[] {
    return this.#calls.cards();
  }

  /** Decides a call of the shell without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#calls.programs.prepare(input);
  }

  /** Looks up what a call is about, for callers that prepare by themselves. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#calls.programs.look(input);
  }

  /** What the session was granted for as long as it lasts. */
  grants(): Promise<readonly Grant[]> {
    return this.#shared.broker.grants(this.sessionId);
  }

  /** Takes a grant back; false when there is none under this id. */
  revoke(grantId: string, by = this.#shared.host.user.name): Promise<boolean> {
    return this.#shared.broker.revoke(grantId, by);
  }

  /**
   * Ends it: questions that wait are answered no, every grant is taken back, programs that run are ended and waited for,
   * and so does what works on files.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.close();
    await this.#shared.broker.endSession(this.sessionId);
    await this.#ending.come();
    await this.#calls[Symbol.asyncDispose]();
  }

  /** Functions of the host's own behind this session's gate. They run in this process: no walls stand around them. */
  guard(tools: readonly DefinedTool[], around: Around = {}): GuardedTools {
    this.#start();
    return this.#calls.guard(tools, around);
  }

  /**
   * Starts a program that is there until it is let go, and at most as long as this session: what it is asked it reads from
   * `input`, what it says goes to the sinks. Comes back once its walls are proven, or with what kept it from starting.
   * Throws what `call` throws of a program.
   */
  hold(program: HeldProgram, options: HoldOptions): Promise<Held | ProgramOutcome> {
    this.#ending.assertOpen();
    this.#start();
    return holdProgram((own) => this.#calls.programs.hold(program, own), options, this.#ending);
  }

  /**
   * Calls a tool by its name. Whatever becomes of it is the outcome: a denial is a value, and so is what a tool could not
   * do. Throws `USAGE` for a tool that is not there, for options that there are not, and, of the shell and of programs, for an input
   * that they do not take, `FACTS_UNSTABLE` when files change while they are looked at, `SANDBOX_UNAVAILABLE` when the walls did
   * not stand.
   */
  async call<Name extends ToolName>(
    tool: Name,
    input: ToolTypes[Name]["input"],
    options?: CallOptions,
  ): Promise<ToolTypes[Name]["outcome"]>;
  async call(tool: string, input: unknown, options?: CallOptions): Promise<Outcome>;
  async call(tool: string, input: unknown, given: CallOptions = {}): Promise<Outcome> {
    assertOptions("call", CALL_OPTIONS, given);
    this.#ending.assertOpen();
    this.#start();
    using stopped = this.#ending.or(given.signal);
    return await this.#calls.call(tool, input, { ...given, signal: stopped.signal });
  }

  /**
   * Whether a call may be made, without making it: for callers that bring questions to people in a way of their own. A call
   * that needs a yes is kept as a question under an id; `respond` answers it, and so does whoever answers elsewhere; the call is
   * then made with that `approvalId`, and looked at again as always. Throws what `call` throws, `USAGE` also for arguments
   * that a function does not take.
   */
  async ask(tool: string, input: unknown, given: ClearanceOptions = {}): Promise<CallClearance> {
    assertOptions("ask", CLEARANCE_OPTIONS, given);
    this.#ending.assertOpen();
    this.#start();
    using stopped = this.#ending.or(given.signal);
    return await this.#calls.ask(tool, input, { ...given, signal: stopped.signal });
  }

  /**
   * Answers a question that was kept, by whom its caller says. Throws `USAGE` for what is no decision, and for an answer by
   * `nobody`, who says no where there is nobody to ask.
   */
  async respond(approvalId: string, answer: Answer, by = this.#shared.host.user.name): Promise<Resolution> {
    const decision = readDecision(answer, by);
    if ("by" in decision && decision.by === NOBODY)
      throw new CofferdamError("USAGE", `an answer is by somebody, and not by \`${NOBODY}\``, {
        hint: "pass `by`: who answered",
      });
    return this.#shared.broker.respond(approvalId, decision, by);
  }

  /** Takes a yes that nobody has used, so that nothing runs by it any more; false where there is none. */
  async withdraw(approvalId: string): Promise<boolean> {
    const { broker } = this.#shared;
    if (!(await broker.claim(approvalId))) return false;
    await broker.finish(approvalId, "failed");
    return true;
  }

  /** Ends a question that nobody answered, and that is about nothing any more: no person's no. */
  async putAway(approvalId: string, reason: string): Promise<void> {
    await this.#shared.broker.respond(approvalId, rejected(NOBODY, reason), NOBODY);
  }

  /** A question that was kept, and where it is in its life; null when it is not, or no more, known. */
  find(approvalId: string): Promise<StoredRequest | null> {
    return this.#shared.broker.find(approvalId);
  }

  /**
   * The same as its events: what a program prints as it comes, and last the outcome. No event comes before the gate has let
   * the call pass, but the last one where it did not. Throws what `call` throws; who stops taking events ends the call.
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
    const hasStreams = this.#calls.isProgram(tool);
    return streamOf(
      (sinks, signal) => this.call(tool, input, { ...options, ...(hasStreams ? { sinks } : {}), signal }),
      options.signal ?? null,
    );
  }

  /**
   * Calls of one turn, at once: those that need a yes are asked about as one group, each gets its own answer, and no
   * denial of one keeps another from running. The outcomes stand in the order of the calls; what `call` would throw of one
   * is its failure, because a model must read it.
   */
  async callAll(
    calls: readonly ToolCall[],
    options: Omit<CallOptions, "stdin" | "approvalId"> = {},
  ): Promise<readonly Outcome[]> {
    const groupId = options.groupId ?? this.#shared.host.id();
    return Promise.all(
      calls.map(async ({ tool, args }): Promise<Outcome> => {
        const began = performance.now();
        try {
          return await this.call(tool, args, { ...options, groupId });
        } catch (error) {
          return { kind: "failed", error, receipt: null, durationMs: performance.now() - began };
        }
      }),
    );
  }

  /**
   * Runs what was asked about under this id and has been approved since, wherever: judged and looked at as it stands now,
   * at most once. What is not approved is the outcome: pending as long as nobody has answered, denied for a no, for one that
   * was used, and for one of another agent; what has changed since is asked about again. Throws `USAGE` for an id that is
   * not known, and for a call that only its caller can make, because it reads a stream; and what `call` throws.
   */
  async resume(approvalId: string, options: ResumeOptions = {}): Promise<Outcome> {
    assertOptions("resume", RESUME_OPTIONS, options);
    const { stored, call } = await keptRequest(this.#shared.broker, approvalId);
    const stop = stopOf(stored, waitOf({}, this.#shared.standing.config.approval).onTimeout);
    const { tool } = stored.request;
    const { signal } = options;
    // What is no program has no streams and no time of its own.
    const own = this.#calls.isProgram(tool) ? options : signal === undefined ? {} : { signal };
    if (call !== null) return this.call(tool, call.input, { ...own, approvalId });
    if (stop?.kind === "pending") return { ...stop, code: "APPROVAL_PENDING" };
    if (stop !== null) return stop;
    throw new CofferdamError("USAGE", "this call reads a stream, which only its caller has", {
      hint: "call it again with this `approvalId`",
    });
  }

  /** The first thing that a session writes down. */
  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { recorder, loaded, standing } = this.#shared;
    const { origin } = loaded.config;
    recorder.write(this.sessionId, null, {
      type: "session.started",
      config: origin.kind === "default" ? null : origin.file,
      ceiling: [...loaded.ceiling.labels],
      mode: standing.mode,
    });
  }
}

/** What `stream` takes: the sinks are its own. */
const STREAM_OPTIONS = CALL_OPTIONS.omit({ sinks: true });
