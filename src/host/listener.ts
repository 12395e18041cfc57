import { Server } from "node:net";
import { CofferdamError } from "../errors.ts";
import type { Child } from "./spawn.ts";

/**
 * What a gate hands out: a socket that listens inside, on which connections of the sandbox are accepted here. It was made
 * before the program ran, so it comes from us.
 */
export class HandedListener implements Disposable {
  readonly #child: Child;
  readonly #handed = Promise.withResolvers<Server | null>();
  #server: Server | null = null;

  constructor(child: Child) {
    this.#child = child;
    child.once("message", this.#take);
    child.once("disconnect", () => this.#handed.resolve(null));
  }

  /** The listener, once it is handed out. Throws `SANDBOX_UNAVAILABLE` where it never is, or not in that time. */
  async server(mostMs: number): Promise<Server> {
    const timer = setTimeout(() => this.#handed.resolve(null), mostMs);
    const server = await this.#handed.promise;
    clearTimeout(timer);
    if (server !== null) return server;
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the way to the egress proxy was not handed out", {
      hint: "run `cofferdam doctor`",
    });
  }

  /** Whether this process goes on for as long as nothing was handed out, as it does at first. */
  keepAlive(isKept: boolean): void {
    if (isKept) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }

  /** Nobody is let in any more: what still knocks is refused. */
  [Symbol.dispose](): void {
    this.#server?.close();
    if (this.#child.connected) this.#child.disconnect();
    this.#handed.resolve(null);
  }

  readonly #take = (_message: unknown, handle: unknown): void => {
    if (handle instanceof Server) this.#server = handle;
    this.#handed.resolve(this.#server);
    // Nothing more is expected, and what is let in later must not be able to say more.
    if (this.#child.connected) this.#child.disconnect();
  };
}
