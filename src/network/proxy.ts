import type { Server, Socket } from "node:net";
import type { Callers } from "./callers.ts";
import { Clients, type ProxyBounds } from "./clients.ts";
import { HttpProxy } from "./http-proxy.ts";
import { SOCKS_5, serveSocks } from "./socks.ts";

/** The egress proxy: HTTP and SOCKS 5 on one endpoint, distinguished by the first byte. */
export class EgressProxy implements Disposable {
  readonly #clients: Clients;
  readonly #http: HttpProxy;

  constructor(callers: Callers, bounds: ProxyBounds) {
    this.#clients = new Clients(callers, bounds);
    this.#http = new HttpProxy(this.#clients);
  }

  /** Accepts the connections of a server until that is closed. */
  listen(server: Server): void {
    // A program may end its side and still want its answer.
    Object.assign(server, { allowHalfOpen: true });
    server.on("connection", (client) => this.serve(client));
    server.on("error", () => undefined);
  }

  serve(client: Socket): void {
    client.on("error", () => undefined);
    client.setNoDelay(true);
    this.#clients.add(client);
    client.once("readable", () => this.#begin(client));
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]();
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
    serveSocks(client, this.#clients).catch(() => {
      this.#clients.note("malformed", "the proxy got invalid SOCKS");
      client.destroy();
    });
  }
}
