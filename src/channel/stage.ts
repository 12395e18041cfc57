import { Arming, UNREAD_MS } from "./arming.ts";
import { Drawing } from "./drawing.ts";
import { Guard } from "./guard.ts";
import { type Ink, inkFor } from "./ink.ts";
import { Pastes } from "./pastes.ts";
import type { Size } from "./question-text.ts";
import type { Tty } from "./tty.ts";

/** What a terminal tells whoever asks on it. */
export interface Audience {
  /** One key was pressed, and it counts. */
  pressed(key: string): void;
  /** Ctrl-C. */
  interrupted(): void;
  /** What stands on the screen has to be drawn again. */
  faded(): void;
  /** The terminal is gone; the stage is closed. */
  lost(cause: unknown): void;
}

const CTRL_C = "\u{3}";
/** So long until a person has seen that the question is another one than a moment ago. */
const SURPRISED_MS = 1_000;

/** A terminal while it is ours: raw keys in, drawings out. It is given back by `close`, or however the process ends. */
export class Stage {
  readonly ink: Ink;
  readonly #tty: Tty;
  readonly #audience: Audience;
  readonly #drawing: Drawing;
  readonly #guard: Guard;
  /** For what is answered one by one. */
  readonly #arming: Arming;
  /** For what is answered at once. */
  readonly #groupArming: Arming;
  readonly #pastes = new Pastes();
  #isClosed = false;

  constructor(tty: Tty, env: Readonly<Record<string, string | undefined>>, audience: Audience) {
    const forgetTyped = (): void => tty.forgetTyped();
    this.ink = inkFor({ isTTY: true }, env);
    this.#tty = tty;
    this.#audience = audience;
    this.#arming = new Arming(forgetTyped);
    this.#groupArming = new Arming(forgetTyped);
    this.#drawing = new Drawing(tty, /^(dumb)?$/.test(env["TERM"] ?? ""));
    this.#guard = new Guard({ restore: () => this.#restore(), resume: () => this.#resume() });
    tty.setRaw(true);
    tty.input.on("data", this.#onTyped);
    for (const event of ENDS) tty.input.on(event, this.#onLost);
    process.on("SIGWINCH", this.#onResize);
  }

  get size(): Size {
    return this.#isClosed ? { columns: 80, rows: 24 } : this.#tty.size();
  }

  /** Keys that answer all that waits count by now. */
  get isGroupArmed(): boolean {
    return this.#groupArming.isArmed;
  }

  /**
   * What is drawn next has not been read yet: no key counts until it has been on the screen for a while, and for longer
   * where it came `by itself`, in place of another question that the person may be about to answer.
   */
  isNew(cause: "asked" | "by itself" = "asked"): void {
    const unreadMs = cause === "asked" ? UNREAD_MS : SURPRISED_MS;
    this.#arming.disarm(unreadMs);
    this.#groupArming.disarm(unreadMs);
  }

  /** The same for keys that answer all that waits alone. */
  isNewGroup(): void {
    this.#groupArming.disarm();
  }

  /** Draws a question in place of the last one. */
  show(rows: readonly string[], size: Size): void {
    this.#attempt(() => this.#drawing.show(rows, size));
    this.#begin();
  }

  /** Draws a page over the question. */
  page(rows: readonly string[]): void {
    this.#attempt(() => this.#drawing.page(rows));
    this.#begin();
  }

  /** Adds rows below the question. */
  add(rows: readonly string[]): void {
    this.#attempt(() => this.#drawing.add(rows));
  }

  /** Takes the question off the screen and leaves rows that stay. */
  leave(rows: readonly string[], size: Size): void {
    this.#attempt(() => this.#drawing.leave(rows, size));
  }

  /** Gives the terminal back, as it was. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#arming[Symbol.dispose]();
    this.#groupArming[Symbol.dispose]();
    this.#guard[Symbol.dispose]();
    process.off("SIGWINCH", this.#onResize);
    this.#tty.input.off("data", this.#onTyped);
    for (const event of ENDS) this.#tty.input.off(event, this.#onLost);
    this.#restore();
    this.#tty.close();
  }

  readonly #onTyped = (chunk: Buffer): void => {
    const typed = chunk.toString("utf8");
    const keys = [...typed];
    const isCtrlC = keys.every((key) => key === CTRL_C);
    const isPasted = !isCtrlC && this.#pastes.isPart(typed);
    // On a busy machine it is read together with the keys before it.
    if (isCtrlC || (!isPasted && keys.at(-1) === CTRL_C)) this.#audience.interrupted();
    else if (isPasted || keys.length !== 1 || !this.#arming.isArmed) this.#ignore();
    else this.#audience.pressed(typed);
  };

  /**
   * What comes next may belong to it: a paste may come in several chunks, the last of them as small as a key, and a key
   * that is held down comes again and again.
   */
  #ignore(): void {
    this.#arming.extend();
    this.#groupArming.extend();
  }

  readonly #onResize = (): void => {
    this.#drawing.forget();
    this.#audience.faded();
  };

  readonly #onLost = (cause?: unknown): void => this.#lose(cause);

  #begin(): void {
    if (this.#isClosed) return;
    this.#arming.begin();
    this.#groupArming.begin();
  }

  /** Does something to the terminal, which may be gone by now. */
  #attempt(act: () => void): void {
    if (this.#isClosed) return;
    try {
      act();
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(cause: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#audience.lost(cause);
  }

  #restore(): void {
    for (const act of [() => this.#drawing.restore(), () => this.#tty.setRaw(false)]) {
      try {
        act();
      } catch {
        // A terminal that is gone needs no restoring.
      }
    }
  }

  #resume(): void {
    this.#attempt(() => {
      this.#tty.setRaw(true);
      this.#drawing.forget();
      this.isNew();
      this.#audience.faded();
    });
  }
}

const ENDS = ["end", "error", "close"] as const;
