import { type LeftBehind, Temporaries } from "../../host/launch/temporaries.ts";
import { isAtMost } from "../../profile/access.ts";
import { accessTo } from "../../profile/access-to.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { TEMPORARY } from "../../tool/files/protocol.ts";
import type { SessionContext } from "../session-context.ts";
import type { FileWorker } from "./worker.ts";
import type { WorkersFor } from "./workers.ts";

/** The temporaries of one change, while it is made. */
export interface OpenTemporaries extends Disposable {
  beside(path: AbsolutePath): string;
}

interface Left {
  readonly folder: AbsolutePath;
  readonly prefix: string;
}

/**
 * Removes temporaries of unfinished writes, left by killed workers and by sessions of killed supervisors. A worker does
 * it before the next call of any file tool, so only where tools may write.
 */
export class TemporariesSweep implements AsyncDisposable {
  readonly #context: SessionContext;
  readonly #workersFor: WorkersFor;
  readonly #temporaries: Temporaries;
  readonly #left: Left[] = [];
  /** Sessions of ended supervisors without temporaries left where this supervisor's tools may write. */
  readonly #swept = new Set<string>();
  #made = 0;

  constructor(context: SessionContext, workersFor: WorkersFor) {
    const { shared, sessionId } = context;
    this.#context = context;
    this.#workersFor = workersFor;
    const prefix = `${TEMPORARY}${sessionId.replaceAll(/[^A-Za-z0-9-]/g, "")}-`;
    this.#temporaries = new Temporaries(shared.host.stateFolder, sessionId, prefix);
  }

  /** The temporaries of one change by a worker: if the worker is lost meanwhile, they are swept later. */
  during(worker: FileWorker): OpenTemporaries {
    const made: Left[] = [];
    return {
      beside: (path) => {
        const folder = parentOf(path);
        this.#temporaries.expectIn(folder);
        this.#made += 1;
        const prefix = `${this.#temporaries.prefix}${this.#made}-`;
        made.push({ folder, prefix });
        return `${prefix}0`;
      },
      [Symbol.dispose]: () => {
        if (!worker.isRunning) this.#left.push(...made);
      },
    };
  }

  /** Removes remains where tools may write. Failed removals are tried again at the next call. */
  async sweep(): Promise<void> {
    await this.#sweepOwn();
    for (const one of this.#temporaries.leftBehind())
      if (!this.#swept.has(one.prefix)) await this.#sweepAfter(one);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweepOwn();
    if (this.#left.length === 0) this.#temporaries[Symbol.dispose]();
  }

  async #sweepOwn(): Promise<void> {
    const left = this.#left.splice(0);
    if (left.length > 0) this.#left.push(...(await this.#remove(left)));
  }

  /** Removes the remains of an ended supervisor's session; other sessions do so in folders that are not ours. */
  async #sweepAfter({ folders, prefix, forget }: LeftBehind): Promise<void> {
    const own = folders.filter((folder) => this.#mayWrite(folder));
    const left = await this.#remove(own.map((folder) => ({ folder, prefix })));
    if (left.length > 0 || forget === null) return;
    this.#swept.add(prefix);
    if (own.length === folders.length) forget();
  }

  #mayWrite(folder: AbsolutePath): boolean {
    const { profile } = this.#context.shared.policy.files.writing.withApproval;
    return isAtMost("write", accessTo(profile, folder, { kind: "folder", bornInside: false }));
  }

  /** Returns those that could not be removed. */
  async #remove(left: readonly Left[]): Promise<readonly Left[]> {
    const { shared } = this.#context;
    const granted = shared.policy.files.writing.withApproval;
    const remaining: Left[] = [];
    for (const one of left) {
      const isGone =
        this.#mayWrite(one.folder) &&
        (await this.#workersFor(shared)
          .use(granted, (ask) => ask<"sweep">({ op: "sweep", ...one }), { signal: null, turn: {}, log: null })
          .then(
            () => true,
            () => false,
          ));
      if (!isGone) remaining.push(one);
    }
    return remaining;
  }
}
