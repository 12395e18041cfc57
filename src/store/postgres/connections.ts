import { setTimeout as pause } from "node:timers/promises";
import { type ClientConfig, Pool, type PoolClient } from "pg";
import { isPassing, told, unavailable } from "./failure.ts";
import { type Settings, secretsOf } from "./options.ts";
import { rowOf, type Statement, type Value } from "./statement.ts";

/** A connection, for one try of a step. Each statement is a transaction of its own where none was begun. */
export interface Connection {
  ask<Row>(statement: Statement<Row>, values: readonly Value[]): Promise<readonly Row[]>;
  /** Statements without values, of which nobody wants rows. */
  run(text: string): Promise<void>;
}

/** What is done with a connection. It may be done again from its start: then some of it may have been done before. */
export type Work<Result> = (connection: Connection, isAgain: boolean) => Promise<Result>;

/** Longer than this a try does not wait for the next one. */
const LONGEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 10;
/** Connections that nobody needs are closed after so long. */
const IDLE_MS = 30_000;

/** A few connections to a server. None that is idle keeps the process alive. */
export class Connections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #patienceMs: number;
  /** So long the answer to a statement, or a connection, is waited for: less than patience, for others to be tried. */
  readonly #answerMs: number;
  readonly #secrets: readonly string[];
  readonly #ended = new AbortController();

  constructor(settings: Settings) {
    this.#patienceMs = settings.patienceMs;
    this.#answerMs = answerMs(settings);
    this.#secrets = secretsOf(settings.connection);
    this.#pool = new Pool({
      ...configOf(settings),
      // The server gives a statement up before we do: then it is known that it did nothing, and will not do it later.
      statement_timeout: Math.ceil(this.#answerMs * 0.8),
      max: settings.mostConnections,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
    });
    // An idle connection that was lost is no longer in the pool; the next step gets another.
    this.#pool.on("error", ignore);
  }

  /**
   * Does what a step takes. It is done again, each time after a longer pause, as long as connections are lost or not to be
   * had, and patience lasts. Throws `STORE_UNAVAILABLE`.
   */
  async step<Result>(work: Work<Result>): Promise<Result> {
    const until = performance.now() + this.#patienceMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#try(work, until, tries > 0);
      } catch (thrown) {
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random());
        const isOver = this.#ended.signal.aborted || performance.now() + pauseMs > until - this.#answerMs;
        if (isOver || !isPassing(thrown)) throw told(thrown, this.#secrets);
        // Cut short where the store is closed: the next try says so.
        await pause(pauseMs, null, { signal: this.#ended.signal }).catch(ignore);
      }
    }
  }

  /** Tries once, for what is done again anyway, or need not be done. Throws whatever comes. */
  async once<Result>(work: Work<Result>): Promise<Result> {
    return this.#try(work, performance.now() + 2 * this.#answerMs, false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    await this.#pool.end();
  }

  async #try<Result>(work: Work<Result>, until: number, isAgain: boolean): Promise<Result> {
    if (this.#ended.signal.aborted) throw unavailable("was closed", "make another");
    const client = await inTime(this.#pool.connect(), until - this.#answerMs - performance.now());
    client.on("error", ignore);
    // Behind whatever was thrown, a transaction may be open, or an answer outstanding.
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
}

/** What `pg` takes of the settings, for whatever connection of a store. */
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

function connectionBy(client: PoolClient, until: number, answerMs: number): Connection {
  const query = async (more: {
    text: string;
    name?: string;
    values?: Value[];
  }): Promise<readonly unknown[]> => {
    // What could not be waited for is not begun.
    if (performance.now() + answerMs > until) throw new Error("timeout exceeded: no time left for an answer");
    // Its own limit goes with it, which `pg` takes though its types do not know it.
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

/** What arrives too late goes back. */
async function inTime(arriving: Promise<PoolClient>, ms: number): Promise<PoolClient> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("timeout exceeded: no connection")), ms);
  try {
    return await Promise.race([arriving, late.promise]);
  } catch (thrown) {
    arriving.then((client) => client.release(), ignore);
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** It is told by the step that it stops, or by nobody. */
function ignore(): void {
  return;
}
