import { randomInt } from "node:crypto";
import type { ReadStream } from "node:tty";
import { UNREAD_MS } from "../channel/arming.ts";
import { Guard } from "../channel/guard.ts";
import type { Screen } from "../channel/screen.ts";
import type { Tty } from "../channel/tty.ts";
import { CofferdamError } from "../errors.ts";
import { askNow } from "../host/spawn.ts";
import type { TerminalWindow, WindowSize } from "../host/window.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { Line } from "./line.ts";
import type { Print } from "./print.ts";
import { Traces } from "./traces.ts";

/** What Ctrl-C types. */
const CTRL_C = 3;
/** A terminal that has not answered by then, once it has been told all, does not answer, or is very far away. */
const DEAF_MS = 1_000;
/** So many answers in a row are ours: of a usual window's cells there are some 10^16 such rows. */
const PLACES = 5;
/** A program that has asked for more answers than come by then has its way: nobody waits for ever. */
const MOST_MS = 10_000;
/** So long a program takes at most to notice that its terminal has another size. */
const NOTICED_MS = 100;

/** With what a terminal is lent. */
export interface Lending {
  /** `stty`, the system's own. */
  readonly stty: AbsolutePath;
  readonly screen: Screen;
  readonly print: Print;
  /** Whether the terminal is one that knows no sequences. */
  readonly isDumb: boolean;
  /** True when somebody was asked there: then what was typed meanwhile was not meant for the program. */
  readonly wasAsked: () => boolean;
}

/**
 * A person's terminal, lent to a program inside the walls as the window of its own: keys go in as they are pressed, what it
 * says comes out as it is. From `open` on; given back by disposal, or however this process ends, as it was before.
 */
export class LentTerminal implements TerminalWindow, AsyncDisposable {
  readonly #tty: Tty;
  readonly #lending: Lending;
  readonly #traces = new Traces();
  readonly #line = new Line();
  readonly #listeners = new Set<() => void>();
  #guard: Guard | null = null;
  #lent: Disposable | null = null;
  #isShrunk = false;
  #given: Promise<void> | null = null;
  /** Whether the terminal is the program's by now, and nothing has to be put right a second time. */
  #isOurs = false;

  constructor(tty: Tty, lending: Lending) {
    this.#tty = tty;
    this.#lending = lending;
  }

  /** What is typed. */
  get input(): ReadStream {
    return this.#tty.input;
  }

  /** Where the program's two streams go. */
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

  /** Throws `CHANNEL_CLOSED` when the terminal's modes can't be changed. */
  async open(): Promise<void> {
    this.#lent = await this.#lending.screen.lend();
    this.#guard = new Guard({ restore: () => this.#restore(), resume: () => this.#resume() });
    this.#setRaw();
    if (this.#lending.wasAsked()) await this.#untilAtRest();
  }

  /** May be called again. */
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

  /**
   * What node calls raw still makes a carriage return of each line feed (libuv, `uv_tty_set_mode`), and a program that
   * draws means what it says. Giving the modes back undoes both.
   */
  #setRaw(): void {
    this.#tty.setRaw(true);
    this.#isOurs = true;
    if (askNow(this.#lending.stty, ["-F", "/dev/tty", "-opost"])) return;
    throw new CofferdamError("CHANNEL_CLOSED", "the modes of the terminal can't be changed", {
      hint: "use `--no-terminal`",
    });
  }

  /**
   * A key that answered may be held down, or pressed again: what comes until nothing has come for a while was not meant for
   * the program, but for Ctrl-C, which is heard as if there was none yet.
   */
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

  /** Only the program knows what stood on its screen, and draws it anew for a terminal of another size. */
  #resume(): void {
    if (this.#isOurs) return;
    this.#attempt(() => {
      this.#setRaw();
      this.#tty.write(this.#traces.redoing());
    });
    const tell = (isShrunk: boolean): void => {
      this.#isShrunk = isShrunk;
      for (const changed of this.#listeners) changed();
    };
    tell(true);
    setTimeout(() => tell(false), NOTICED_MS);
  }

  /**
   * Asks the terminal where its cursor is, in some places one after another that no program can guess (ECMA-48, CUP and DSR
   * 6; DECSC and DECRC): the answer tells itself from those to what the program asked.
   */
  #question(): { readonly query: string; readonly answer: string } {
    const { columns, rows } = this.#tty.size();
    const places = Array.from({ length: PLACES }, () => `${1 + randomInt(rows)};${1 + randomInt(columns)}`);
    const query = places.map((place) => `\u{1b}[${place}H\u{1b}[6n`).join("");
    return { query: `\u{1b}7${query}\u{1b}8`, answer: places.map((place) => `\u{1b}[${place}R`).join("") };
  }

  /**
   * What the program asked the terminal before it ended, the terminal answers as if it was typed: that must not be there
   * for whoever reads the terminal next. A terminal answers in the order in which it was asked, so all that comes up to
   * the answer to our own question is thrown away. Silence lasts longer where the terminal may not have been told all that
   * the program said; whoever does not want to wait for that presses Ctrl-C.
   */
  #untilHeard(answer: string): Promise<void> {
    const { input } = this.#tty;
    const began = performance.now();
    return new Promise((resolve) => {
      let heard = "";
      const end = (): void => {
        for (const timer of [deaf, most]) clearTimeout(timer);
        input.off("data", take);
        input.pause();
        resolve();
      };
      // In two steps: after a stall of this process timers end before what has come meanwhile is read.
      const listen = (): NodeJS.Timeout => {
        const step = (DEAF_MS + this.#line.behindMs) / 2;
        return setTimeout(() => (deaf = setTimeout(end, step)), step);
      };
      let deaf = listen();
      const most = setTimeout(end, MOST_MS);
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
      // Whoever read before has paused it, and a listener alone does not undo that.
      input.resume();
    });
  }

  /** Does something to the terminal, which may be gone by now. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch {
      // Whoever reads or writes there learns of it.
    }
  }
}
