import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { quoted } from "./statement.ts";

/** How often it is looked whether something is new: it may be late by a second, and the look itself takes time. */
const LOOK_MS = 700;
/** Longer than this a lost connection is not waited for, before it is tried again. */
const LONGEST_PAUSE_MS = 5_000;
const FIRST_PAUSE_MS = 50;

/** What it takes to hear of news. */
export interface Sources {
  /** How to connect. */
  readonly config: ClientConfig;
  /** What news are called out on. */
  readonly channel: string;
  /** The number of the last event. */
  readonly lastSeq: () => Promise<number>;
  /** Calls out that there are events up to this number. */
  readonly callOut: (seq: number) => Promise<void>;
}

/**
 * Calls back whoever watches when there are events that they were not told of. While anybody watches, a connection of its
 * own listens, and is made again when it is lost; what nobody called out, or a pooler kept back, is found by a look at the
 * last number. Nothing of this keeps the process alive.
 *
 * News are called out behind a step and not in it: a transaction that does has every other one wait that does too, of all
 * databases of the server, until it is on the disk (https://www.postgresql.org/docs/current/sql-notify.html).
 */
export class Watching implements AsyncDisposable {
  readonly #sources: Sources;
  readonly #watchers = new Set<() => void>();
  /** The number up to which watchers were told; null while it is not known. */
  #seen: number | null = null;
  #stop: AbortController | null = null;
  /** The number to be called out behind the one that is on its way. */
  #next: number | null = null;
  #calling: Promise<void> | null = null;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  watch(onChange: () => void): Disposable {
    // Of its own: one function may watch twice.
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

  /** A step of this store has told something: wakes those who watch it, and calls out to the others. */
  tell(seq: number): void {
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
    // Events become visible in the order of their numbers: whoever was told of one has seen those below it.
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
      await rest(pauseMs, signal);
    }
  }

  /** Listens as long as the connection lasts; whether there was one. */
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
        // Anybody may call out on a channel: what is no number says that something may be new, and no more.
        if (/^\d{1,15}$/.test(payload)) this.#hear(Number(payload));
        else this.#wake();
      });
      await client.connect();
      await client.query(`listen ${quoted(channel)}`);
      listens = true;
      // What was called out before that nobody heard.
      await this.#lookOnce(signal);
      await lost;
    } catch {
      // It is a hint and no more: whatever is wrong with the connection is told by the steps.
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
    return listens;
  }

  async #look(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await rest(LOOK_MS, signal)) await this.#lookOnce(signal);
  }

  async #lookOnce(signal: AbortSignal): Promise<void> {
    const seq = await this.#sources.lastSeq().catch(() => null);
    // Another number than the last is news, also a lower one: that of a store that was made anew.
    if (signal.aborted || seq === null || seq === this.#seen) return;
    this.#seen = seq;
    this.#wake();
  }

  async #callOut(): Promise<void> {
    while (this.#next !== null) {
      const seq = this.#next;
      this.#next = null;
      // Who is not reached looks by themselves.
      await this.#sources.callOut(seq).catch(() => null);
    }
    this.#calling = null;
  }
}

/** A pause that keeps no process alive, and is over when the watching is. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, null, { signal, ref: false }).catch(() => null);
}
