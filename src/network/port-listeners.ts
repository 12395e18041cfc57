import { createServer, type Server, type Socket } from "node:net";
import { CofferdamError } from "../errors.ts";
import { endTogether } from "./joined.ts";
import { type ListenAt, listenHere } from "./listen-at.ts";

/** The most connections into one call at once: each takes two descriptors of this process. */
const MOST_CONNECTIONS = 256;

/** Makes a connection to a server inside; null where nobody listens on that port. */
export type ConnectInside = (port: number) => Promise<Socket | null>;

/**
 * Listens on ports of this machine's loopback for one call: 127.0.0.1 and ::1, and no other address. What connects there is
 * joined with a connection that is made inside; as long as nobody makes any, and where nobody listens inside, it is reset.
 */
export class PortListeners implements Disposable {
  readonly #servers: Server[] = [];
  readonly #clients = new Set<Socket>();
  #connect: ConnectInside | null = null;

  /** Throws `PORT_IN_USE` where somebody else has one of the ports, on either address. */
  static async listen(ports: readonly number[], listenAt: ListenAt = listenHere): Promise<PortListeners> {
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

  /** From here on connections are let in. */
  open(connect: ConnectInside): void {
    this.#connect = connect;
  }

  /** Nobody listens any more, and every connection is over. */
  [Symbol.dispose](): void {
    this.#connect = null;
    for (const server of this.#servers.splice(0)) server.close();
    for (const client of this.#clients) client.destroy();
  }

  async #listen(port: number, listenAt: ListenAt): Promise<void> {
    // Whoever asks for `localhost` takes either address, and must find nobody else there.
    const answers = [
      await this.#listenOn("127.0.0.1", port, listenAt),
      await this.#listenOn("::1", port, listenAt),
    ];
    if (answers[0] !== "listening" || answers[1] === "taken") throw inUse(port);
  }

  async #listenOn(host: string, port: number, listenAt: ListenAt): ReturnType<ListenAt> {
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
    // Before there is anybody to be joined with, what goes wrong is the client's alone.
    client.on("error", () => undefined);
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    const isFull = this.#clients.size > MOST_CONNECTIONS;
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
  return new CofferdamError("PORT_IN_USE", `the port ${port} of this machine's loopback is in use`, {
    hint: `end what listens there (\`ss -ltnp sport = :${port}\` names it), or use another port`,
    cause,
  });
}
