import type { Question } from "../../approval/question.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { inTurns } from "../../host/turns.ts";
import type { Trail } from "../../journal/trail.ts";
import { redact, redactText } from "../../policy/redact.ts";
import { printObeyed } from "../../profile/executed.ts";
import { isAbsolutePath, isInside, nameOf, parentOf } from "../../profile/path.ts";
import { type AnyFileTool, type ReadUse, workOf } from "../../tool/files/all.ts";
import {
  type Files,
  type FileUse,
  type Preview,
  spoken,
  type Target,
  type Touch,
} from "../../tool/files/file-tool.ts";
import { readWritten, rootOf, shownPath } from "../../tool/files/written-path.ts";
import type { Corridor } from "../corridor.ts";
import { grantedView } from "../granted-view.ts";
import { askEarly, type Early, earlyLines } from "./early.ts";
import type { Turn } from "./pool.ts";
import { type Executed, type PreparedFile, prepareFile } from "./prepare.ts";
import { presentPreview } from "./present.ts";
import type { OpenTemporaries } from "./sweeping.ts";
import type { Workers } from "./workers.ts";

/** One use of a file tool, decided, as a question that the gate can put. */
export interface FileQuestion extends Question {
  readonly use: ReadUse;
  readonly targets: readonly Target[];
  readonly prepared: PreparedFile;
  readonly turn: Turn;
  readonly early: Early | null;
}

/** Decides what tools on files are to do: every path is looked at inside the walls, by a worker that only reads. */
export class FileDecisions {
  readonly #corridor: Corridor;
  readonly #workers: Workers;

  constructor(corridor: Corridor, workers: Workers) {
    this.#corridor = corridor;
    this.#workers = workers;
  }

  /** Reads the input, looks at its paths and decides. Throws `USAGE`, `FILE_BAD_PATH`, and a fault of the look. */
  async decide(
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
      this.#workers.use(granted, (ask) => work(this.files(ask)), {
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
    const executed = targets.flatMap((target) => this.#executedAt(target, use));
    const grants = await broker.grants(sessionId);
    const judged = async (how: "known" | "anew"): Promise<PreparedFile> => {
      const found = await this.#workers.standingFor(workOf(tool), how);
      return prepareFile({ tool, use, targets, agent, caller, executed }, found, grants);
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
        description: redactText([description, ...executed.map(warningOf)].join("; ")).text,
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

  /** What a host executes of what is to be written, and that a yes would leave there. */
  #executedAt({ need, path, root }: Target, { writes }: ReadUse): readonly Executed[] {
    const { executed, appeared } = this.#corridor.shared;
    if (need !== "write" || appeared !== "ask" || root === null) return [];
    for (let at = path; at !== root.path && isInside(at, root.path); at = parentOf(at)) {
      const row = executed(at);
      if (row?.runs === "unasked") return [{ path, by: row.by, when: row.when, content: writes ?? null }];
    }
    return [];
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

  /** What a use works on files with: a worker, and what was asked of it ahead. */
  files(ask: Files["ask"], temporaries: OpenTemporaries | null = null, early: Early | null = null): Files {
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
      inTurns,
    };
  }
}

function warningOf({ path, ...row }: Executed): string {
  return `${visible(nameOf(path))} is ${printObeyed(row)}`;
}
