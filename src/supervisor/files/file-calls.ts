import type { Question } from "../../approval/question.ts";
import { CofferdamError, thrownText } from "../../errors.ts";
import { Trail } from "../../journal/trail.ts";
import { redact, redactText } from "../../policy/redact.ts";
import { isByYes } from "../../policy/verdict.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import { type AnyFileTool, type ReadUse, workOf } from "../../tool/files/all.ts";
import { FileFaultError } from "../../tool/files/faults.ts";
import {
  type Files,
  type FileUse,
  type Preview,
  spoken,
  type Target,
  type Touch,
} from "../../tool/files/file-tool.ts";
import { readWritten, rootOf, shownPath } from "../../tool/files/written-path.ts";
import { enterFiles, eventsOf } from "../beside.ts";
import type { CallOptions } from "../call-options.ts";
import type { Denial } from "../denial.ts";
import { grantedView } from "../granted-view.ts";
import type { ValueOutcome } from "../outcome.ts";
import type { Corridor } from "../program-calls.ts";
import { receiptOf } from "../receipt.ts";
import type { Granted } from "../standing.ts";
import { stopped } from "../stopped.ts";
import { askEarly, type Early, earlyLines } from "./early.ts";
import type { Turn } from "./pool.ts";
import { isRuledOut, type PreparedFile, prepareFile } from "./prepare.ts";
import { presentPreview } from "./present.ts";
import { denialFor, denied, errorFor } from "./refused.ts";
import { type OpenTemporaries, Sweeping } from "./sweeping.ts";
import { Workers } from "./workers.ts";

/** One use of a file tool, decided, as a question that the gate can put. */
interface FileQuestion extends Question {
  readonly use: ReadUse;
  readonly targets: readonly Target[];
  readonly prepared: PreparedFile;
  readonly turn: Turn;
  readonly early: Early | null;
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

  constructor(corridor: Corridor) {
    this.#corridor = corridor;
    this.#workers = new Workers(corridor.shared);
    this.#sweeping = new Sweeping(corridor, this.#workers);
  }

  /** Calls a file tool. What happens is the outcome: this throws only when an event can't be written down. */
  async call(tool: AnyFileTool, input: unknown, options: FileCallOptions): Promise<ValueOutcome> {
    return this.#corridor.ending.during(() => this.#call(tool, input, options));
  }

  async #call(tool: AnyFileTool, input: unknown, options: FileCallOptions): Promise<ValueOutcome> {
    const { shared, sessionId, options: own } = this.#corridor;
    const agent = own.agent ?? null;
    const began = performance.now();
    using trail = new Trail(shared.recorder, { sessionId, callId: shared.host.id(), tool: tool.name, agent });
    try {
      return await this.#walk(tool, input, { options, trail, agent, began });
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

  async #walk(
    tool: AnyFileTool,
    input: unknown,
    { options, trail, agent, began }: Walk,
  ): Promise<ValueOutcome> {
    const { shared, gate } = this.#corridor;
    const { walls } = shared;
    if (walls.kind === "unavailable") {
      const { code, message, hint = "" } = walls.error;
      trail.ended("denied", { reason: `${code}: ${message}` });
      return { kind: "denied", code, reason: message, hint };
    }
    const signal = options.signal ?? null;
    this.#corridor.shared.running.add(this);
    await this.#sweeping.sweep();
    const decide = (edited?: unknown): Promise<FileQuestion> =>
      this.#decide(tool, edited ?? input, trail, agent, signal);
    const decided = await decide();
    // Nobody is asked about what not even a yes gives; what rules say of it besides stands in the record.
    const { prepared } = decided;
    if (prepared.denials.length > 0 && !isRuledOut(prepared)) return this.#denied(trail, prepared.denials);
    // Nor about what could not be done; but why not would tell what is there, where that can't be read unasked.
    if (prepared.verdict.action === "ask" && prepared.mayBeTold) await decided.present();
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
      return this.#run(asked, isYes ? asked.prepared.onYes : asked.prepared.unasked, {
        trail,
        signal,
        began,
      });
    });
  }

  async #run(
    { use, targets, prepared, turn, early }: FileQuestion,
    granted: Granted,
    { trail, signal, began }: Pick<Walk, "trail" | "began"> & { readonly signal: AbortSignal | null },
  ): Promise<ValueOutcome> {
    const { value, receipt } = await this.#workers.useAnew(
      granted,
      async (ask, worker) => {
        using _live = await enterFiles(this.#corridor.shared, granted.profile, signal);
        using temporaries = this.#sweeping.during(worker);
        const told = await this.#workers.telling(granted.profile, worker, () =>
          use.run(targets, this.#files(ask, temporaries, early)),
        );
        if (told === null) return null;
        const { value, appeared } = told;
        for (const event of eventsOf(appeared)) trail.record(event);
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

  /** Reads the input, looks at its paths and decides. Throws `USAGE`, `FILE_BAD_PATH`, and a fault of the look. */
  async #decide(
    tool: AnyFileTool,
    input: unknown,
    trail: Trail,
    agent: string | null,
    signal: AbortSignal | null,
  ): Promise<FileQuestion> {
    const { shared, sessionId, options } = this.#corridor;
    const { standing, loaded, broker } = shared;
    const use = tool.read(input, loaded.config.roots);
    trail.received(redact(use.args).safeArgs);
    const granted = standing.files.reading.onYes;
    const turn: Turn = {};
    const looking = <Value>(of: Turn, work: (files: Files) => Promise<Value>): Promise<Value> =>
      this.#workers.use(granted, (ask) => work(this.#files(ask)), {
        signal,
        turn: of,
        trail,
      });
    const isFree = standing.files.reading.unasked.digest === granted.digest;
    const { targets, early } =
      use.touches.length === 0
        ? { targets: [], early: null }
        : await looking(turn, (files) => this.#look(use.touches, files, isFree ? use.reads : undefined));
    const { caller = "agent" } = options;
    const grants = await broker.grants(sessionId);
    const judged = async (how: "known" | "anew"): Promise<PreparedFile> => {
      const found = await this.#workers.standingFor(workOf(tool), how);
      return prepareFile({ tool, use, targets, agent, caller }, found, grants);
    };
    const known = await judged("known");
    // A repository that denied it may be gone by now.
    const prepared = known.denials.length === 0 ? known : await judged("anew");
    const { verdict, argsHash, grantKey, unasked, onYes } = prepared;
    trail.record({
      type: "call.prepared",
      argsHash,
      unasked: unasked.digest,
      onYes: onYes.digest,
      shortfall: [],
    });
    trail.judged(verdict);
    const description = use.describe(targets);
    let preview: Promise<Preview> | null = null;
    return {
      use,
      targets,
      prepared,
      turn,
      early,
      verdict,
      argsHash,
      get grantKey() {
        return grantKey();
      },
      groupId: null,
      show: () => ({
        risk: tool.risk,
        description: redactText(description).text,
        ...redact(prepared.args),
        covers: `${tool.name} on ${targets.map(spoken).join(" and ")}, whatever else it says`,
        granted: grantedView(onYes, { ...standing.settings, runtimes: [] }),
      }),
      present: async () => {
        // By then a person may have thought for long.
        preview ??= looking({}, async (files) => {
          return (await use.preview?.(targets, files)) ?? { kind: "text", text: description };
        });
        return presentPreview(preview, prepared.mayBeTold);
      },
    };
  }

  /** Looks at every path; where reading asks nobody, the lines to read are asked for at once. */
  async #look(
    touches: readonly Touch[],
    files: Files,
    reads: FileUse<unknown>["reads"],
  ): Promise<{ readonly targets: readonly Target[]; readonly early: Early | null }> {
    const { loaded, cwd } = this.#corridor.shared;
    const { roots } = loaded.config;
    const targets: Target[] = [];
    let early: Early | null = null;
    for (const touch of touches) {
      const written = readWritten(touch.written, roots, cwd);
      const looking = files.ask<"look">({ op: "look", path: written, end: touch.end });
      early = reads === undefined ? null : askEarly(files, reads(written));
      const [{ answer: looked }] = await Promise.all([looking, early?.lines]);
      const path = looked.target;
      if (!isAbsolutePath(path)) throw new CofferdamError("WORKER_LOST", "a worker told a path that is none");
      targets.push({ ...touch, path, root: rootOf(path, roots), shown: shownPath(path, roots), looked });
    }
    return { targets, early };
  }

  #files(ask: Files["ask"], temporaries: OpenTemporaries | null = null, early: Early | null = null): Files {
    const { roots } = this.#corridor.shared.loaded.config;
    return {
      ask,
      readLines: async (request) =>
        (await earlyLines(early, request)) ?? ask<"read-lines">({ op: "read-lines", ...request }),
      temporaryBeside: (path) => {
        if (temporaries === null) throw new CofferdamError("INTERNAL", "a look makes no temporary");
        return temporaries.beside(path);
      },
      shown: (path) => (isAbsolutePath(path) ? shownPath(path, roots) : path),
    };
  }

  #denied(trail: Trail, denials: readonly Denial[]): ValueOutcome {
    return denied(trail, denials, this.#corridor.shared.loaded.config.roots);
  }
}

interface Walk {
  readonly options: FileCallOptions;
  readonly trail: Trail;
  readonly agent: string | null;
  readonly began: number;
}
