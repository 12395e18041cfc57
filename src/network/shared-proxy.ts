import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { CofferdamError } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { Callers } from "./callers.ts";
import { EgressProxy, HEAD_MS } from "./proxy.ts";

/** So many programs of all calls together may be connected at once. */
const MOST_CLIENTS = 1_024;

/** So many ports are tried: each has to be free on both loopback addresses. */
const MOST_TRIES = 20;

/** One egress proxy for all calls of a supervisor, where they share the machine's loopback: who calls is told by the secret. */
export class SharedProxy implements Disposable {
  readonly callers = new Callers(null);
  readonly port: number;
  readonly #proxy = new EgressProxy(this.callers, { mostClients: MOST_CLIENTS, headMs: HEAD_MS });
  readonly #servers: readonly Server[];

  /**
   * Listens on one port of 127.0.0.1 and of ::1: whoever may reach the one may reach the other, and must find nobody else
   * there. Throws `SANDBOX_UNAVAILABLE` where no port is free.
   */
  static async listen(): Promise<SharedProxy> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const first = await listening("127.0.0.1", 0);
      const port = portOf(first);
      const second = port === null ? null : await listening("::1", port);
      if (first !== "taken" && first !== "absent" && port !== null && second !== "taken")
        return new SharedProxy(port, second === "absent" || second === null ? [first] : [first, second]);
      if (typeof first !== "string") first.close();
    }
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the egress proxy finds no free port on loopback", {
      hint: "end what listens on so many ports, or use `network: false`",
    });
  }

  private constructor(port: number, servers: readonly Server[]) {
    this.port = port;
    this.#servers = servers;
    for (const server of servers) {
      this.#proxy.listen(server);
      // Calls keep a process going, not what waits for them.
      server.unref();
    }
  }

  /** Nobody is served any more. */
  [Symbol.dispose](): void {
    for (const server of this.#servers) server.close();
    this.#proxy[Symbol.dispose]();
  }
}

/** A server that listens; `taken` where somebody else does, `absent` where this machine has no such address. */
async function listening(host: string, port: number): Promise<Server | "taken" | "absent"> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return server;
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return "absent";
    return "taken";
  }
}

function portOf(server: Server | string): number | null {
  const address = typeof server === "string" ? null : server.address();
  return typeof address === "object" && address !== null ? address.port : null;
}
