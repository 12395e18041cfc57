import { Gate } from "../approval/gate.ts";
import { GuardedTools, type ToolCall } from "../approval/guarded-tools.ts";
import { stopOf } from "../approval/stops.ts";
import { waitOf } from "../approval/wait.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { Grant } from "../policy/grant.ts";
import type { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { FILE_TOOLS } from "../tool/files/all.ts";
import { CALL_OPTIONS, type CallOptions, RESUME_OPTIONS, type ResumeOptions } from "./call-options.ts";
import { Ending } from "./ending.ts";
import { fetchTools } from "./fetch-tools.ts";
import { FileCalls } from "./files/file-calls.ts";
import { keptRequest } from "./kept-request.ts";
import { assertOptions } from "./options.ts";
import type { Outcome, ValueOutcome } from "./outcome.ts";
import type { CallFacts, Prepared } from "./prepare.ts";
import { type Corridor, ProgramCalls } from "./program-calls.ts";
import { receiptWithoutWalls } from "./receipt.ts";
import { gateOptionsOf, type SessionOptions } from "./session-options.ts";
import type { Shared } from "./shared.ts";
import { type CallEvent, streamOf } from "./stream.ts";
import { type ToolCard, type ToolName, type ToolTypes, toolCards, toolNames } from "./tool-cards.ts";

/** Calls of one agent or person. What is granted to it ends with it. */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #shared: Shared;
  readonly #options: SessionOptions;
  readonly #gate: Gate;
  readonly #programs: ProgramCalls;
  readonly #files: FileCalls;
  /** Tools that are functions of this process, for pages and the host's own, and the host's programs. */
  readonly #defined: readonly DefinedTool[];
  readonly #functions: GuardedTools;
  readonly #ending: Ending;
  #isStarted = false;

  constructor(shared: Shared, options: SessionOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#ending = new Ending("session", shared.ending);
    this.sessionId = shared.host.id();
    this.#gate = new Gate(gateOptionsOf(shared, this.sessionId, options));
    const corridor: Corridor = {
      shared,
      options,
      sessionId: this.sessionId,
      gate: this.#gate,
      ending: this.#ending,
    };
    this.#programs = new ProgramCalls(corridor);
    this.#files = new FileCalls(corridor);
    const { host, broker, loaded } = shared;
    const { config, ceiling } = loaded;
    const pages = fetchTools({ settings: config.webFetch, ceiling, broker, sessionId: this.sessionId, host });
    this.#defined = [...pages, ...(options.tools ?? [])];
    assertNames(toolNames(this.#defined));
    this.#functions = this.#guarded(this.#defined.filter(({ needs }) => needs === null));
  }

  /** Every tool that can be called here: ours and those of the host, as a model is told of them. */
  tools(): readonly ToolCard[] {
    return toolCards(this.#defined);
  }

  /** Decides a call of the shell without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#programs.prepare(input);
  }

  /** Looks up what a call is about, for callers that prepare by themselves. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#programs.look(input);
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
    await this.#files[Symbol.asyncDispose]();
  }

  /** Functions of the host's own behind this session's gate. They run in this process: no walls stand around them. */
  guard(tools: readonly DefinedTool[]): GuardedTools {
    this.#start();
    return this.#guarded(tools);
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
    return await this.#callTool(tool, input, { ...given, signal: stopped.signal });
  }

  async #callTool(tool: string, input: unknown, options: CallOptions): Promise<Outcome> {
    if (tool === "shell") return this.#programs.call(input, options);
    const program = this.#program(tool);
    if (program !== undefined) return this.#programs.callTool(program, input, options);
    const { stdin, sinks, window, timeoutMs, ...rest } = options;
    if ([stdin, sinks, window, timeoutMs].some((one) => one !== undefined))
      throw new CofferdamError(
        "USAGE",
        `${visible(tool)} is no program: it has no streams and no time of its own`,
        {
          hint: "leave out `stdin`, `sinks`, `window` and `timeoutMs`; a `signal` ends any call",
        },
      );
    const file = FILE_TOOLS.find(({ name }) => name === tool);
    if (file !== undefined) return this.#files.call(file, input, rest);
    if (this.#functions.has(tool)) return this.#callFunction(tool, input, rest);
    throw new CofferdamError("USAGE", `there is no tool ${visible(tool)}`, {
      hint: `the tools are ${toolNames(this.#defined).join(", ")}`,
    });
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
    const hasStreams = tool === "shell" || this.#program(tool) !== undefined;
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
    const isProgram = tool === "shell" || this.#program(tool) !== undefined;
    // What is no program has no streams and no time of its own.
    const own = isProgram ? options : signal === undefined ? {} : { signal };
    if (call !== null) return this.call(tool, call.input, { ...own, approvalId });
    if (stop?.kind === "pending") return { ...stop, code: "APPROVAL_PENDING" };
    if (stop !== null) return stop;
    throw new CofferdamError("USAGE", "this call reads a stream, which only its caller has", {
      hint: "call it again with this `approvalId`",
    });
  }

  #program(tool: string): DefinedTool | undefined {
    return this.#defined.find(({ name, needs }) => name === tool && needs !== null);
  }

  async #callFunction(
    tool: string,
    args: unknown,
    options: Pick<CallOptions, "signal" | "groupId" | "approvalId">,
  ): Promise<ValueOutcome> {
    const began = performance.now();
    const outcome = await this.#functions.call(tool, args, options);
    const durationMs = performance.now() - began;
    const receipt = receiptWithoutWalls(this.#shared.host.user.uid);
    switch (outcome.kind) {
      case "done":
        return { kind: "done", value: outcome.value, receipt, durationMs };
      case "failed":
        return { kind: "failed", error: outcome.error, receipt, durationMs };
      case "denied":
        return outcome;
      case "pending":
        return { ...outcome, code: "APPROVAL_PENDING" };
    }
  }

  #guarded(tools: readonly DefinedTool[]): GuardedTools {
    const { host, broker, recorder, standing } = this.#shared;
    const { agent = null, legacyBareTools = "ask" } = this.#options;
    const { ceiling, config, mode } = standing;
    return new GuardedTools(tools, {
      host,
      broker,
      recorder,
      gate: this.#gate,
      sessionId: this.sessionId,
      agent,
      cwd: this.#shared.cwd,
      policy: { operator: ceiling.approval, approval: config.approval, mode, legacyBareTools },
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

/** Throws `USAGE` where two tools have one name: a rule or an answer would be for both. */
function assertNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return;
  throw new CofferdamError("USAGE", `there are two tools ${visible(twice)}`, {
    hint: "rename one of them",
  });
}
