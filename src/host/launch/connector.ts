import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { MountPlan } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import { orNull } from "../or-null.ts";
import { isRunning, type ProcessId } from "./process-id.ts";
import { SETUP_MS } from "./run-options.ts";
import { type LauncherChild, launchHelper } from "./spawn.ts";

/**
 * Connects to servers in a sandbox by a helper that joined its network, and that ends with this process, however that
 * ends.
 */
export class Connector implements AsyncDisposable {
  readonly #child: LauncherChild;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, (socket: Socket | null) => void>();
  #asked = 0;

  /**
   * Starts a helper for the sandbox of this first process. Throws `SANDBOX_UNAVAILABLE` if it can't enter the network.
   */
  static async start(
    init: ProcessId,
    words: NonNullable<MountPlan["connector"]>,
    runAs: { readonly uid: number; readonly gid: number } | null,
  ): Promise<Connector> {
    const network = openNetwork(init);
    let connector: Connector;
    try {
      const [file, ...argv] = words;
      connector = new Connector(
        launchHelper(file, argv, { stdio: ["ipc", network ?? "ignore", "ignore"], runAs }),
      );
    } finally {
      if (network !== null) closeSync(network);
    }
    if (await connector.#isReady()) return connector;
    await connector[Symbol.asyncDispose]();
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the ports of the call could not be opened", {
      hint: "run `cofferdam doctor`, or remove `ports`",
    });
  }

  private constructor(child: LauncherChild) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => resolve());
    });
    child.on("error", () => undefined);
    child.once("disconnect", () => this.#leave());
  }

  /** A socket to the server on that port inside; null if there is none. */
  connect(port: number): Promise<Socket | null> {
    if (!this.#child.connected) return Promise.resolve(null);
    this.#asked += 1;
    const asked = this.#asked;
    const { promise, resolve } = Promise.withResolvers<Socket | null>();
    this.#waiting.set(asked, resolve);
    this.#child.send([asked, port], (cause) => {
      if (cause !== null) this.#answer(asked, null);
    });
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // By now the call no longer keeps the process alive.
    this.#child.ref();
    this.#child.kill("SIGKILL");
    await this.#ended;
    if (this.#child.connected) this.#child.disconnect();
    this.#leave();
  }

  /** It sends one message once it has the sandbox's network; after that, the results of requests. */
  async #isReady(): Promise<boolean> {
    const ready = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => ready.resolve(false), SETUP_MS);
    this.#child.once("message", (word) => ready.resolve(word === "ready"));
    this.#child.once("disconnect", () => ready.resolve(false));
    const isReady = await ready.promise;
    clearTimeout(timer);
    this.#child.on("message", this.#take);
    // The call itself keeps this process alive.
    this.#child.channel?.unref();
    this.#child.unref();
    return isReady;
  }

  readonly #take = (asked: unknown, handle: unknown): void => {
    const socket = handle instanceof Socket ? handle : null;
    if (typeof asked !== "number" || !this.#answer(asked, socket)) socket?.destroy();
  };

  #answer(asked: number, socket: Socket | null): boolean {
    const resolve = this.#waiting.get(asked);
    this.#waiting.delete(asked);
    resolve?.(socket);
    return resolve !== undefined;
  }

  #leave(): void {
    for (const asked of [...this.#waiting.keys()]) this.#answer(asked, null);
  }
}

/** The network namespace of a process that is still the same; null if it has ended, or hides it. */
function openNetwork(init: ProcessId): number | null {
  const fd = orNull(() => openSync(`/proc/${init.pid}/ns/net`, "r"));
  if (fd === null) return null;
  // Opened while it ran, so it is its own, even if the pid is used again later.
  if (isRunning(init)) return fd;
  closeSync(fd);
  return null;
}
