import { Socket } from "node:net";
import { Client, type ClientConfig } from "pg";
import { pause } from "../../host/pause.ts";
import { quoted } from "./statement.ts";

/** How often new events are looked for: a report may be late by a second, and the look itself takes time. */
const LOOK_MS = 700;
const LONGEST_PAUSE_MS = 5_000;
const FIRST_PAUSE_MS = 50;

/** The means to learn of new events. */
export interface Sources {
  readonly config: ClientConfig;
  readonly channel: string;
  readonly lastSeq: () => Promise<number>;
  /** Notifies others that there are events up to this number. */
  readonly callOut: (seq: number) => Promise<void>;
}

/**
 * Calls watchers back when there are new events. A connection of its own listens while there are watchers. Events
 * without a notification, or whose pooler kept it back, are found by a look at the last number.
 * Notifications are sent after a step: transactions that notify wait for each other, in all databases of the server,
 * until each is on the disk (https://www.postgresql.org/docs/current/sql-notify.html).
 */
export class PostgresWatching implements AsyncDisposable {
  readonly #sources: Sources;
  readonly #watchers = new Set<() => void>();
  #seen: number | null = null;
  #stop: AbortController | null = null;
  /** The number to notify after the one that is under way. */
  #next: number | null = null;
  #calling: Promise<void> | null = null;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  watch(onChange: () => void): Disposable {
    // A new function each time: the same function may watch twice.
    const watcher = (): void => onChange();
    this.#watchers.add(watcher);
    this.#begin();
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this.#end();
      },
    };
  }

  /** Wakes this store's watchers after a step with an event, and notifies the others. */
  notify(seq: number): void {
    this.#hear(seq);
    this.#next = seq;
    this.#calling ??= this.#callOut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchers.clear();
    this.#end();
    await this.#calling;
  }

  #hear(seq: number): void {
    // Events become visible in the order of their numbers: a watcher that knows one has seen those below it.
    if (this.#seen !== null && seq <= this.#seen) return;
    this.#seen = seq;
    this.#wake();
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #begin(): void {
    if (this.#stop !== null) return;
    this.#stop = new AbortController();
    this.#seen = null;
    const { signal } = this.#stop;
    void this.#listen(signal);
    void this.#look(signal);
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      if (await this.#listenUntilLost(signal)) tries = 0;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + Math.random());
      await pause(pauseMs, { signal, isHeld: false });
    }
  }

  async #listenUntilLost(signal: AbortSignal): Promise<boolean> {
    const { config, channel } = this.#sources;
    const socket = new Socket().unref();
    const leave = (): void => void socket.destroy();
    let listens = false;
    try {
      const client = new Client({ ...config, stream: () => socket });
      signal.addEventListener("abort", leave);
      const lost = new Promise((resolve) => {
        client.on("error", resolve);
        client.on("end", () => resolve(null));
      });
      client.on("notification", ({ payload = "" }) => {
        // Any user may notify on a channel: a payload that is not a number only says that something may be new.
        if (/^\d{1,15}$/.test(payload)) this.#hear(Number(payload));
        else this.#wake();
      });
      await client.connect();
      await client.query(`listen ${quoted(channel)}`);
      listens = true;
      // Finds notifications sent before this listened.
      await this.#lookOnce(signal);
      await lost;
    } catch {
      // This is only a hint: the steps report what is wrong with the connection.
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
    return listens;
  }

  async #look(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await pause(LOOK_MS, { signal, isHeld: false })) await this.#lookOnce(signal);
  }

  async #lookOnce(signal: AbortSignal): Promise<void> {
    const seq = await this.#sources.lastSeq().catch(() => null);
    // A number other than the last is news, also a lower one: that of a store that was created again.
    if (signal.aborted || seq === null || seq === this.#seen) return;
    this.#seen = seq;
    this.#wake();
  }

  async #callOut(): Promise<void> {
    while (this.#next !== null) {
      const seq = this.#next;
      this.#next = null;
      // Others that are not reached look by themselves.
      await this.#sources.callOut(seq).catch(() => null);
    }
    this.#calling = null;
  }
}
