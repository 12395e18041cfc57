import type { Recorder } from "../journal/recorder.ts";
import type { HttpRefusal } from "./refusal.ts";

/** The recorded parts of a refused request. */
export interface RefusedRequest {
  readonly method: string;
  /** Without its query, which may hold a token. */
  readonly path: string;
  readonly from: string | null;
}

/** Maximum of refusals recorded one by one in a minute. */
const MAX_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** Records refusals, one line each; beyond the maximum, one line for all the others. */
export class RefusalLog implements Disposable {
  readonly #recorder: Pick<Recorder, "write"> | null;
  #written = 0;
  /** The last refusal without a line, and the number of such refusals. */
  #left: { readonly refused: RefusedRequest; readonly refusal: HttpRefusal; readonly times: number } | null =
    null;
  #timer: NodeJS.Timeout | null = null;

  constructor(recorder: Pick<Recorder, "write"> | null) {
    this.#recorder = recorder;
  }

  note(refused: RefusedRequest, refusal: HttpRefusal): void {
    if (this.#recorder === null) return;
    this.#timer ??= setTimeout(() => this.#turn(), MINUTE_MS).unref();
    if (this.#written < MAX_A_MINUTE) {
      this.#written += 1;
      this.#write(refused, refusal, 1);
    } else this.#left = { refused, refusal, times: (this.#left?.times ?? 0) + 1 };
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#turn();
  }

  #turn(): void {
    const left = this.#left;
    [this.#timer, this.#written, this.#left] = [null, 0, null];
    if (left !== null) this.#write(left.refused, left.refusal, left.times);
  }

  #write({ method, path, from }: RefusedRequest, { status, why }: HttpRefusal, times: number): void {
    try {
      this.#recorder?.write("none", null, { type: "http.refused", method, path, status, why, from, times });
    } catch {
      // It is refused anyway. Work that needs the journal, as every answer does, fails by itself.
    }
  }
}
