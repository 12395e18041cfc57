import { thrownText, visible } from "../../../errors.ts";
import { type AbsolutePath, knownPath } from "../../../profile/path.ts";
import { pause } from "../../pause.ts";
import { LogStream } from "./log-stream.ts";
import { type Seen, Sightings } from "./sightings.ts";

/** Time in which log messages may still arrive after a program's end, in milliseconds. */
const LATE_MS = 100;

/** The log's refusals of a call, or the reason why they are unknown. */
export type ViolationReport =
  | ({ readonly kind: "reported" } & Seen)
  | { readonly kind: "absent"; readonly reason: string };

/** A call for which the log is read until it is disposed of. */
export interface LogWatch extends Disposable {
  /**
   * Returns the refusals of the call, whose program has ended; waits for late ones. `pids` are processes that have been
   * the call's alone since the watch began; refusals with the call's tag are found without them. Never rejects.
   */
  collect(pids: Iterable<number>): Promise<ViolationReport>;
}

/**
 * Refusals by sandboxes, from macOS's unified log: one `log stream` for all calls of a supervisor, from the first call
 * on, restarted once. It only informs: no decision depends on it, as the log may be late, incomplete or silent.
 * Failures end in `absent`, with the reason. It keeps at most 100 different refusals a call.
 */
export class ViolationLog implements AsyncDisposable {
  readonly #program: AbsolutePath;
  readonly #sightings = new Sightings();
  #stream: LogStream | null = null;
  #startsLeft = 2;
  #reason: string | null = null;

  constructor(program: AbsolutePath = LOG) {
    this.#program = program;
  }

  /** Resolves when the log is read, at the latest two seconds after the first call. No caller has to wait for it. */
  async isReady(): Promise<boolean> {
    return (await this.#stream?.ready) ?? false;
  }

  /** To begin before the program starts. It waits for no log: early refusals of a first call are not reported. */
  watch(tag: string): LogWatch {
    this.#sightings.begin(tag, Date.now());
    if (this.#stream === null) this.#start();
    if (this.#stream?.isReady !== true) this.#sightings.addGap(tag);
    return {
      collect: async (pids) => {
        await pause(LATE_MS);
        return this.#report(tag, new Set(pids));
      },
      [Symbol.dispose]: () => this.#sightings.end(tag),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#startsLeft = 0;
    this.#reason = "the supervisor has ended";
    await this.#stream?.[Symbol.asyncDispose]();
  }

  #report(tag: string, pids: ReadonlySet<number>): ViolationReport {
    const seen = this.#sightings.of(tag, pids);
    const isUnread = this.#stream?.isReady !== true;
    const reason =
      this.#reason ?? (isUnread ? `${visible(this.#program)} did not begin to read in time` : null);
    if (reason !== null && seen.sightings.length === 0) return { kind: "absent", reason };
    return { kind: "reported", ...seen, hasGaps: seen.hasGaps || reason !== null };
  }

  #start(): void {
    if (this.#startsLeft === 0) return;
    this.#startsLeft -= 1;
    try {
      const stream = new LogStream(this.#program, (entry) => this.#sightings.add(entry));
      this.#stream = stream;
      void stream.ended.then((status) => this.#onEnd(status));
    } catch (cause) {
      this.#startsLeft = 0;
      this.#reason = thrownText(cause);
    }
  }

  #onEnd(status: number): void {
    this.#sightings.addGap();
    if (this.#startsLeft > 0) this.#start();
    else this.#reason ??= `${visible(this.#program)} ended with status ${status}${WHY[status] ?? ""}`;
  }
}

const LOG = knownPath("/usr/bin/log");

/** Messages of `log` for these statuses: `Cannot run while sandboxed`, `Must be admin to run 'stream' command`. */
const WHY: Readonly<Record<number, string>> = {
  64: ": it does not run in a sandbox",
  77: ": only administrators may read the log",
};
