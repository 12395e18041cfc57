import { createServer, type Server } from "node:net";
import { CofferdamError } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { Callers } from "./callers.ts";
import { HEAD_MS } from "./clients.ts";
import { type ListenAt, listenHere } from "./listen-at.ts";
import { EgressProxy } from "./proxy.ts";

/** So many programs may be connected at once that have not shown whose they are: anybody on the machine may be one. */
const MOST_CLIENTS = 1_024;

/** So many ports are tried: each has to be free on both loopback addresses. */
const MOST_TRIES = 20;

/** One egress proxy for all calls of a supervisor, where they share the machine's loopback: who calls is told by the secret. */
export class SharedProxy implements Disposable {
  readonly callers: Callers;
  readonly port: number;
  readonly #proxy: EgressProxy;
  readonly #servers: readonly Server[];

  /**
   * Listens on one port of 127.0.0.1 and of ::1: whoever may reach the one may reach the other, and must find nobody else
   * there. Throws `SANDBOX_UNAVAILABLE` where no port is free.
   */
  static async listen(listenAt: ListenAt = listenHere): Promise<SharedProxy> {
    const callers = new Callers(null);
    const proxy = new EgressProxy(callers, { mostClients: MOST_CLIENTS, headMs: HEAD_MS });
    try {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const servers = await listenTwice(proxy, listenAt);
        if (servers !== null) return new SharedProxy(callers, proxy, servers);
      }
      throw unavailable("the egress proxy finds no free port on loopback");
    } catch (cause) {
      proxy[Symbol.dispose]();
      throw cause;
    }
  }

  private constructor(callers: Callers, proxy: EgressProxy, servers: readonly [Server, Server]) {
    this.port = portOf(servers[0]);
    this.callers = callers;
    this.#proxy = proxy;
    this.#servers = servers;
  }

  /** Nobody is served any more. */
  [Symbol.dispose](): void {
    for (const server of this.#servers) server.close();
    this.#proxy[Symbol.dispose]();
  }
}

/** Two servers at one port, or one where the machine has no such other address; null where somebody else has one of them. */
async function listenTwice(
  proxy: EgressProxy,
  listenAt: ListenAt,
): Promise<readonly [Server, Server] | null> {
  const servers = [serverFor(proxy), serverFor(proxy)] as const;
  const [first, second] = servers;
  let isKept = false;
  try {
    isKept =
      (await listenAt(first, "127.0.0.1", 0)) === "listening" &&
      (await listenAt(second, "::1", portOf(first))) !== "taken";
    return isKept ? servers : null;
  } catch (cause) {
    if (cause instanceof CofferdamError) throw cause;
    throw unavailable(`the egress proxy can't listen on loopback: ${codeOf(cause)}`, cause);
  } finally {
    if (!isKept) for (const server of servers) server.close();
  }
}

/** Calls keep a process going; neither what waits for their programs does, nor anybody else who comes. */
function serverFor(proxy: EgressProxy): Server {
  const server = createServer();
  // Before it listens: nobody who comes early is left without an answer.
  proxy.listen(server);
  server.on("connection", (client) => client.unref());
  return server.unref();
}

function unavailable(message: string, cause?: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, {
    hint: "end what listens on so many ports, or use `network: false`",
    cause,
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new CofferdamError("INTERNAL", "a server listens at no port");
}
