/** Maximum of workers of one profile that work at the same time. */
const MAX_AT_ONCE = 2;
/** A worker is replaced after this number of uses, or at this age in milliseconds. */
const MAX_USES = 100_000;
const OLDEST_MS = 60 * 60 * 1000;

/** The part of a worker that a pool uses. */
export interface Poolable extends AsyncDisposable {
  readonly isRunning: boolean;
  keepAlive(isKept: boolean): void;
  changes(): readonly string[];
}

/** A worker, and whether every root existed at its start. If not, it is not kept: a root may come back. */
export interface Started<Worker> {
  readonly worker: Worker;
  readonly hasEveryRoot: boolean;
}

/** A piece of work without any wait for a person: its sandbox is checked only once. */
export type PoolTurn = object;

/** How a worker is used. */
export interface PoolUse<Worker> {
  readonly signal: AbortSignal | null;
  readonly turn: PoolTurn;
  readonly onStart: (worker: Worker) => void;
}

interface Kept<Worker> extends Started<Worker> {
  readonly since: number;
  uses: number;
  /** The turn in which its sandbox was checked last. */
  turn: PoolTurn;
}

/** The workers of one profile: some work, the others wait to be used again. */
export class Pool<Worker extends Poolable> implements AsyncDisposable {
  readonly #start: () => Promise<Started<Worker>>;
  readonly #idle: Kept<Worker>[] = [];
  readonly #queue = new Set<() => void>();
  #working = 0;
  #isOver = false;

  constructor(start: () => Promise<Started<Worker>>) {
    this.#start = start;
  }

  /** Runs work with a worker, once fewer than two are busy. Throws errors of the work, and the signal's reason. */
  async use<Value>(
    work: (worker: Worker) => Promise<Value>,
    { signal, turn, onStart }: PoolUse<Worker>,
  ): Promise<Value> {
    signal?.throwIfAborted();
    if (this.#working >= MAX_AT_ONCE) await this.#room(signal);
    else this.#working += 1;
    let kept: Kept<Worker> | null = null;
    try {
      kept = await this.#take(turn, onStart);
      kept.uses += 1;
      kept.worker.keepAlive(true);
      return await work(kept.worker);
    } finally {
      if (kept !== null) await this.#putBack(kept);
      const [next] = this.#queue;
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker[Symbol.asyncDispose]()));
  }

  #room(signal: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => (): void => {
        this.#queue.delete(go);
        signal?.removeEventListener("abort", onAbort);
        settle();
      };
      const go = done(resolve);
      const onAbort = done(() => reject(signal?.reason));
      this.#queue.add(go);
      signal?.addEventListener("abort", onAbort);
    });
  }

  async #take(turn: PoolTurn, onStart: (worker: Worker) => void): Promise<Kept<Worker>> {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (isFit(kept, turn)) {
        kept.turn = turn;
        return kept;
      }
      await kept.worker[Symbol.asyncDispose]();
    }
    const started = await this.#start();
    onStart(started.worker);
    return { ...started, since: performance.now(), uses: 0, turn };
  }

  async #putBack(kept: Kept<Worker>): Promise<void> {
    const { worker, hasEveryRoot } = kept;
    if (this.#isOver || !worker.isRunning || !hasEveryRoot) return worker[Symbol.asyncDispose]();
    worker.keepAlive(false);
    this.#idle.push(kept);
  }
}

function isFit({ worker, since, uses, turn: lookedAt }: Kept<Poolable>, turn: PoolTurn): boolean {
  return (
    worker.isRunning &&
    uses < MAX_USES &&
    performance.now() - since < OLDEST_MS &&
    (lookedAt === turn || worker.changes().length === 0)
  );
}
