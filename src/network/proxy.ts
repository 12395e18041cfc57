import type { Server, Socket } from "node:net";
import type { Callers } from "./callers.ts";
import { HttpProxy } from "./http-proxy.ts";
import { SOCKS_5, serveSocks } from "./socks.ts";

/** How long a program may take to say what it wants, in milliseconds. */
const HEAD_MS = 10_000;

/** The egress proxy: HTTP and SOCKS 5 on one endpoint, told apart by the first byte. It knows of calls only by `callers`. */
export class EgressProxy implements Disposable {
  readonly #callers: Callers;
  readonly #http: HttpProxy;
  readonly #mostClients: number;
  readonly #clients = new Set<Socket>();
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();

  /** `mostClients`: so many may be connected at once, those that have not said yet what they want among them. */
  constructor(callers: Callers, mostClients: number) {
    this.#callers = callers;
    this.#mostClients = mostClients;
    this.#http = new HttpProxy(
      callers,
      (client) => clearTimeout(this.#timers.get(client)),
      (client) => this.#await(client),
    );
  }

  /** Takes what connects to a server, until that is closed. */
  listen(server: Server): void {
    // A program may be done with asking and still want its answer.
    Object.assign(server, { allowHalfOpen: true });
    server.on("connection", (client) => this.serve(client));
    server.on("error", () => undefined);
  }

  /** Takes one connection. */
  serve(client: Socket): void {
    client.on("error", () => undefined);
    if (this.#clients.size >= this.#mostClients) {
      this.#callers.note("limit", `${this.#mostClients} programs are connected to the proxy already`);
      client.destroy();
      return;
    }
    this.#clients.add(client);
    client.once("close", () => {
      this.#clients.delete(client);
      clearTimeout(this.#timers.get(client));
    });
    client.setNoDelay(true);
    this.#await(client);
    client.once("readable", () => this.#begin(client));
  }

  /** Closes every connection. */
  [Symbol.dispose](): void {
    for (const client of this.#clients) client.destroy();
  }

  #begin(client: Socket): void {
    const first: unknown = client.read(1);
    if (!Buffer.isBuffer(first)) {
      client.destroy();
      return;
    }
    client.unshift(first);
    if (first[0] !== SOCKS_5) {
      this.#http.serve(client);
      return;
    }
    const onHead = (): void => clearTimeout(this.#timers.get(client));
    serveSocks(client, this.#callers, onHead).catch(() => {
      this.#callers.note("malformed", "what was said to the proxy is no SOCKS");
      client.destroy();
    });
  }

  /** It has to say something soon. */
  #await(client: Socket): void {
    clearTimeout(this.#timers.get(client));
    if (client.destroyed) return;
    const late = (): void => {
      this.#callers.note("limit", `nobody said within ${HEAD_MS / 1000} s what is wanted of the proxy`);
      client.destroy();
    };
    this.#timers.set(client, setTimeout(late, HEAD_MS));
  }
}
