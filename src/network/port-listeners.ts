import { createServer, type Server, type Socket } from "node:net";
import { CofferdamError } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { endTogether } from "./joined.ts";
import { type ListenFunction, listenHere } from "./listen-at.ts";

/** Maximum of concurrent connections into one call: each takes two descriptors of this process. */
const MAX_CONNECTIONS = 256;

/** Connects to a server inside; null if no server listens on that port. */
export type ConnectInside = (port: number) => Promise<Socket | null>;

/**
 * Listens on ports of this machine's loopback for one call: 127.0.0.1 and ::1, and no other address. Each client is
 * joined with a connection made inside; it is reset before `open`, and if no server listens inside.
 */
export class PortListeners implements Disposable {
  readonly #servers: Server[] = [];
  readonly #clients = new Set<Socket>();
  #connect: ConnectInside | null = null;

  /** Throws `PORT_IN_USE` if one of the ports is taken, on either address. */
  static async listen(
    ports: readonly number[],
    listenAt: ListenFunction = listenHere,
  ): Promise<PortListeners> {
    const listeners = new PortListeners();
    try {
      for (const port of ports) await listeners.#listen(port, listenAt);
      return listeners;
    } catch (cause) {
      listeners[Symbol.dispose]();
      throw cause;
    }
  }

  private constructor() {}

  open(connect: ConnectInside): void {
    this.#connect = connect;
  }

  [Symbol.dispose](): void {
    this.#connect = null;
    for (const server of this.#servers.splice(0)) server.close();
    for (const client of this.#clients) client.destroy();
  }

  async #listen(port: number, listenAt: ListenFunction): Promise<void> {
    // Clients that ask for `localhost` take either address, and must find no other server there.
    const answers = [
      await this.#listenOn("127.0.0.1", port, listenAt),
      await this.#listenOn("::1", port, listenAt),
    ];
    if (answers[0] !== "listening" || answers[1] === "taken") throw inUse(port);
  }

  async #listenOn(host: string, port: number, listenAt: ListenFunction): ReturnType<ListenFunction> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      void this.#letIn(client, port);
    });
    this.#servers.push(server.unref());
    return listenAt(server, host, port).catch((cause) => {
      throw inUse(port, cause);
    });
  }

  async #letIn(client: Socket, port: number): Promise<void> {
    client.unref();
    // Before it is joined with a connection, errors are the client's alone.
    client.on("error", () => undefined);
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    const isFull = this.#clients.size > MAX_CONNECTIONS;
    const inside = isFull ? null : ((await this.#connect?.(port)) ?? null);
    if (inside === null) {
      client.resetAndDestroy();
      return;
    }
    inside.unref();
    inside.allowHalfOpen = true;
    if (this.#connect === null) client.destroy();
    if (!endTogether(client, inside)) return;
    client.pipe(inside);
    inside.pipe(client);
  }
}

function inUse(port: number, cause?: unknown): CofferdamError {
  const problem = cause === undefined ? "is in use" : `can't be opened: ${codeOf(cause)}`;
  return new CofferdamError("PORT_IN_USE", `the port ${port} of this machine's loopback ${problem}`, {
    hint: `use another port, or end its program (Linux: \`ss -ltnp sport = :${port}\`; macOS: \`lsof -i :${port}\`)`,
    cause,
  });
}
