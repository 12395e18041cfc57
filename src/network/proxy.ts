import type { Server, Socket } from "node:net";
import type { Callers } from "./callers.ts";
import { HttpProxy } from "./http-proxy.ts";
import { SOCKS_5, serveSocks } from "./socks.ts";

/** How far programs may try a proxy's patience. */
export interface ProxyBounds {
  /** So many may be connected at once, those that have not said yet what they want among them. */
  readonly mostClients: number;
  /** How long one may take to say what it wants, in milliseconds. */
  readonly headMs: number;
}

/** The usual time for that. */
export const HEAD_MS = 10_000;

/** The egress proxy: HTTP and SOCKS 5 on one endpoint, told apart by the first byte. It knows of calls only by `callers`. */
export class EgressProxy implements Disposable {
  readonly #callers: Callers;
  readonly #http: HttpProxy;
  readonly #bounds: ProxyBounds;
  readonly #clients = new Set<Socket>();
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();
  /** How many requests of a client are being answered: it may send the next ones before. */
  readonly #asked = new WeakMap<Socket, number>();

  constructor(callers: Callers, bounds: ProxyBounds) {
    this.#callers = callers;
    this.#bounds = bounds;
    this.#http = new HttpProxy(
      callers,
      (client) => this.#count(client, 1),
      (client) => this.#count(client, -1),
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
    const { mostClients } = this.#bounds;
    if (this.#clients.size >= mostClients) {
      this.#callers.note("limit", `${mostClients} programs are connected to the proxy already`);
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

  #count(client: Socket, more: 1 | -1): void {
    const now = (this.#asked.get(client) ?? 0) + more;
    this.#asked.set(client, now);
    if (now > 0) clearTimeout(this.#timers.get(client));
    else this.#await(client);
  }

  /** It has to say something soon. */
  #await(client: Socket): void {
    clearTimeout(this.#timers.get(client));
    if (client.destroyed) return;
    const { headMs } = this.#bounds;
    const late = (): void => {
      this.#callers.note("limit", `nobody said within ${headMs / 1000} s what is wanted of the proxy`);
      client.destroy();
    };
    this.#timers.set(client, setTimeout(late, headMs));
  }
}
