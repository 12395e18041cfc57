import type { Duplex } from "node:stream";
import { goLine } from "../../backend/proxy-way.ts";
import { SAID, TOLD } from "../../backend/seatbelt/gate.ts";

/** How a gate that waits began: the walls hold, or what is wrong. Null where it ended without a word. */
export interface FirstWord {
  readonly word: string;
  readonly rest: string;
}

/** No line of a gate is longer. */
const MOST_BYTES = 1024 ** 2;

/** The conversation with a gate of rules, a line each way: see `gateScript`. Nothing here rejects. */
export class GateTalk {
  /** Null when the stream ends before. */
  readonly first: Promise<FirstWord | null>;
  /** The program's status; null when the stream ends before it is told. */
  readonly ended: Promise<number | null>;
  /** Resolves when the other side is gone. */
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #first = Promise.withResolvers<FirstWord | null>();
  readonly #ended = Promise.withResolvers<number | null>();
  readonly #closed = Promise.withResolvers<void>();
  /** Who waits for what was killed, in the order of the questions. */
  readonly #killing: PromiseWithResolvers<readonly number[] | null>[] = [];
  #helper: number | null = null;
  #isLetGo = false;
  #hasEnded = false;
  #isClosed = false;
  #text = "";

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.first = this.#first.promise;
    this.ended = this.#ended.promise;
    this.closed = this.#closed.promise;
    stream.on("data", (chunk: Buffer) => this.#take(chunk.toString("latin1")));
    for (const event of ["end", "error", "close"]) stream.on(event, () => this.#close());
  }

  /** The pid of what kills inside; null before it is known. */
  get helper(): number | null {
    return this.#helper;
  }

  /** Somebody is there to be told something. */
  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** False as soon as the program's end was told, or nobody can tell it any more. */
  get isProgramRunning(): boolean {
    return !this.#hasEnded && !this.#isClosed;
  }

  /** The program was let go: it may have left something. */
  get isLetGo(): boolean {
    return this.#isLetGo;
  }

  /** Lets the program go. */
  go(hasInput: boolean, secret: string | null): void {
    this.#isLetGo = true;
    this.#say(goLine(hasInput, secret));
  }

  /** Has these pids killed, those that the sandbox lets; says which. Null when nobody answers. */
  kill(pids: readonly number[], mostMs: number): Promise<readonly number[] | null> {
    return this.#ask(`${TOLD.kill} ${pids.join(" ")}`, mostMs);
  }

  /** Has every pid killed, those that the sandbox lets. Null when nobody answers. */
  killAll(mostMs: number): Promise<readonly number[] | null> {
    return this.#ask(TOLD.all, mostMs);
  }

  /** Has the gate end. */
  end(): void {
    this.#say(TOLD.end);
  }

  /** Hangs up: a gate that waits ends, and one that was let go ends all that it started. */
  hangUp(): void {
    this.#stream.destroy();
    this.#close();
  }

  async #ask(line: string, mostMs: number): Promise<readonly number[] | null> {
    if (this.#isClosed) return null;
    const waiting = Promise.withResolvers<readonly number[] | null>();
    this.#killing.push(waiting);
    this.#say(line);
    const timer = setTimeout(() => waiting.resolve(null), mostMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #say(line: string): void {
    if (!this.#isClosed) this.#stream.write(`${line}\n`);
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const lines = this.#text.split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
    if (this.#text.length > MOST_BYTES) this.hangUp();
  }

  #hear(line: string): void {
    const [word = "", ...others] = line.split(" ");
    switch (word) {
      case SAID.helper:
        this.#helper = Number(others[0]);
        // It could tell its own number by a child alone, which it may not be able to start when it has to.
        this.#say(`${TOLD.own} ${this.#helper}`);
        return;
      case SAID.ended:
        this.#hasEnded = true;
        this.#ended.resolve(/^\d{1,3}$/.test(others[0] ?? "") ? Number(others[0]) : null);
        return;
      case SAID.killed:
        this.#killing.shift()?.resolve(others.map(Number));
        return;
      default:
        this.#first.resolve({ word, rest: others.join(" ") });
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#first.resolve(null);
    this.#ended.resolve(null);
    for (const waiting of this.#killing) waiting.resolve(null);
    this.#closed.resolve();
  }
}
