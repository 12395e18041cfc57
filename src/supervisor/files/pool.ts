/** So many workers of one profile work at once. */
const MOST_AT_ONCE = 2;
/** A worker is replaced after so many uses, and when it is so old, in milliseconds. */
const MOST_USES = 100_000;
const OLDEST_MS = 60 * 60 * 1000;

/** What a pool looks at of its workers. */
export interface Poolable extends AsyncDisposable {
  readonly isRunning: boolean;
  keepAlive(isKept: boolean): void;
  /** What is different about its walls since they were proven. */
  changes(): readonly string[];
}

/** A worker, and whether it may be kept: not where a root was away, which may come back. */
export interface Started<Worker> {
  readonly worker: Worker;
  readonly hasEveryRoot: boolean;
}

/** A piece of work without any wait for a person: what stood at its beginning need not be looked at twice. */
export type Turn = object;

/** How a worker is used. */
export interface PoolUse<Worker> {
  readonly signal: AbortSignal | null;
  readonly turn: Turn;
  readonly onStart: (worker: Worker) => void;
}

/** One worker, and what it has been used for. */
interface Kept<Worker> extends Started<Worker> {
  readonly since: number;
  uses: number;
  /** The turn in which its walls were looked at last. */
  turn: Turn;
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

  /** Has one of them do something, once less than two are working. Throws what the work throws, and what the signal says. */
  async use<Value>(
    work: (worker: Worker) => Promise<Value>,
    { signal, turn, onStart }: PoolUse<Worker>,
  ): Promise<Value> {
    signal?.throwIfAborted();
    if (this.#working >= MOST_AT_ONCE) await this.#room(signal);
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

  /** Waits until a worker is let go of; throws what the signal says. */
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

  async #take(turn: Turn, onStart: (worker: Worker) => void): Promise<Kept<Worker>> {
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

function isFit({ worker, since, uses, turn: lookedAt }: Kept<Poolable>, turn: Turn): boolean {
  return (
    worker.isRunning &&
    uses < MOST_USES &&
    performance.now() - since < OLDEST_MS &&
    (lookedAt === turn || worker.changes().length === 0)
  );
}
