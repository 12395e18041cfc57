import { Server } from "node:net";
import { CofferdamError } from "../../errors.ts";
import type { LauncherChild } from "./spawn.ts";

/** The socket that a start program hands out: it listens inside, and was made before the program ran. */
export class HandedListener implements Disposable {
  readonly #child: LauncherChild;
  readonly #handed = Promise.withResolvers<Server | null>();
  #server: Server | null = null;

  constructor(child: LauncherChild) {
    this.#child = child;
    child.once("message", this.#take);
    child.once("disconnect", () => this.#handed.resolve(null));
  }

  /** The listener, once it is handed out. Throws `SANDBOX_UNAVAILABLE` if that takes longer. */
  async server(maxMs: number): Promise<Server> {
    const timer = setTimeout(() => this.#handed.resolve(null), maxMs);
    const server = await this.#handed.promise;
    clearTimeout(timer);
    if (server !== null) return server;
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the egress proxy's socket was not handed out", {
      hint: "run `cofferdam doctor`",
    });
  }

  keepAlive(isKept: boolean): void {
    if (isKept) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }

  [Symbol.dispose](): void {
    this.#server?.close();
    if (this.#child.connected) this.#child.disconnect();
    this.#handed.resolve(null);
  }

  readonly #take = (_message: unknown, handle: unknown): void => {
    if (handle instanceof Server) this.#server = handle;
    this.#handed.resolve(this.#server);
    // Nothing more is expected, and processes let in later must not be able to send more.
    if (this.#child.connected) this.#child.disconnect();
  };
}
