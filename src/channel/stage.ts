import { KeyArming, UNREAD_MS } from "./arming.ts";
import { Drawing } from "./drawing.ts";
import { TerminalGuard } from "./guard.ts";
import { type Ink, inkFor } from "./ink.ts";
import { Pastes } from "./pastes.ts";
import type { TextSize } from "./question-text.ts";
import type { Tty } from "./tty.ts";

/** Events of a terminal, for the code that asks on it. */
export interface Audience {
  pressed(key: string): void;
  interrupted(): void;
  faded(): void;
  /** The terminal is gone; the stage is closed. */
  lost(cause: unknown): void;
}

const CTRL_C = "\u{3}";
/** Time until a person has noticed that the request on the screen was replaced. */
const SURPRISED_MS = 1_000;

/** A terminal while it is ours: raw keys in, drawings out. `close` restores it, and so does any end of the process. */
export class Stage {
  readonly ink: Ink;
  readonly #tty: Tty;
  readonly #audience: Audience;
  readonly #drawing: Drawing;
  readonly #guard: TerminalGuard;
  readonly #arming: KeyArming;
  readonly #groupArming: KeyArming;
  readonly #pastes = new Pastes();
  #isClosed = false;

  constructor(tty: Tty, env: Readonly<Record<string, string | undefined>>, audience: Audience) {
    const forgetTyped = (): void => tty.forgetTyped();
    this.ink = inkFor({ isTTY: true }, env);
    this.#tty = tty;
    this.#audience = audience;
    this.#arming = new KeyArming(forgetTyped);
    this.#groupArming = new KeyArming(forgetTyped);
    this.#drawing = new Drawing(tty, /^(dumb)?$/.test(env["TERM"] ?? ""));
    this.#guard = new TerminalGuard({ restore: () => this.#restore(), resume: () => this.#resume() });
    tty.setRaw(true);
    tty.input.on("data", this.#onTyped);
    for (const event of ENDS) tty.input.on(event, this.#onLost);
    process.on("SIGWINCH", this.#onResize);
  }

  get size(): TextSize {
    return this.#isClosed ? { columns: 80, rows: 24 } : this.#tty.size();
  }

  /** True if keys that answer all pending requests count. */
  get isGroupArmed(): boolean {
    return this.#groupArming.isArmed;
  }

  /** Makes keys wait, as the next drawing is unread: longer if it came `by itself`, in place of another request. */
  isNew(cause: "asked" | "by itself" = "asked"): void {
    const unreadMs = cause === "asked" ? UNREAD_MS : SURPRISED_MS;
    this.#arming.disarm(unreadMs);
    this.#groupArming.disarm(unreadMs);
  }

  /** Makes only the keys wait that answer all pending requests. */
  isNewGroup(): void {
    this.#groupArming.disarm();
  }

  show(rows: readonly string[], size: TextSize): void {
    this.#attempt(() => this.#drawing.show(rows, size));
    this.#begin();
  }

  page(rows: readonly string[]): void {
    this.#attempt(() => this.#drawing.page(rows));
    this.#begin();
  }

  add(rows: readonly string[]): void {
    this.#attempt(() => this.#drawing.add(rows));
  }

  leave(rows: readonly string[], size: TextSize): void {
    this.#attempt(() => this.#drawing.leave(rows, size));
  }

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

  /** Ignores keys for a while: a paste may come in chunks, the last as small as a key, and a held key repeats. */
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

  /** Acts on the terminal, which may be gone by now. */
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
