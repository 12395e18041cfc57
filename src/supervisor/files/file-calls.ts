import { thrownText } from "../../errors.ts";
import { Trail } from "../../journal/trail.ts";
import { isByYes } from "../../policy/verdict.ts";
import type { AnyFileTool } from "../../tool/files/all.ts";
import { FileFaultError } from "../../tool/files/faults.ts";
import { asksAbout, MadeByCall, type Making } from "../appeared/made-by-call.ts";
import { enterFiles } from "../beside.ts";
import type { CallOptions, ClearanceOptions } from "../call-options.ts";
import type { Corridor } from "../corridor.ts";
import type { Denial } from "../denial.ts";
import type { CallClearance, ValueOutcome } from "../outcome.ts";
import { receiptOf } from "../receipt.ts";
import type { Granted } from "../standing.ts";
import { cleared, stopped } from "../stopped.ts";
import { FileDecisions, type FileQuestion } from "./file-decisions.ts";
import { type Executed, isRuledOut } from "./prepare.ts";
import { denialFor, denied, errorFor, type FileDenied } from "./refused.ts";
import { Sweeping } from "./sweeping.ts";
import { type Follow, Workers } from "./workers.ts";

/** A use that was decided, and can be put to the gate. */
interface ReadyUse {
  readonly kind: "ready";
  readonly decide: (edited?: unknown) => Promise<FileQuestion>;
  readonly decided: FileQuestion;
}

/** How one file call is made. */
export type FileCallOptions = Pick<CallOptions, "signal" | "groupId" | "approvalId">;

/**
 * The corridor of file calls: every path is looked at inside the walls, then the use is decided, asked about, and done by
 * a worker that has what the verdict gives. Nothing of a file is ever read with the supervisor's own rights.
 */
export class FileCalls implements AsyncDisposable {
  readonly #corridor: Corridor;
  readonly #workers: Workers;
  readonly #sweeping: Sweeping;
  readonly #decisions: FileDecisions;

  constructor(corridor: Corridor) {
    this.#corridor = corridor;
    this.#workers = new Workers(corridor.shared);
    this.#sweeping = new Sweeping(corridor, this.#workers);
    this.#decisions = new FileDecisions(corridor, this.#workers);
  }

  /** Calls a file tool. What happens is the outcome: this throws only when an event can't be written down. */
  async call(tool: AnyFileTool, input: unknown, options: FileCallOptions): Promise<ValueOutcome> {
    return this.#corridor.ending.during(() => this.#call(tool, input, options));
  }

  /** Whether such a call may be made, without making it. What could not be done is the outcome. */
  async ask(
    tool: AnyFileTool,
    input: unknown,
    options: ClearanceOptions,
  ): Promise<CallClearance | ValueOutcome> {
    return this.#corridor.ending.during(() => this.#ask(tool, input, options));
  }

  async #ask(
    tool: AnyFileTool,
    input: unknown,
    options: ClearanceOptions,
  ): Promise<CallClearance | ValueOutcome> {
    const { signal = null, groupId = null, toolCallId = null, mayAsk = true, isUnique = false } = options;
    return this.#tried(tool, async (trail, agent) => {
      const ready = await this.#ready(tool, input, trail, agent, signal);
      if (ready.kind !== "ready") return ready;
      const { decided } = ready;
      const asker = { callId: trail.callId, tool: tool.name, agent, groupId };
      const call = { input: decided.use.args, cwd: this.#corridor.shared.cwd };
      const clear = { signal, toolCallId, mayAsk, isUnique, trail, call };
      return cleared(await this.#corridor.gate.clear(asker, decided, clear), trail);
    });
  }

  async #call(tool: AnyFileTool, input: unknown, options: FileCallOptions): Promise<ValueOutcome> {
    return this.#tried(tool, (trail, agent, began) =>
      this.#walk(tool, input, { options, trail, agent, began }),
    );
  }

  /** What could not be done, as the outcome. */
  async #tried<Ended>(
    tool: AnyFileTool,
    work: (trail: Trail, agent: string | null, began: number) => Promise<Ended>,
  ): Promise<Ended | ValueOutcome> {
    const { shared, sessionId, options: own } = this.#corridor;
    const agent = own.agent ?? null;
    const began = performance.now();
    using trail = new Trail(shared.recorder, { sessionId, callId: shared.host.id(), tool: tool.name, agent });
    try {
      return await work(trail, agent, began);
    } catch (cause) {
      const durationMs = performance.now() - began;
      const { loaded } = shared;
      const denial = cause instanceof FileFaultError ? denialFor(cause, tool, this.#workers.known) : null;
      if (denial !== null) return this.#denied(trail, [denial]);
      const error = cause instanceof FileFaultError ? errorFor(cause, loaded.config.roots) : cause;
      trail.ended("failed", { reason: thrownText(error), durationMs });
      return { kind: "failed", error, receipt: null, durationMs };
    }
  }

  /** Ends the calls that are being made, then what did them; what they left is removed in between. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#corridor.shared.running.delete(this);
    await this.#corridor.ending.come();
    await this.#sweeping[Symbol.asyncDispose]();
    await this.#workers[Symbol.asyncDispose]();
  }

  /** Decides a use, unless it is clear already that it could not be done. */
  async #ready(
    tool: AnyFileTool,
    input: unknown,
    trail: Trail,
    agent: string | null,
    signal: AbortSignal | null,
  ): Promise<ReadyUse | FileDenied> {
    const { walls } = this.#corridor.shared;
    if (walls.kind === "unavailable") {
      const { code, message, hint = "" } = walls.error;
      trail.ended("denied", { reason: `${code}: ${message}` });
      return { kind: "denied", code, reason: message, hint };
    }
    this.#corridor.shared.running.add(this);
    await this.#sweeping.sweep();
    const decide = (edited?: unknown): Promise<FileQuestion> =>
      this.#decisions.decide(tool, edited ?? input, trail, agent, signal);
    const decided = await decide();
    // Nobody is asked about what not even a yes gives; what rules say of it besides stands in the record.
    const { prepared } = decided;
    if (prepared.denials.length > 0 && !isRuledOut(prepared)) return this.#denied(trail, prepared.denials);
    // Nor about what could not be done; but why not would tell what is there, where that can't be read unasked.
    if (prepared.verdict.action === "ask" && prepared.mayBeTold) await decided.present();
    return { kind: "ready", decide, decided };
  }

  async #walk(
    tool: AnyFileTool,
    input: unknown,
    { options, trail, agent, began }: Walk,
  ): Promise<ValueOutcome> {
    const { shared, gate } = this.#corridor;
    const signal = options.signal ?? null;
    const ready = await this.#ready(tool, input, trail, agent, signal);
    if (ready.kind !== "ready") return ready;
    const { decide, decided } = ready;
    const passage = await gate.pass(
      { callId: trail.callId, tool: tool.name, agent, groupId: options.groupId ?? null },
      decide,
      {
        signal,
        approvalId: options.approvalId ?? null,
        trail,
        decided,
        call: { input: decided.use.args, cwd: shared.cwd },
      },
    );
    if (passage.kind !== "permitted") return stopped(passage, trail);
    const { asked } = passage;
    return gate.run(passage, async () => {
      // Whoever edits an input may write what not even their own yes gives.
      if (asked.prepared.denials.length > 0) return this.#denied(trail, asked.prepared.denials);
      const isYes = passage.isByYes || isByYes(asked.prepared.verdict);
      const granted = isYes ? asked.prepared.onYes : asked.prepared.unasked;
      // They were shown which of it is executed, and by which program.
      const agreed = passage.by === null ? [] : asked.prepared.executed;
      return this.#run(asked, granted, { trail, signal, began, agent, agreed, options });
    });
  }

  async #run(
    { use, targets, prepared, turn, early }: FileQuestion,
    granted: Granted,
    walk: Permitted,
  ): Promise<ValueOutcome> {
    const { trail, signal, began } = walk;
    const { value, receipt } = await this.#workers.useAnew(
      granted,
      async (ask, worker) => {
        using live = await enterFiles(this.#corridor.shared, granted.profile, signal);
        using temporaries = this.#sweeping.during(worker);
        const follow: Follow = (parts) =>
          this.#following(walk, {
            ...parts,
            profile: granted.profile,
            onTaken: () => live?.[Symbol.dispose](),
          });
        const told = await this.#workers.telling(granted.profile, worker, follow, () =>
          use.run(targets, this.#decisions.files(ask, temporaries, early)),
        );
        if (told === null) return null;
        const { value, appeared } = told;
        const { plan, standings } = worker;
        const receipt = receiptOf({
          plan,
          standings,
          granted: granted.digest,
          argsHash: prepared.argsHash,
          walls: this.#corridor.shared.walls,
          mountChanges: worker.mountChanges(),
          reached: [],
          appeared,
        });
        return { value, receipt };
      },
      { signal, turn, trail },
    );
    const durationMs = performance.now() - began;
    trail.ended("done", { durationMs });
    return { kind: "done", value, receipt, durationMs };
  }

  /** What sees to what the use makes. */
  #following(
    { trail, agent, agreed, signal, options }: Permitted,
    parts: Pick<Making, "shared" | "facts" | "profile" | "onTaken">,
  ): MadeByCall {
    const { sessionId } = this.#corridor;
    const { workspace } = parts.shared.loaded.config;
    return new MadeByCall({
      ...parts,
      from: { sessionId, callId: trail.callId, tool: trail.tool, workspace },
      record: (body) => trail.record(body),
      agreed,
      asks: asksAbout(this.#corridor, { trail, agent, groupId: options.groupId ?? null, signal }),
    });
  }

  #denied(trail: Trail, denials: readonly Denial[]): FileDenied {
    return denied(trail, denials, this.#corridor.shared.loaded.config.roots);
  }
}

interface Walk {
  readonly options: FileCallOptions;
  readonly trail: Trail;
  readonly agent: string | null;
  readonly began: number;
}

/** One that may be done. */
interface Permitted extends Walk {
  readonly signal: AbortSignal | null;
  /** What hosts execute of it, where a person said yes to exactly this use. */
  readonly agreed: readonly Executed[];
}
