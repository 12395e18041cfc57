import { createServer, type Server } from "node:net";
import { CofferdamError } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { Callers } from "./callers.ts";
import { HEAD_MS } from "./clients.ts";
import { type ListenFunction, listenHere } from "./listen-at.ts";
import { EgressProxy } from "./proxy.ts";

/** Maximum of concurrent connections whose call is not known yet: any process on the machine may connect. */
const MAX_CLIENTS = 1_024;

/** Maximum of ports that are tried: each has to be free on both loopback addresses. */
const MAX_TRIES = 20;

/** One egress proxy for all calls of a supervisor that share the machine's loopback: the secret identifies the call. */
export class SharedProxy implements Disposable {
  readonly callers: Callers;
  readonly port: number;
  readonly #proxy: EgressProxy;
  readonly #servers: readonly Server[];

  /**
   * Listens on one port of 127.0.0.1 and of ::1: a program that can reach one can reach the other, and must find no
   * other server there. Throws `SANDBOX_UNAVAILABLE` if no port is free.
   */
  static async listen(listenAt: ListenFunction = listenHere): Promise<SharedProxy> {
    const callers = new Callers(null);
    const proxy = new EgressProxy(callers, { maxClients: MAX_CLIENTS, headMs: HEAD_MS });
    try {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const servers = await listenTwice(proxy, listenAt);
        if (servers !== null) return new SharedProxy(callers, proxy, servers);
      }
      throw unavailable(
        "no port of loopback is free for the egress proxy",
        "end programs that listen on many ports",
      );
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

  [Symbol.dispose](): void {
    for (const server of this.#servers) server.close();
    this.#proxy[Symbol.dispose]();
  }
}

/** Two servers at one port, or one if the machine lacks the other address; null if one of them is taken. */
async function listenTwice(
  proxy: EgressProxy,
  listenAt: ListenFunction,
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
    const message = `the egress proxy can't listen on loopback: ${codeOf(cause)}`;
    throw unavailable(message, "let this user listen on 127.0.0.1", cause);
  } finally {
    if (!isKept) for (const server of servers) server.close();
  }
}

/** Calls keep a process alive; waiting for their programs or other clients does not. */
function serverFor(proxy: EgressProxy): Server {
  const server = createServer();
  // Before it listens, so that early clients get an answer.
  proxy.listen(server);
  server.on("connection", (client) => client.unref());
  return server.unref();
}

function unavailable(message: string, remedy: string, cause?: unknown): CofferdamError {
  const hint = `${remedy}, or set \`shell.network: false\``;
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint, cause });
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new CofferdamError("INTERNAL", "a server listens on no port");
}
