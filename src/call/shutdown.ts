import { CofferdamError } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";

/** The end of a supervisor or a session: running work is stopped and waited for, and no work begins after it. */
export class Shutdown {
  readonly #whose: "supervisor" | "session";
  readonly #above: Shutdown | null;
  #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #isOpen = true;

  constructor(whose: "supervisor" | "session", above: Shutdown | null = null) {
    this.#whose = whose;
    this.#above = above;
  }

  /** Throws `USAGE` after the end, or after the end of the supervisor. */
  assertOpen(): void {
    this.#above?.assertOpen();
    if (!this.#isOpen) throw ended(this.#whose);
  }

  /** Makes this end, and that of the supervisor, wait until the result is disposed. Throws `USAGE` after the end. */
  enter(): Disposable {
    this.assertOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#above === null ? [this.#running] : [this.#running, this.#above.#running];
    for (const running of waiting) running.add(promise);
    return {
      [Symbol.dispose]: () => {
        for (const running of waiting) running.delete(promise);
        resolve();
      },
    };
  }

  /** A signal that is aborted at the end, or with the other signal; to be disposed. */
  or(signal: AbortSignal | null | undefined): AnySignal {
    const above = this.#above === null ? null : this.#above.#controller.signal;
    return new AnySignal(signal, this.#controller.signal, above);
  }

  /** No work begins from now on; running work goes on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Stops running work; later work begins as before. */
  interrupt(reason: Error): void {
    const stopped = this.#controller;
    this.#controller = new AbortController();
    stopped.abort(reason);
  }

  /** Stops running work, and returns when it has ended. */
  async come(): Promise<void> {
    this.close();
    this.#controller.abort(ended(this.#whose));
    await Promise.all(this.#running);
  }
}

/** The error for work that begins after the end. */
export function ended(whose: "supervisor" | "session"): CofferdamError {
  return new CofferdamError("USAGE", `this ${whose} has ended`, { hint: "create a new one" });
}
