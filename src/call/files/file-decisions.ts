import type { DecidedCall } from "../../approval/gate-result.ts";
import { grantedView } from "../../decide/granted-view.ts";
import { type Executed, type PreparedFile, prepareFile } from "../../decide/prepare-file.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { inTurns } from "../../host/turns.ts";
import type { CallLog } from "../../journal/call-log.ts";
import { redact, redactText } from "../../policy/redact.ts";
import { printObeyed } from "../../profile/executed.ts";
import { type AbsolutePath, isAbsolutePath, isInside, nameOf, parentOf } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import { type AnyFileTool, type ReadUse, workOf } from "../../tool/files/all.ts";
import {
  type Files,
  type FileUse,
  type Preview,
  spoken,
  type Touch,
  type TouchedPath,
} from "../../tool/files/file-tool.ts";
import { readWritten, rootOf, shownPath } from "../../tool/files/written-path.ts";
import type { SessionContext } from "../session-context.ts";
import type { SupervisorContext } from "../supervisor-context.ts";
import { askEarly, type Early, earlyLines } from "./early.ts";
import type { PoolTurn } from "./pool.ts";
import { presentPreview } from "./present.ts";
import type { OpenTemporaries } from "./sweeping.ts";
import type { Workers, WorkersFor } from "./workers.ts";

/** One use of a file tool, decided, as a question for the gate. */
export interface DecidedFileUse extends DecidedCall {
  readonly use: ReadUse;
  readonly targets: readonly TouchedPath[];
  readonly prepared: PreparedFile;
  readonly turn: PoolTurn;
  readonly early: Early | null;
  /** The state of the supervisor by which it was decided. */
  readonly under: SupervisorContext;
  readonly workers: Workers;
}

/** Decides uses of file tools: a worker that only reads looks at every path in the sandbox. */
export class FileDecisions {
  readonly #context: SessionContext;
  readonly #workersFor: WorkersFor;

  constructor(context: SessionContext, workersFor: WorkersFor) {
    this.#context = context;
    this.#workersFor = workersFor;
  }

  /** True if the use was decided by what is in force now. */
  isCurrent(decided: DecidedFileUse | null): boolean {
    return decided !== null && this.#context.watch.isCurrent(decided.under);
  }

  /** Reads the input, looks at its paths (relative to `cwd`) and decides. Throws `USAGE`, `FILE_BAD_PATH`, and a fault of the look. */
  async decide(
    tool: AnyFileTool,
    input: unknown,
    log: CallLog,
    agent: string | null,
    signal: AbortSignal | null,
    cwd: AbsolutePath,
  ): Promise<DecidedFileUse> {
    const { watch, sessionId, options } = this.#context;
    const shared = await watch.look();
    const { policy, loaded, broker } = shared;
    const workers = this.#workersFor(shared);
    const use = tool.read(input, loaded.config.roots);
    log.received(redact(use.args).safeArgs);
    const granted = policy.files.reading.withApproval;
    const turn: PoolTurn = {};
    const looking = <Value>(of: PoolTurn, work: (files: Files) => Promise<Value>): Promise<Value> =>
      workers.use(granted, (ask) => work(this.files(shared, ask)), { signal, turn: of, log });
    const isFree = policy.files.reading.withoutApproval.digest === granted.digest;
    const { targets, early } =
      use.touches.length === 0
        ? { targets: [], early: null }
        : await looking(turn, (files) =>
            look(loaded.config.roots, use.touches, files, cwd, isFree ? use.reads : undefined),
          );
    const { caller = "agent" } = options;
    const executed = targets.flatMap((target) => executedAt(target, use, shared));
    const memory = await broker.memory.of(sessionId);
    const judged = async (how: "known" | "anew"): Promise<PreparedFile> => {
      const found = await workers.policyFor(workOf(tool), how);
      return prepareFile({ tool, use, targets, agent, caller, executed }, found, memory);
    };
    const known = await judged("known");
    // The repository that caused the denial may be gone by now.
    const prepared = known.denials.length === 0 ? known : await judged("anew");
    const { verdict, argsHash, grantKey, withoutApproval, withApproval } = prepared;
    log.record({
      type: "call.prepared",
      argsHash,
      unasked: withoutApproval.digest,
      onYes: withApproval.digest,
      shortfall: [],
    });
    log.judged(verdict);
    const description = use.describe(targets);
    let preview: Promise<Preview> | null = null;
    return {
      use,
      targets,
      prepared,
      turn,
      early,
      under: shared,
      workers,
      verdict,
      argsHash,
      bound: { ...prepared.bound, origin: { cwd, pwd: null, env: {}, secrets: [] } },
      get grantKey() {
        return grantKey();
      },
      generalised: prepared.generalised,
      groupId: null,
      summarize: () => ({
        risk: tool.risk,
        description: redactText([description, ...executed.map(warningOf)].join("; ")).text,
        ...redact(prepared.args),
        covers: `${tool.name} on ${targets.map(spoken).join(" and ")}, with any other arguments`,
        granted: grantedView(withApproval, { ...policy.settings, runtimes: [] }),
      }),
      preview: async () => {
        // A person may have thought for long by then.
        if ((await watch.look()) !== shared) throw changedSince();
        preview ??= looking({}, async (files) => {
          return (await use.preview?.(targets, files)) ?? { kind: "text", text: description };
        });
        return presentPreview(preview, prepared.mayBeTold);
      },
    };
  }

  files(
    { loaded }: Pick<SupervisorContext, "loaded">,
    ask: Files["ask"],
    temporaries: OpenTemporaries | null = null,
    early: Early | null = null,
  ): Files {
    const { roots } = loaded.config;
    return {
      ask,
      readLines: async (request) =>
        (await earlyLines(early, request)) ?? ask<"read-lines">({ op: "read-lines", ...request }),
      temporaryBeside: (path) => {
        if (temporaries === null) throw new CofferdamError("INTERNAL", "a look can't create temporary files");
        return temporaries.beside(path);
      },
      shown: (path) => (isAbsolutePath(path) ? shownPath(path, roots) : path),
      inTurns,
    };
  }
}

/** Files to be written that a host executes, and that stay after an approval. */
function executedAt(
  { need, path, root }: TouchedPath,
  { writes }: ReadUse,
  { executed, appeared }: Pick<SupervisorContext, "executed" | "appeared">,
): readonly Executed[] {
  if (need !== "write" || appeared !== "ask" || root === null) return [];
  for (let at = path; at !== root.path && isInside(at, root.path); at = parentOf(at)) {
    const row = executed(at);
    if (row?.runs === "unasked") return [{ path, by: row.by, when: row.when, content: writes ?? null }];
  }
  return [];
}

/** Looks at every path. If reading needs no approval, the lines to read are requested at the same time. */
async function look(
  roots: readonly Root[],
  touches: readonly Touch[],
  files: Files,
  cwd: AbsolutePath,
  reads: FileUse<unknown>["reads"],
): Promise<{ readonly targets: readonly TouchedPath[]; readonly early: Early | null }> {
  const targets: TouchedPath[] = [];
  let early: Early | null = null;
  for (const touch of touches) {
    const written = readWritten(touch.written, roots, cwd);
    const looking = files.ask<"look">({ op: "look", path: written, end: touch.end });
    early = reads === undefined ? null : askEarly(files, reads(written));
    const [{ answer: looked }] = await Promise.all([looking, early?.lines]);
    const path = looked.target;
    if (!isAbsolutePath(path)) throw new CofferdamError("WORKER_LOST", "a worker returned an invalid path");
    targets.push({ ...touch, path, root: rootOf(path, roots), shown: shownPath(path, roots), looked });
  }
  return { targets, early };
}

function changedSince(): CofferdamError {
  return new CofferdamError("FACTS_UNSTABLE", "the config has changed since the question was asked", {
    hint: "answer it: the call is decided again before it runs",
  });
}

function warningOf({ path, ...row }: Executed): string {
  return `${visible(nameOf(path))} is ${printObeyed(row)}`;
}
