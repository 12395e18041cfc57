import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { CofferdamError } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { Callers } from "./callers.ts";
import { HEAD_MS } from "./clients.ts";
import { EgressProxy } from "./proxy.ts";

/** So many programs may be connected at once that have not shown whose they are: anybody on the machine may be one. */
const MOST_CLIENTS = 1_024;

/** So many ports are tried: each has to be free on both loopback addresses. */
const MOST_TRIES = 20;

/** Has a server listen on an address of this machine. */
export type ListenAt = (server: Server, host: string, port: number) => Promise<Listening>;

/** What became of it: somebody else may listen there, and the machine may have no such address. */
export type Listening = "listening" | "taken" | "absent";

/** One egress proxy for all calls of a supervisor, where they share the machine's loopback: who calls is told by the secret. */
export class SharedProxy implements Disposable {
  readonly callers: Callers;
  readonly port: number;
  readonly #ends: DisposableStack;

  /**
   * Listens on one port of 127.0.0.1 and of ::1: whoever may reach the one may reach the other, and must find nobody else
   * there. Throws `SANDBOX_UNAVAILABLE` where no port is free.
   */
  static async listen(listenAt: ListenAt = listenHere): Promise<SharedProxy> {
    const callers = new Callers(null);
    const bounds = { mostClients: MOST_CLIENTS, headMs: HEAD_MS };
    using ends = new DisposableStack();
    const proxy = ends.use(new EgressProxy(callers, bounds));
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      using servers = new DisposableStack();
      const first = serverFor(proxy, servers);
      if ((await listenAt(first, "127.0.0.1", 0)) !== "listening") continue;
      const port = portOf(first);
      if ((await listenAt(serverFor(proxy, servers), "::1", port)) === "taken") continue;
      ends.use(servers.move());
      return new SharedProxy(port, callers, ends.move());
    }
    throw unavailable("the egress proxy finds no free port on loopback");
  }

  private constructor(port: number, callers: Callers, ends: DisposableStack) {
    this.port = port;
    this.callers = callers;
    this.#ends = ends;
  }

  /** Nobody is served any more. */
  [Symbol.dispose](): void {
    this.#ends.dispose();
  }
}

/** Calls keep a process going; neither what waits for their programs does, nor anybody else who comes. */
function serverFor(proxy: EgressProxy, ends: DisposableStack): Server {
  const server = createServer();
  // Before it listens: nobody who comes early is left without an answer.
  proxy.listen(server);
  server.on("connection", (client) => client.unref());
  ends.defer(() => server.close());
  return server.unref();
}

/** Throws `SANDBOX_UNAVAILABLE` where the system lets nobody listen. */
export const listenHere: ListenAt = async (server, host, port) => {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return "listening";
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EADDRINUSE") return "taken";
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return "absent";
    throw unavailable(`the egress proxy can't listen on loopback: ${code}`, cause);
  }
};

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
