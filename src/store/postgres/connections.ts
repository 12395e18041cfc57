import { type ClientConfig, Pool, type PoolClient } from "pg";
import { inTime } from "../../host/in-time.ts";
import { pause } from "../../host/pause.ts";
import { isPassing, storeError, unavailable } from "./failure.ts";
import { type Settings, secretsOf } from "./options.ts";
import { rowOf, type Statement, type Value } from "./statement.ts";

/** A connection for one try of a step. Each statement is a transaction of its own unless one was begun. */
export interface StepConnection {
  ask<Row>(statement: Statement<Row>, values: readonly Value[]): Promise<readonly Row[]>;
  run(text: string): Promise<void>;
}

/** Work with a connection. It may be repeated from its start: then some of it may have been done before. */
export type ConnectionWork<Result> = (connection: StepConnection, isAgain: boolean) => Promise<Result>;

const LONGEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 10;
const IDLE_MS = 30_000;

/** A pool of connections to a server. Idle connections do not keep the process alive. */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  /** Maximum of the wait for an answer or a connection: less than `patienceMs`, to leave time for other tries. */
  readonly #answerMs: number;
  readonly #secrets: readonly string[];
  readonly #ended = new AbortController();

  constructor(settings: Settings) {
    this.#patienceMs = settings.patienceMs;
    this.#answerMs = answerMs(settings);
    this.#secrets = secretsOf(settings.connection);
    this.#pool = new Pool({
      ...configOf(settings),
      // The server gives up a statement before we do: then it has done nothing, and will do nothing later.
      statement_timeout: Math.ceil(this.#answerMs * 0.8),
      max: settings.maxConnections,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
    });
    // An idle connection that was lost is no longer in the pool; the next step gets another.
    this.#pool.on("error", ignore);
  }

  /** Does a step, again after ever longer pauses while connections fail. Throws `STORE_UNAVAILABLE`. */
  async step<Result>(work: ConnectionWork<Result>): Promise<Result> {
    const until = performance.now() + this.#patienceMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#try(work, until, tries > 0);
      } catch (thrown) {
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random());
        const isOver = this.#ended.signal.aborted || performance.now() + pauseMs > until - this.#answerMs;
        if (isOver || !isPassing(thrown)) throw storeError(thrown, this.#secrets);
        // Cut short if the store is closed: the next try reports it.
        await pause(pauseMs, { signal: this.#ended.signal });
      }
    }
  }

  /** Tries once, for work that is repeated anyway or is optional. Throws any error as it is. */
  async once<Result>(work: ConnectionWork<Result>): Promise<Result> {
    return this.#try(work, performance.now() + 2 * this.#answerMs, false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    await this.#pool.end();
  }

  async #try<Result>(work: ConnectionWork<Result>, until: number, isAgain: boolean): Promise<Result> {
    if (this.#ended.signal.aborted) throw unavailable("was closed", "create another store");
    const client = await this.#connect(until - this.#answerMs - performance.now());
    client.on("error", ignore);
    // After an error, a transaction may be open, or an answer outstanding.
    let isSound = false;
    try {
      const result = await work(connectionBy(client, until, this.#answerMs), isAgain);
      isSound = true;
      return result;
    } finally {
      client.release(!isSound);
      client.off("error", ignore);
    }
  }

  async #connect(maxMs: number): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    const client = await inTime(connecting, maxMs);
    if (client !== null) return client;
    // A connection that comes too late goes back.
    connecting.then((late) => late.release(), ignore);
    throw new Error("timeout exceeded: no connection");
  }
}

/** The `pg` settings of every connection of a store. */
export function configOf(settings: Settings): ClientConfig {
  const { connection, applicationName } = settings;
  return {
    ...(typeof connection === "string" ? { connectionString: connection } : connection),
    application_name: applicationName,
    connectionTimeoutMillis: answerMs(settings),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

function answerMs({ patienceMs }: Settings): number {
  return Math.ceil(patienceMs * 0.3);
}

function connectionBy(client: PoolClient, until: number, answerMs: number): StepConnection {
  const query = async (more: {
    text: string;
    name?: string;
    values?: Value[];
  }): Promise<readonly unknown[]> => {
    // No begin without time for the answer.
    if (performance.now() + answerMs > until) throw new Error("timeout exceeded: no time left for an answer");
    // A statement has its own limit, which `pg` accepts though its types do not know it.
    const config = { ...more, query_timeout: answerMs };
    const { rows }: { readonly rows: readonly unknown[] } = await client.query(config);
    return rows;
  };
  return {
    async ask({ name, text, row }, values) {
      const rows = await query({ text, ...(name === null ? {} : { name }), values: [...values] });
      return rows.map((one) => rowOf(row, one));
    },
    async run(text) {
      await query({ text });
    },
  };
}

/** The step reports the error, or it does not matter. */
function ignore(): void {
  return;
}
