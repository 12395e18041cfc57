import { Gate } from "../approval/gate.ts";
import { GuardedTools } from "../approval/guarded-tools.ts";
import type { Passage } from "../approval/question.ts";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import { lookUpFacts } from "../host/facts.ts";
import { Trail } from "../journal/trail.ts";
import type { Grant } from "../policy/grant.ts";
import { hideInWords } from "../policy/redact.ts";
import { type Call, readShellInput, type ShellInput, wordsOf } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { CALL_OPTIONS, type CallOptions, enforce } from "./enforce.ts";
import { lookAtCall } from "./look.ts";
import { assertOptions } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { type CallFacts, type Prepared, prepare, printShortfalls, type Side, sideOf } from "./prepare.ts";
import { gateOptionsOf, type SessionOptions } from "./session-options.ts";
import type { Shared } from "./shared.ts";
import { type ShellQuestion, shellQuestion } from "./shell-question.ts";

/** Calls of one agent or person. What is granted to it ends with it. */
export class Session implements AsyncDisposable {
  readonly sessionId: string;
  readonly #shared: Shared;
  readonly #options: SessionOptions;
  readonly #gate: Gate;
  #isStarted = false;
  #hasEnded = false;

  constructor(shared: Shared, options: SessionOptions) {
    this.#shared = shared;
    this.#options = options;
    this.sessionId = shared.host.id();
    this.#gate = new Gate(gateOptionsOf(shared, this.sessionId, options));
  }

  /** Decides a call without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#prepare(this.#callOf(input, {}));
  }

  /** Looks up what a call is about, for callers that prepare by themselves. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#look(this.#callOf(input, {}));
  }

  /** What the session was granted for as long as it lasts. */
  grants(): Promise<readonly Grant[]> {
    return this.#shared.broker.grants(this.sessionId);
  }

  /** Takes a grant back; false when there is none under this id. */
  revoke(grantId: string, by = this.#shared.host.user.name): Promise<boolean> {
    return this.#shared.broker.revoke(grantId, by);
  }

  /** Ends it: questions that wait are answered no, and every grant is taken back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    await this.#shared.broker.endSession(this.sessionId);
  }

  /** Functions of the host's own behind this session's gate. They run in this process: no walls stand around them. */
  guard(tools: readonly DefinedTool[]): GuardedTools {
    const { host, broker, recorder, standing } = this.#shared;
    const { agent = null, legacyBareTools = "ask" } = this.#options;
    const { ceiling, config, mode } = standing;
    const policy = { operator: ceiling.approval, approval: config.approval, mode, legacyBareTools };
    this.#start();
    return new GuardedTools(tools, {
      host,
      broker,
      recorder,
      gate: this.#gate,
      sessionId: this.sessionId,
      agent,
      policy,
    });
  }

  /**
   * The corridor that every call walks: look, prepare, judge, ask, look again, launch, receipt. A denial is a value.
   * Throws `USAGE` for an input that the tool does not take and options that there are not, `FACTS_UNSTABLE` when files
   * change while they are looked at, `SANDBOX_UNAVAILABLE` when the walls did not stand.
   */
  async call(input: ShellInput, options: CallOptions = {}): Promise<Outcome> {
    assertOptions("call", CALL_OPTIONS, options);
    if (this.#hasEnded)
      throw new CofferdamError("USAGE", "this session has ended", { hint: "make another one" });
    const call = this.#callOf(input, options);
    this.#start();
    using trail = new Trail(this.#shared.recorder, call);
    this.#tellReceived(call, trail);
    try {
      return await this.#walk(call, trail, options);
    } catch (cause) {
      trail.ended("failed", {
        reason: thrownText(cause),
      });
      throw cause;
    }
  }

  /**
   * Calls of one turn, at once: those that need a yes are asked about as one group, each gets its own answer, and no
   * denial of one keeps another from running. The outcomes stand in the order of the inputs. Throws what `call` throws,
   * once every call has ended.
   */
  async callAll(
    inputs: readonly ShellInput[],
    options: Omit<CallOptions, "stdin" | "approvalId"> = {},
  ): Promise<readonly Outcome[]> {
    const groupId = options.groupId ?? this.#shared.host.id();
    const ended = await Promise.allSettled(inputs.map((input) => this.call(input, { ...options, groupId })));
    return ended.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
  }

  async #walk(first: Call, trail: Trail, options: CallOptions): Promise<Outcome> {
    const { walls, standing } = this.#shared;
    if (walls.kind === "unavailable")
      return this.#deny(trail, walls.error.code, walls.error.message, walls.error.hint ?? "");
    let call = first;
    const decide = async (edited?: unknown): Promise<ShellQuestion> => {
      if (edited !== undefined) {
        call = { ...call, input: readShellInput(edited) };
        this.#tellReceived(call, trail);
      }
      const prepared = await this.#prepare(call);
      this.#tellPrepared(trail, prepared);
      return shellQuestion(call, prepared, standing);
    };
    const { prepared, ...question } = await decide();
    // Nobody is asked about what could not run anyway.
    if (prepared.verdict.action === "ask" && prepared.onYes.rendering.kind !== "plan")
      return this.#launch(call, prepared.onYes, prepared, trail, options);
    let ready: ShellQuestion | null = { prepared, ...question };
    const passage = await this.#gate.pass(
      { callId: call.callId, tool: call.tool, agent: call.agent, groupId: options.groupId ?? null },
      async (edited) => {
        const known = ready;
        ready = null;
        return known ?? decide(edited);
      },
      { signal: options.signal ?? null, approvalId: options.approvalId ?? null, trail },
    );
    if (passage.kind !== "permitted") return this.#stopped(passage, trail);
    const { prepared: permitted } = passage.asked;
    const side = sideOf(permitted, passage.isByYes);
    return this.#gate.run(passage, () => this.#launch(call, side, permitted, trail, options));
  }

  #stopped(passage: Exclude<Passage<ShellQuestion>, { readonly kind: "permitted" }>, trail: Trail): Outcome {
    if (passage.kind === "denied") return this.#deny(trail, passage.code, passage.reason, passage.hint);
    const { approvalId, reason } = passage;
    trail.ended("pending", { reason });
    const hint = "call it again with this `approvalId` once there is an answer";
    return { kind: "pending", code: "APPROVAL_PENDING", approvalId, reason, hint };
  }

  #callOf(given: ShellInput, { stdin }: CallOptions): Call {
    const { host, recorder } = this.#shared;
    const input = readShellInput(given);
    const { caller = "agent", agent = null } = this.#options;
    return {
      callId: host.id(),
      runId: recorder.runId,
      sessionId: this.sessionId,
      tool: "shell",
      input,
      caller,
      agent,
      stdin: stdin === undefined ? "none" : "stream",
    };
  }

  async #prepare(call: Call): Promise<Prepared> {
    const grants = await this.grants();
    return prepare(call, this.#shared.standing, await this.#look(call), grants);
  }

  async #look(call: Call): Promise<CallFacts> {
    const { host, standing, walls, memory, ledger, cwd } = this.#shared;
    if (walls.kind === "unavailable") throw walls.error;
    const profiles = [standing.unasked.profile, standing.onYes.profile];
    const facts = await lookUpFacts(host, walls.machine.facts, profiles, memory, ledger.held());
    return { ...lookAtCall(call.input, standing, cwd), facts, callerEnv: host.env };
  }

  async #launch(
    call: Call,
    side: Side,
    prepared: Prepared,
    trail: Trail,
    options: CallOptions,
  ): Promise<Outcome> {
    const { rendering } = side;
    switch (rendering.kind) {
      case "denied":
        return this.#deny(trail, rendering.code, rendering.refusal.reason, rendering.refusal.remedy);
      case "refusal":
        return this.#deny(trail, "NOT_ENFORCEABLE", rendering.refusal.reason, rendering.refusal.remedy);
      case "not-found":
        return this.#notFound(call, trail);
      case "plan":
        return enforce(
          this.#shared,
          { call, side, plan: rendering.plan, argsHash: prepared.argsHash, program: prepared.program },
          options,
          (body) => trail.record(body),
        );
    }
  }

  #notFound(call: Call, trail: Trail): Outcome {
    const [program] = wordsOf(call.input);
    const folders = this.#shared.standing.settings.runtimes.flatMap((runtime) => runtime.path);
    const reason = `${visible(program)} is not there inside the walls`;
    const hint = program.includes("/")
      ? "it must be an executable file in a granted folder"
      : `PATH inside is ${folders.join(":")}; add what it needs under \`sandbox.runtimes\``;
    trail.ended("failed", { code: 127, reason });
    return { kind: "not-found", code: 127, reason, hint };
  }

  #deny(
    trail: Trail,
    code: Extract<Outcome, { kind: "denied" }>["code"],
    reason: string,
    hint: string,
  ): Outcome {
    trail.ended("denied", { reason: `${code}: ${reason}` });
    return { kind: "denied", code, reason, hint };
  }

  /** What is to run, as it came, and again where a person put something else in its place. */
  #tellReceived({ tool, input, caller, agent }: Call, trail: Trail): void {
    const words = hideInWords(wordsOf(input));
    trail.record({
      type: "call.received",
      tool,
      words,
      safeArgs: null,
      cwd: input.cwd ?? ".",
      caller,
      agent,
    });
  }

  #tellPrepared(trail: Trail, { verdict, unasked, onYes, argsHash }: Prepared): void {
    trail.record({
      type: "call.prepared",
      argsHash,
      unasked: unasked.digest,
      onYes: onYes.digest,
      shortfall: [...printShortfalls(onYes)],
    });
    trail.judged(verdict);
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
