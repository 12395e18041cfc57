import { type LeftBehind, Temporaries } from "../../host/temporaries.ts";
import { isAtMost } from "../../profile/access.ts";
import { accessTo } from "../../profile/access-to.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { TEMPORARY } from "../../tool/files/protocol.ts";
import type { Corridor } from "../corridor.ts";
import type { FileWorker } from "./worker.ts";
import type { Workers } from "./workers.ts";

/** The temporaries of one change, for as long as it is made. */
export interface OpenTemporaries extends Disposable {
  /** The name of one that is to be made beside a path. */
  beside(path: AbsolutePath): string;
}

/** What is to be removed, until it is. */
interface Left {
  readonly folder: AbsolutePath;
  readonly prefix: string;
}

/**
 * Removes what killed workers, and sessions of killed supervisors, left: temporaries of writes that never came to their
 * end. Done before the next call of any file tool, by a worker, so never outside of what tools may write.
 */
export class Sweeping implements AsyncDisposable {
  readonly #corridor: Corridor;
  readonly #workers: Workers;
  readonly #temporaries: Temporaries;
  readonly #left: Left[] = [];
  /** Of ended supervisors' sessions, those whose temporaries are gone where tools of this one may write. */
  readonly #swept = new Set<string>();
  #made = 0;

  constructor(corridor: Corridor, workers: Workers) {
    const { shared, sessionId } = corridor;
    this.#corridor = corridor;
    this.#workers = workers;
    const prefix = `${TEMPORARY}${sessionId.replaceAll(/[^A-Za-z0-9-]/g, "")}-`;
    this.#temporaries = new Temporaries(shared.host.stateFolder, sessionId, prefix);
  }

  /** Temporaries of one change by a worker: where the worker is lost meanwhile, they are swept later. */
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

  /** Removes what is left where tools may write. What can't be removed is tried again at the next call. */
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

  /** What a session of an ended supervisor left; in folders that are not ours it is another session's to remove. */
  async #sweepAfter({ folders, prefix, forget }: LeftBehind): Promise<void> {
    const own = folders.filter((folder) => this.#mayWrite(folder));
    const left = await this.#remove(own.map((folder) => ({ folder, prefix })));
    if (left.length > 0 || forget === null) return;
    this.#swept.add(prefix);
    if (own.length === folders.length) forget();
  }

  #mayWrite(folder: AbsolutePath): boolean {
    const { profile } = this.#corridor.shared.standing.files.writing.onYes;
    return isAtMost("write", accessTo(profile, folder, { kind: "folder", bornInside: false }));
  }

  /** Those that could not be removed. */
  async #remove(left: readonly Left[]): Promise<readonly Left[]> {
    const granted = this.#corridor.shared.standing.files.writing.onYes;
    const remaining: Left[] = [];
    for (const one of left) {
      const isGone =
        this.#mayWrite(one.folder) &&
        (await this.#workers
          .use(granted, (ask) => ask<"sweep">({ op: "sweep", ...one }), {
            signal: null,
            turn: {},
            trail: null,
          })
          .then(
            () => true,
            () => false,
          ));
      if (!isGone) remaining.push(one);
    }
    return remaining;
  }
}
