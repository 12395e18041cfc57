import type { Asker } from "../approval/question.ts";
import { CofferdamError, thrownText } from "../errors.ts";
import { lookUpFacts } from "../host/facts.ts";
import type { Entered } from "../host/live-calls.ts";
import { otherTurns } from "../host/turns.ts";
import { Trail } from "../journal/trail.ts";
import type { Json } from "../policy/canonical-json.ts";
import { type Call, inputLength, type ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { asksAbout, MadeByCall } from "./appeared/made-by-call.ts";
import { enterProgram, factsBeside } from "./beside.ts";
import type { ClearanceOptions, RunOptions } from "./call-options.ts";
import type { Corridor } from "./corridor.ts";
import { enforce } from "./enforce.ts";
import type { HeldProgram } from "./held-program.ts";
import { lookAtCall } from "./look.ts";
import { nearPaths } from "./near-paths.ts";
import { noTerminal } from "./no-terminal.ts";
import type { CallClearance, ProgramOutcome } from "./outcome.ts";
import { type CallFacts, type Prepared, prepare, type Side, sideOf } from "./prepare.ts";
import { heldKind, type ProgramKind, programKind, shellCall } from "./program-kinds.ts";
import { endDenied, endNotFound, tellPrepared, tellReceived } from "./program-trail.ts";
import type { ProgramQuestion } from "./shell-question.ts";
import { asksForHosts, type Standing } from "./standing.ts";
import { cleared, stopped } from "./stopped.ts";
import type { Amender } from "./way-out.ts";

/** A call that was decided, and can be put to the gate. */
interface ReadyCall {
  readonly kind: "ready";
  /** Decides it again; with an input that a person put in place of its own. */
  readonly decide: (edited?: unknown) => Promise<ProgramQuestion>;
  readonly decided: ProgramQuestion;
  /** As it was decided last. */
  readonly current: () => Call;
}

/** The corridor of calls that run a program: look, prepare, judge, ask, look again, launch, receipt. */
export class ProgramCalls {
  readonly #corridor: Corridor;

  constructor(corridor: Corridor) {
    this.#corridor = corridor;
  }

  /** Decides a call without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#prepare(shellCall(this.#corridor, input), this.#standing);
  }

  /** Looks up what a call is about. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#look(shellCall(this.#corridor, input), this.#standing);
  }

  /**
   * Calls the shell, or where `tool` is given a program of the host's own. Throws `USAGE`, `FACTS_UNSTABLE`,
   * `SANDBOX_UNAVAILABLE`: see `Session.call`; `USAGE` also for a root that a tool needs and that there is not.
   */
  call(tool: DefinedTool | null, input: unknown, options: RunOptions): Promise<ProgramOutcome> {
    const kind = programKind(this.#corridor, tool, options);
    return this.#during(input, kind, (call, trail) =>
      this.#walk(call, kind.keep(input, call), kind, trail, options),
    );
  }

  /** Whether such a call may be made, without making it. Throws the same. */
  ask(tool: DefinedTool | null, input: unknown, options: ClearanceOptions): Promise<CallClearance> {
    const kind = programKind(this.#corridor, tool, options);
    const { signal = null, groupId = null, toolCallId = null, mayAsk = true, isUnique = false } = options;
    return this.#during(input, kind, async (call, trail) => {
      const ready = await this.#ready(call, kind, trail, options);
      // What says by itself why it does not run needs nobody's yes.
      if (ready.kind === "denied") return ready;
      if (ready.kind !== "ready") return cleared({ kind: "allowed" }, trail);
      const clearance = await this.#corridor.gate.clear({ ...askerOf(call), groupId }, ready.decided, {
        signal,
        toolCallId,
        mayAsk,
        isUnique,
        trail,
        call: { input: kind.keep(input, call), cwd: this.#corridor.shared.cwd },
      });
      return cleared(clearance, trail);
    });
  }

  /** Runs a program that is held, to its end. Throws the same. */
  hold(program: HeldProgram, options: RunOptions): Promise<ProgramOutcome> {
    const held: RunOptions = { ...options, stdin: "held" };
    const kind = heldKind(this.#corridor, program, held);
    return this.#during({}, kind, (call, trail) => this.#walk(call, {}, kind, trail, held));
  }

  get #standing(): Standing {
    return this.#corridor.shared.standing;
  }

  async #during<Ended>(
    input: unknown,
    kind: ProgramKind,
    work: (call: Call, trail: Trail) => Promise<Ended>,
  ): Promise<Ended> {
    const call = await kind.callFor(input);
    using trail = new Trail(this.#corridor.shared.recorder, call);
    tellReceived(call, trail);
    try {
      await otherTurns(inputLength(call.input));
      return await this.#corridor.ending.during(() => work(call, trail));
    } catch (cause) {
      trail.ended("failed", {
        reason: thrownText(cause),
      });
      throw cause;
    }
  }

  /** Decides a call, unless it is clear already that it could not run. */
  async #ready(
    first: Call,
    kind: ProgramKind,
    trail: Trail,
    options: RunOptions,
  ): Promise<ReadyCall | ProgramOutcome> {
    const { walls } = this.#corridor.shared;
    if (walls.kind === "unavailable")
      return endDenied(trail, walls.error.code, walls.error.message, walls.error.hint ?? "");
    if (options.window !== undefined && !kind.standing.onYes.profile.terminal) {
      const { reason, hint } = noTerminal(first, kind.standing);
      return endDenied(trail, "DENIED", reason, hint);
    }
    let call = first;
    const decide = async (edited?: unknown): Promise<ProgramQuestion> => {
      if (edited !== undefined) {
        call = { ...(await kind.callFor(edited)), callId: first.callId };
        tellReceived(call, trail);
      }
      const prepared = await this.#prepare(call, kind.standing);
      tellPrepared(trail, prepared);
      return kind.question(call, prepared);
    };
    const decided = await decide();
    const { prepared } = decided;
    // Nobody is asked about what could not run anyway.
    if (prepared.verdict.action === "ask" && prepared.onYes.rendering.kind !== "plan")
      return this.#launch(call, prepared.onYes, prepared, trail, options);
    return { kind: "ready", decide, decided, current: () => call };
  }

  async #walk(
    first: Call,
    given: Json,
    kind: ProgramKind,
    trail: Trail,
    options: RunOptions,
  ): Promise<ProgramOutcome> {
    const { shared, gate } = this.#corridor;
    const ready = await this.#ready(first, kind, trail, options);
    if (ready.kind !== "ready") return ready;
    const { decide, decided, current } = ready;
    const passage = await gate.pass({ ...askerOf(first), groupId: options.groupId ?? null }, decide, {
      signal: options.signal ?? null,
      approvalId: options.approvalId ?? null,
      trail,
      decided,
      // What a program reads from a stream is its caller's alone to bring.
      call: first.stdin === "none" ? { input: given, cwd: shared.cwd } : null,
    });
    if (passage.kind !== "permitted") return stopped(passage, trail);
    const { prepared: permitted } = passage.asked;
    return gate.run(passage, () =>
      this.#inTurn(current(), permitted, passage.isByYes, kind.standing, trail, options),
    );
  }

  /** Lets others know of the call. Where it had to wait for them, it is decided once more: they may have changed anything. */
  async #inTurn(
    call: Call,
    permitted: Prepared,
    isByYes: boolean,
    standing: Standing,
    trail: Trail,
    options: RunOptions,
  ): Promise<ProgramOutcome> {
    const side = sideOf(permitted, isByYes);
    if (side.rendering.kind !== "plan") return this.#launch(call, side, permitted, trail, options);
    using live = await enterProgram(
      this.#corridor.shared,
      side.profile,
      permitted.facts,
      options.signal ?? null,
    );
    if (!live.hasWaited) return await this.#launch(call, side, permitted, trail, options, live);
    const now = await this.#prepare(call, standing);
    tellPrepared(trail, now);
    if (now.argsHash !== permitted.argsHash || now.verdict.action !== permitted.verdict.action)
      throw new CofferdamError(
        "FACTS_UNSTABLE",
        "what the call is about changed while it waited for others",
        { hint: "run it again" },
      );
    return await this.#launch(call, sideOf(now, isByYes), now, trail, options, live);
  }

  async #prepare(call: Call, standing: Standing): Promise<Prepared> {
    const grants = await this.#corridor.shared.broker.grants(call.sessionId);
    const look = await this.#look(call, standing);
    await otherTurns(inputLength(call.input));
    return prepare(call, standing, look, grants);
  }

  async #look(call: Call, standing: Standing): Promise<CallFacts> {
    const { host, walls, memory, ledger, cwd } = this.#corridor.shared;
    if (walls.kind === "unavailable") throw walls.error;
    const profiles = [standing.unasked.profile, standing.onYes.profile];
    const { machine } = walls;
    const near = () => nearPaths(call.input, standing, cwd);
    const facts = await factsBeside(ledger, (held) =>
      lookUpFacts(host, machine.facts, profiles, memory, held, near),
    );
    return { ...lookAtCall(call.input, standing, cwd, host.env["PWD"]), facts, callerEnv: host.env };
  }

  async #launch(
    call: Call,
    side: Side,
    prepared: Prepared,
    trail: Trail,
    options: RunOptions,
    live: Entered | null = null,
  ): Promise<ProgramOutcome> {
    const { rendering } = side;
    switch (rendering.kind) {
      case "denied":
        return endDenied(trail, rendering.code, rendering.refusal.reason, rendering.refusal.remedy);
      case "refusal":
        return endDenied(trail, "NOT_ENFORCEABLE", rendering.refusal.reason, rendering.refusal.remedy);
      case "not-found":
        return endNotFound(rendering, trail);
      case "plan": {
        if (live === null) throw new CofferdamError("INTERNAL", "a call was to run that nobody knows of");
        const { argsHash, program, facts } = prepared;
        const leave = (): void => live[Symbol.dispose]();
        await using made = this.#following(call, side, facts, trail, options, leave);
        return await enforce(
          this.#corridor.shared,
          {
            call,
            side,
            standing: prepared.standing,
            plan: rendering.plan,
            live,
            argsHash,
            program,
            facts,
            made,
          },
          options,
          (body) => trail.record(body),
          rendering.plan.proxy === null ? null : await this.#amender(call, side, prepared.standing, trail),
        );
      }
    }
  }

  /** What sees to what the call makes. Nobody agreed to any of it: a command says what it does, not what it makes. */
  #following(
    { sessionId, callId, tool, agent }: Call,
    { profile }: Side,
    facts: Prepared["facts"],
    trail: Trail,
    { groupId, signal }: RunOptions,
    onTaken: () => void,
  ): MadeByCall {
    const { shared } = this.#corridor;
    return new MadeByCall({
      shared,
      profile,
      facts,
      from: { sessionId, callId, tool, workspace: shared.loaded.config.workspace },
      record: (body) => trail.record(body),
      agreed: [],
      asks: asksAbout(this.#corridor, { trail, agent, groupId: groupId ?? null, signal: signal ?? null }),
      onTaken,
    });
  }

  /** Who is asked about hosts while the call runs; null where nobody is. */
  async #amender(call: Call, granted: Side, standing: Standing, trail: Trail): Promise<Amender | null> {
    if (!asksForHosts(standing)) return null;
    const { amenderFor } = await import("./amend.ts");
    const { shared, gate } = this.#corridor;
    return amenderFor({ shared, gate, call, standing, granted, trail });
  }
}

function askerOf({ callId, tool, agent }: Call): Pick<Asker, "callId" | "tool" | "agent"> {
  return { callId, tool, agent };
}
