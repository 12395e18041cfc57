import { CofferdamError } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";

/** The end of a session: it ends what the session still does, and nothing begins behind it. */
export class Ending {
  readonly #controller = new AbortController();

  get hasCome(): boolean {
    return this.#controller.signal.aborted;
  }

  come(): void {
    if (!this.hasCome) this.#controller.abort(sessionEnded());
  }

  /** Aborted when the end has come, or when the other signal is; to be disposed of. */
  or(signal: AbortSignal | null | undefined): AnySignal {
    return new AnySignal(signal, this.#controller.signal);
  }
}

/** Why nothing more is done for a session. */
export function sessionEnded(): CofferdamError {
  return new CofferdamError("USAGE", "this session has ended", { hint: "make another one" });
}
