import type { Gate } from "../approval/gate.ts";
import { CofferdamError, thrownText } from "../errors.ts";
import { lookUpFacts } from "../host/facts.ts";
import type { Entered } from "../host/live-calls.ts";
import { Trail } from "../journal/trail.ts";
import { type Json, readJson } from "../policy/canonical-json.ts";
import { type Call, jsonInput, type ProgramUse, readShellInput, type ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { Ask } from "../tool/function-tool.ts";
import { enterProgram, factsBeside } from "./beside.ts";
import type { CallOptions } from "./call-options.ts";
import type { Ending } from "./ending.ts";
import { enforce } from "./enforce.ts";
import { lookAtCall } from "./look.ts";
import { noTerminal } from "./no-terminal.ts";
import type { ProgramOutcome } from "./outcome.ts";
import { type CallFacts, type Prepared, prepare, type Side, sideOf } from "./prepare.ts";
import { programUse, toolProgramQuestion } from "./program-tool.ts";
import { endDenied, endNotFound, tellPrepared, tellReceived } from "./program-trail.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Shared } from "./shared.ts";
import { type ProgramQuestion, shellQuestion } from "./shell-question.ts";
import { asksForHosts, type Standing, standingForTool } from "./standing.ts";
import { stopped } from "./stopped.ts";
import type { Amender } from "./way-out.ts";

/** What the calls of one session share. */
export interface Corridor {
  readonly shared: Shared;
  readonly options: SessionOptions;
  readonly sessionId: string;
  readonly gate: Gate;
  readonly ending: Ending;
}

/** What calls of one tool that runs a program have in common. */
interface Kind {
  readonly standing: Standing;
  /** The call for an input. Throws `USAGE` for one that the tool does not take. */
  readonly callFor: (input: unknown) => Promise<Call>;
  /** The input as it can be given again. */
  readonly keep: (input: unknown, call: Call) => Json;
  /** The question about a call that was decided. */
  readonly question: (call: Call, prepared: Prepared) => ProgramQuestion;
}

/** The corridor of calls that run a program: look, prepare, judge, ask, look again, launch, receipt. */
export class ProgramCalls {
  readonly #corridor: Corridor;

  constructor(corridor: Corridor) {
    this.#corridor = corridor;
  }

  /** Decides a call without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#prepare(this.#callOf(readShellInput(input), "shell", null, {}), this.#standing);
  }

  /** Looks up what a call is about. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#look(this.#callOf(readShellInput(input), "shell", null, {}), this.#standing);
  }

  /** Calls the shell. Throws `USAGE`, `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`: see `Session.call`. */
  call(input: unknown, options: CallOptions): Promise<ProgramOutcome> {
    const standing = this.#standing;
    return this.#run(input, options, {
      standing,
      callFor: async (given) => this.#callOf(readShellInput(given), "shell", null, options),
      keep: (_, call) => jsonInput(call.input),
      question: (call, prepared) => shellQuestion(call, prepared, standing),
    });
  }

  /** Calls a program of the host's own. Throws the same, `USAGE` also for a root that it needs and that there is not. */
  callTool(tool: DefinedTool, args: unknown, options: CallOptions): Promise<ProgramOutcome> {
    const standing = standingForTool(this.#standing, tool.needs ?? {});
    const asks = new Map<ProgramUse | null, Ask | null>();
    return this.#run(args, options, {
      standing,
      callFor: async (given) => {
        const { input, use, ask } = await programUse(tool, given, {
          settings: standing.settings,
          base: this.#corridor.shared.cwd,
          signal: options.signal ?? null,
        });
        asks.set(use, ask);
        return this.#callOf(input, tool.name, use, options);
      },
      keep: readJson,
      question: (call, prepared) => toolProgramQuestion(call, asks.get(call.use) ?? null, prepared, standing),
    });
  }

  get #standing(): Standing {
    return this.#corridor.shared.standing;
  }

  async #run(input: unknown, options: CallOptions, kind: Kind): Promise<ProgramOutcome> {
    const call = await kind.callFor(input);
    using trail = new Trail(this.#corridor.shared.recorder, call);
    tellReceived(call, trail);
    try {
      return await this.#corridor.ending.during(() =>
        this.#walk(call, kind.keep(input, call), kind, trail, options),
      );
    } catch (cause) {
      trail.ended("failed", {
        reason: thrownText(cause),
      });
      throw cause;
    }
  }

  async #walk(
    first: Call,
    given: Json,
    kind: Kind,
    trail: Trail,
    options: CallOptions,
  ): Promise<ProgramOutcome> {
    const { shared, gate } = this.#corridor;
    const { walls } = shared;
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
      return this.#launch(call, prepared.onYes, prepared, kind.standing, trail, options);
    const passage = await gate.pass(
      { callId: call.callId, tool: call.tool, agent: call.agent, groupId: options.groupId ?? null },
      decide,
      {
        signal: options.signal ?? null,
        approvalId: options.approvalId ?? null,
        trail,
        decided,
        // What a program reads from a stream is its caller's alone to bring.
        call: call.stdin === "none" ? { input: given, cwd: shared.cwd } : null,
      },
    );
    if (passage.kind !== "permitted") return stopped(passage, trail);
    const { prepared: permitted } = passage.asked;
    return gate.run(passage, () =>
      this.#inTurn(call, permitted, passage.isByYes, kind.standing, trail, options),
    );
  }

  /** Lets others know of the call. Where it had to wait for them, it is decided once more: they may have changed anything. */
  async #inTurn(
    call: Call,
    permitted: Prepared,
    isByYes: boolean,
    standing: Standing,
    trail: Trail,
    options: CallOptions,
  ): Promise<ProgramOutcome> {
    const side = sideOf(permitted, isByYes);
    if (side.rendering.kind !== "plan") return this.#launch(call, side, permitted, standing, trail, options);
    using live = await enterProgram(
      this.#corridor.shared,
      side.profile,
      permitted.facts,
      options.signal ?? null,
    );
    if (!live.hasWaited) return await this.#launch(call, side, permitted, standing, trail, options, live);
    const now = await this.#prepare(call, standing);
    tellPrepared(trail, now);
    if (now.argsHash !== permitted.argsHash || now.verdict.action !== permitted.verdict.action)
      throw new CofferdamError(
        "FACTS_UNSTABLE",
        "what the call is about changed while it waited for others",
        {
          hint: "run it again",
        },
      );
    return await this.#launch(call, sideOf(now, isByYes), now, standing, trail, options, live);
  }

  #callOf(input: ShellInput, tool: string, use: ProgramUse | null, { stdin, window }: CallOptions): Call {
    const { shared, options, sessionId } = this.#corridor;
    const { caller = "agent", agent = null } = options;
    return {
      callId: shared.host.id(),
      runId: shared.recorder.runId,
      sessionId,
      tool,
      input,
      use,
      caller,
      agent,
      stdin: stdin === undefined ? "none" : window === undefined ? "stream" : "typed",
    };
  }

  async #prepare(call: Call, standing: Standing): Promise<Prepared> {
    const grants = await this.#corridor.shared.broker.grants(call.sessionId);
    return prepare(call, standing, await this.#look(call, standing), grants);
  }

  async #look(call: Call, standing: Standing): Promise<CallFacts> {
    const { host, walls, memory, ledger, cwd } = this.#corridor.shared;
    if (walls.kind === "unavailable") throw walls.error;
    const profiles = [standing.unasked.profile, standing.onYes.profile];
    const { machine } = walls;
    const facts = await factsBeside(ledger, (held) =>
      lookUpFacts(host, machine.facts, profiles, memory, held),
    );
    return { ...lookAtCall(call.input, standing, cwd), facts, callerEnv: host.env };
  }

  async #launch(
    call: Call,
    side: Side,
    prepared: Prepared,
    standing: Standing,
    trail: Trail,
    options: CallOptions,
    live: Entered | null = null,
  ): Promise<ProgramOutcome> {
    const { rendering } = side;
    switch (rendering.kind) {
      case "denied":
        return endDenied(trail, rendering.code, rendering.refusal.reason, rendering.refusal.remedy);
      case "refusal":
        return endDenied(trail, "NOT_ENFORCEABLE", rendering.refusal.reason, rendering.refusal.remedy);
      case "not-found":
        return endNotFound(call, standing, trail);
      case "plan":
        if (live === null) throw new CofferdamError("INTERNAL", "a call was to run that nobody knows of");
        return enforce(
          this.#corridor.shared,
          {
            call,
            side,
            standing: prepared.standing,
            plan: rendering.plan,
            live,
            argsHash: prepared.argsHash,
            program: prepared.program,
            facts: prepared.facts,
          },
          options,
          (body) => trail.record(body),
          rendering.plan.proxy === null ? null : await this.#amender(call, side, prepared.standing, trail),
        );
    }
  }

  /** Who is asked about hosts while the call runs; null where nobody is. */
  async #amender(call: Call, granted: Side, standing: Standing, trail: Trail): Promise<Amender | null> {
    if (!asksForHosts(standing)) return null;
    const { amenderFor } = await import("./amend.ts");
    const { shared, gate } = this.#corridor;
    return amenderFor({ shared, gate, call, standing, granted, trail });
  }
}
