import type { Recorder } from "../journal/recorder.ts";
import type { Refusal } from "./refusal.ts";

/** What is recorded of a request that is refused. */
export interface Refused {
  readonly method: string;
  /** Without its query, in which somebody may have put a token. */
  readonly path: string;
  readonly from: string | null;
}

/** So many are written down one by one in a minute. */
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** Writes down what was refused: a line each, and where too many come, one line for all that did not get one. */
export class RefusalLog implements Disposable {
  readonly #recorder: Pick<Recorder, "write"> | null;
  #written = 0;
  /** The last of those that have no line yet, and how many they are. */
  #left: { readonly refused: Refused; readonly refusal: Refusal; readonly times: number } | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(recorder: Pick<Recorder, "write"> | null) {
    this.#recorder = recorder;
  }

  note(refused: Refused, refusal: Refusal): void {
    if (this.#recorder === null) return;
    this.#timer ??= setTimeout(() => this.#turn(), MINUTE_MS).unref();
    if (this.#written < MOST_A_MINUTE) {
      this.#written += 1;
      this.#write(refused, refusal, 1);
    } else this.#left = { refused, refusal, times: (this.#left?.times ?? 0) + 1 };
  }

  /** Writes down what has no line yet. */
  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#turn();
  }

  #turn(): void {
    const left = this.#left;
    [this.#timer, this.#written, this.#left] = [null, 0, null];
    if (left !== null) this.#write(left.refused, left.refusal, left.times);
  }

  #write({ method, path, from }: Refused, { status, why }: Refusal, times: number): void {
    try {
      this.#recorder?.write("none", null, { type: "http.refused", method, path, status, why, from, times });
    } catch {
      // It is refused all the same. What needs the record, as every answer does, fails for itself.
    }
  }
}
