import { randomInt } from "node:crypto";
import type { ReadStream } from "node:tty";
import { UNREAD_MS } from "../channel/arming.ts";
import { TerminalGuard } from "../channel/guard.ts";
import type { TerminalScreen } from "../channel/screen.ts";
import type { Tty } from "../channel/tty.ts";
import { CofferdamError } from "../errors.ts";
import { askNow } from "../host/launch/spawn.ts";
import type { TerminalWindow, WindowSize } from "../host/launch/window.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { SlowLine } from "./line.ts";
import type { Print } from "./print.ts";
import { Traces } from "./traces.ts";

const CTRL_C = 3;
/** A terminal without an answer in this time, after all output was sent, does not answer or is very far away. */
const DEAF_MS = 1_000;
/** Number of answers in a row that identify ours: a usual window's cells have some 10^16 such rows. */
const PLACES = 5;
/** Maximum wait for answers. A program that asked for more than arrive in this time leaves them to the next reader. */
const MAX_MS = 10_000;
/** Maximum time in which a program notices a new size of its terminal. */
const NOTICED_MS = 100;

/** The parts that lend a terminal. */
export interface Lending {
  readonly stty: AbsolutePath;
  readonly screen: TerminalScreen;
  readonly print: Print;
  /** True for a terminal that knows no sequences. */
  readonly isDumb: boolean;
  /** True if a request was shown there: input typed meanwhile was not meant for the program. */
  readonly wasAsked: () => boolean;
}

/**
 * A person's terminal, lent to a program in the sandbox as its own window. Keys are passed on as they are pressed, and
 * output unchanged. Lent from `open` until disposal or the end of this process, then restored.
 */
export class LentTerminal implements TerminalWindow, AsyncDisposable {
  readonly #tty: Tty;
  readonly #lending: Lending;
  readonly #traces = new Traces();
  readonly #line = new SlowLine();
  readonly #listeners = new Set<() => void>();
  #guard: TerminalGuard | null = null;
  #lent: Disposable | null = null;
  #isShrunk = false;
  #given: Promise<void> | null = null;
  /** Whether the program has the terminal now, so that nothing is restored twice. */
  #isOurs = false;

  constructor(tty: Tty, lending: Lending) {
    this.#tty = tty;
    this.#lending = lending;
  }

  get input(): ReadStream {
    return this.#tty.input;
  }

  readonly sinks = {
    stdout: (chunk: Buffer): Promise<void> => this.#show(chunk),
    stderr: (chunk: Buffer): Promise<void> => this.#show(chunk),
  };

  size(): WindowSize {
    const { columns, rows } = this.#tty.size();
    return { columns, rows: this.#isShrunk ? Math.max(1, rows - 1) : rows };
  }

  onResize(changed: () => void): () => void {
    this.#listeners.add(changed);
    process.on("SIGWINCH", changed);
    return () => {
      this.#listeners.delete(changed);
      process.off("SIGWINCH", changed);
    };
  }

  /** Throws `CHANNEL_CLOSED` if the terminal's modes cannot be changed. */
  async open(): Promise<void> {
    this.#lent = await this.#lending.screen.lend();
    this.#guard = new TerminalGuard({ restore: () => this.#restore(), resume: () => this.#resume() });
    this.#setRaw();
    if (this.#lending.wasAsked()) await this.#untilAtRest();
  }

  /** May be called more than once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#given ??= this.#giveBack();
    await this.#given;
  }

  async #giveBack(): Promise<void> {
    if (this.#guard !== null && this.#traces.hasActed && !this.#lending.isDumb) {
      const { query, answer } = this.#question();
      const answered = this.#untilHeard(answer);
      this.#attempt(() => this.#tty.write(`${this.#traces.undoing()}${query}`));
      await answered;
    }
    this.#guard?.[Symbol.dispose]();
    this.#attempt(() => this.#tty.setRaw(false));
    this.#tty.close();
    this.#lent?.[Symbol.dispose]();
  }

  #show(chunk: Buffer): Promise<void> {
    this.#traces.see(chunk);
    this.#line.sent(chunk.length);
    return this.#lending.print.stream("stdout", chunk);
  }

  /** Node's raw mode adds a carriage return to each line feed (libuv, `uv_tty_set_mode`); output must not change. */
  #setRaw(): void {
    this.#tty.setRaw(true);
    this.#isOurs = true;
    if (askNow(this.#lending.stty, ["-F", "/dev/tty", "-opost"])) return;
    throw new CofferdamError("CHANNEL_CLOSED", "the modes of the terminal can't be changed", {
      hint: "use `--no-terminal`",
    });
  }

  /** The key that answered may be held down: drops input until none comes for a while. Ctrl-C still ends cofferdam. */
  #untilAtRest(): Promise<void> {
    const { input } = this.#tty;
    return new Promise((resolve) => {
      const rest = (): void => {
        input.off("data", pressed);
        input.pause();
        resolve();
      };
      let timer = setTimeout(rest, UNREAD_MS);
      const pressed = (keys: Buffer): void => {
        if (keys.includes(CTRL_C)) process.kill(process.pid, "SIGINT");
        clearTimeout(timer);
        timer = setTimeout(rest, UNREAD_MS);
      };
      input.on("data", pressed);
    });
  }

  #restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    if (!this.#lending.isDumb) this.#attempt(() => this.#tty.write(this.#traces.undoing()));
    this.#attempt(() => this.#tty.setRaw(false));
  }

  /** Only the program knows its screen; a changed size makes it draw the screen again. */
  #resume(): void {
    if (this.#isOurs) return;
    this.#attempt(() => {
      this.#setRaw();
      this.#tty.write(this.#traces.redoing());
    });
    const report = (isShrunk: boolean): void => {
      this.#isShrunk = isShrunk;
      for (const changed of this.#listeners) changed();
    };
    report(true);
    setTimeout(() => report(false), NOTICED_MS);
  }

  /** Asks for the cursor at random places (ECMA-48, CUP and DSR 6; DECSC, DECRC): no program can guess our answer. */
  #question(): { readonly query: string; readonly answer: string } {
    const { columns, rows } = this.#tty.size();
    const places = Array.from({ length: PLACES }, () => `${1 + randomInt(rows)};${1 + randomInt(columns)}`);
    const query = places.map((place) => `\u{1b}[${place}H\u{1b}[6n`).join("");
    return { query: `\u{1b}7${query}\u{1b}8`, answer: places.map((place) => `\u{1b}[${place}R`).join("") };
  }

  /**
   * The terminal's answers to the ended program must not reach its next reader. A terminal answers in order, so all
   * input up to our own answer is dropped. The wait is longer while output may still be on its way. Ctrl-C ends it.
   */
  #untilHeard(answer: string): Promise<void> {
    const { input } = this.#tty;
    const began = performance.now();
    return new Promise((resolve) => {
      let heard = "";
      const end = (): void => {
        for (const timer of [deaf, max]) clearTimeout(timer);
        input.off("data", take);
        input.pause();
        resolve();
      };
      // In two steps: after a stall of this process, timers fire before the input that arrived meanwhile is read.
      const listen = (): NodeJS.Timeout => {
        const step = (DEAF_MS + this.#line.behindMs) / 2;
        return setTimeout(() => (deaf = setTimeout(end, step)), step);
      };
      let deaf = listen();
      const max = setTimeout(end, MAX_MS);
      const take = (chunk: Buffer): void => {
        heard += chunk.toString("latin1");
        const isImpatient = chunk.includes(CTRL_C) && performance.now() - began > DEAF_MS;
        if (isImpatient || heard.includes(answer)) {
          end();
          return;
        }
        heard = heard.slice(-answer.length);
        clearTimeout(deaf);
        deaf = listen();
      };
      for (const event of ["end", "error", "close"]) input.once(event, end);
      input.on("data", take);
      // An earlier reader has paused it, and a listener alone does not resume it.
      input.resume();
    });
  }

  /** Writes to a terminal that may be gone. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch {
      // The reader or writer of the terminal gets the error.
    }
  }
}
