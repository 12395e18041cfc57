import type { ServerContext } from "@modelcontextprotocol/server";

/** How often a client hears that a call goes on: before it takes one that is silent for lost. */
const BEAT_MS = 1_000;

/**
 * Tells a client that asked for it how long its call has been going on, in seconds, for as long as it does. A call that waits
 * for a person takes as long as they do.
 */
export class Progress implements Disposable {
  readonly #timer: NodeJS.Timeout | null;

  private constructor(timer: NodeJS.Timeout | null) {
    this.#timer = timer;
  }

  static of({ mcpReq }: ServerContext): Progress {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return new Progress(null);
    let progress = 0;
    const tell = (): void => {
      const message = progress === 0 ? "begun" : `goes on for ${progress} s`;
      // Who hears nothing of it misses nothing but that.
      mcpReq
        .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
        .catch(() => undefined);
      progress += BEAT_MS / 1000;
    };
    tell();
    return new Progress(setInterval(tell, BEAT_MS));
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}
