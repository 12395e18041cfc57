import { setTimeout as pause } from "node:timers/promises";
import { thrownText, visible } from "../../errors.ts";
import { type AbsolutePath, knownPath } from "../../profile/path.ts";
import { LogStream } from "./log-stream.ts";
import { type Seen, Sightings } from "./sightings.ts";

/** For so long after a program's end what the log says of it may still come, in milliseconds. */
const LATE_MS = 100;

/** What the log told of a call, or why it told nothing. */
export type Told = ({ readonly kind: "told" } & Seen) | { readonly kind: "absent"; readonly reason: string };

/** A call for which the log is read until it is disposed of. */
export interface Watch extends Disposable {
  /**
   * What was refused to the call, whose program has ended: waits for what comes late. `pids` are processes that have been
   * the call's alone since the watch began; whatever carries the call's tag is found without them. Never rejects.
   */
  collect(pids: Iterable<number>): Promise<Told>;
}

/**
 * What sandboxes refused, from the unified log of macOS: one `log stream` for all calls of a supervisor, from the first call
 * on. It is only read to tell people and models more. No decision waits for it or hangs on it: the log may be late, leave
 * things out, and say nothing at all. What it can't do ends in `absent`, with the reason.
 * Where the stream ends by itself it is started once more. What is kept is bounded: 100 different refusals a call.
 */
export class ViolationLog implements AsyncDisposable {
  readonly #program: AbsolutePath;
  readonly #sightings = new Sightings();
  #stream: LogStream | null = null;
  #startsLeft = 2;
  /** Why nothing is read any more. */
  #reason: string | null = null;

  constructor(program: AbsolutePath = LOG) {
    this.#program = program;
  }

  /** Resolves when the log is read, or is not within two seconds of the first call. Nothing has to wait for it. */
  async isReady(): Promise<boolean> {
    return (await this.#stream?.ready) ?? false;
  }

  /**
   * Reads for a call whose profile carries the tag: before its program starts. Nothing waits until the log is read: what a
   * first call is refused before that is not told.
   */
  watch(tag: string): Watch {
    this.#sightings.begin(tag, Date.now());
    if (this.#stream === null) this.#start();
    if (this.#stream?.isReady !== true) this.#sightings.addGap(tag);
    return {
      collect: async (pids) => {
        await pause(LATE_MS);
        return this.#told(tag, new Set(pids));
      },
      [Symbol.dispose]: () => this.#sightings.end(tag),
    };
  }

  /** Ends the stream. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#startsLeft = 0;
    this.#reason = "the supervisor has ended";
    await this.#stream?.[Symbol.asyncDispose]();
  }

  #told(tag: string, pids: ReadonlySet<number>): Told {
    const seen = this.#sightings.of(tag, pids);
    const isUnread = this.#stream?.isReady !== true;
    const reason =
      this.#reason ?? (isUnread ? `${visible(this.#program)} did not say in time that it reads` : null);
    if (reason !== null && seen.sightings.length === 0) return { kind: "absent", reason };
    return { kind: "told", ...seen, hasGaps: seen.hasGaps || reason !== null };
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

/** What `log` says then: `Cannot run while sandboxed`, `Must be admin to run 'stream' command`. */
const WHY: Readonly<Record<number, string>> = {
  64: ": it does not run inside a sandbox",
  77: ": it reads for administrators alone",
};
