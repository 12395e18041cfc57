import { CofferdamError } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";

/**
 * The end of a supervisor, or of a session of one: what is still done is told to stop and waited for, and nothing begins
 * behind it. The end of a supervisor is that of its sessions.
 */
export class Ending {
  readonly #whose: "supervisor" | "session";
  readonly #above: Ending | null;
  readonly #controller = new AbortController();
  readonly #made = new Set<Promise<unknown>>();
  #isOpen = true;

  constructor(whose: "supervisor" | "session", above: Ending | null = null) {
    this.#whose = whose;
    this.#above = above;
  }

  /** Throws `USAGE` behind the end. */
  assertOpen(): void {
    this.#above?.assertOpen();
    if (!this.#isOpen) throw ended(this.#whose);
  }

  /** Does what the end has to wait for. Throws `USAGE` behind the end, and what the work throws. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    this.assertOpen();
    const made = this.#above === null ? work() : this.#above.during(work);
    this.#made.add(made);
    try {
      return await made;
    } finally {
      this.#made.delete(made);
    }
  }

  /** Aborted when the end has come, or when the other signal is; to be disposed of. */
  or(signal: AbortSignal | null | undefined): AnySignal {
    const above = this.#above === null ? null : this.#above.#controller.signal;
    return new AnySignal(signal, this.#controller.signal, above);
  }

  /** Nothing begins from now on; what is done goes on until the end comes. */
  close(): void {
    this.#isOpen = false;
  }

  /** Comes: returns when all that was being done is over, whatever became of it. */
  async come(): Promise<void> {
    this.close();
    this.#controller.abort(ended(this.#whose));
    await Promise.allSettled(this.#made);
  }
}

/** Why nothing more is done. */
export function ended(whose: "supervisor" | "session"): CofferdamError {
  return new CofferdamError("USAGE", `this ${whose} has ended`, { hint: "make another one" });
}
