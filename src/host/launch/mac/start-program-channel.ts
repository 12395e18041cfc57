import type { Duplex } from "node:stream";
import { goLine } from "../../../backend/proxy-way.ts";
import { COMMANDS, SAID } from "../../../backend/seatbelt/start-program.ts";

/** First message of a start program: the sandbox is as planned, or the difference. Null if it ended without one. */
export interface FirstWord {
  readonly word: string;
  readonly rest: string;
}

/** Maximum of bytes of one line from a start program. */
const MAX_BYTES = 1024 ** 2;

/** The conversation with a start program of rules, one line each way: see `startScript`. Nothing here rejects. */
export class StartProgramChannel {
  /** Null if the stream ends first. */
  readonly first: Promise<FirstWord | null>;
  /** The program's status; null if the stream ends before it is reported. */
  readonly ended: Promise<number | null>;
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #first = Promise.withResolvers<FirstWord | null>();
  readonly #ended = Promise.withResolvers<number | null>();
  readonly #closed = Promise.withResolvers<void>();
  /** Pending kill requests, in the order they were sent. */
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
    stream.on("data", (chunk: Buffer) => this.#handle(chunk.toString("latin1")));
    for (const event of ["end", "error", "close"]) stream.on(event, () => this.#close());
  }

  /** The pid of the killer inside; null before it is known. */
  get helper(): number | null {
    return this.#helper;
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** False once the program's end was reported, or can no longer be reported. */
  get isProgramRunning(): boolean {
    return !this.#hasEnded && !this.#isClosed;
  }

  /** True once the program was started: it may have left processes. */
  get isLetGo(): boolean {
    return this.#isLetGo;
  }

  /** Starts the program. */
  go(hasInput: boolean, secret: string | null): void {
    this.#isLetGo = true;
    this.#say(goLine(hasInput, secret));
  }

  /** Requests that these pids be killed, as far as the sandbox allows. Returns the killed; null without an answer. */
  kill(pids: readonly number[], maxMs: number): Promise<readonly number[] | null> {
    return this.#ask(`${COMMANDS.kill} ${pids.join(" ")}`, maxMs);
  }

  killAll(maxMs: number): Promise<readonly number[] | null> {
    return this.#ask(COMMANDS.all, maxMs);
  }

  end(): void {
    this.#say(COMMANDS.end);
  }

  /** Hangs up: a waiting start program ends; one that started the program ends all its processes. */
  hangUp(): void {
    this.#stream.destroy();
    this.#close();
  }

  async #ask(line: string, maxMs: number): Promise<readonly number[] | null> {
    if (this.#isClosed) return null;
    const waiting = Promise.withResolvers<readonly number[] | null>();
    this.#killing.push(waiting);
    this.#say(line);
    const timer = setTimeout(() => waiting.resolve(null), maxMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #say(line: string): void {
    if (!this.#isClosed) this.#stream.write(`${line}\n`);
  }

  #handle(chunk: string): void {
    this.#text += chunk;
    const lines = this.#text.split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
    if (this.#text.length > MAX_BYTES) this.hangUp();
  }

  #hear(line: string): void {
    const [word = "", ...others] = line.split(" ");
    switch (word) {
      case SAID.helper:
        this.#helper = Number(others[0]);
        // It could find its own pid only through a child, which it may be unable to start when it has to.
        this.#say(`${COMMANDS.own} ${this.#helper}`);
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
