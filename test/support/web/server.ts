import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createPlainServer,
  type Server,
  type Socket,
} from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import type { Dial, Targets } from "../../../src/host/look/outside.ts";
import { FETCH_LIMITS, type FetchLimits, type FetchMeans } from "../../../src/network/fetch.ts";
import type { HostRule } from "../../../src/profile/host-rule.ts";
import { parseHostRule } from "../../../src/profile/host-rule.ts";
import type { Network } from "../../../src/profile/network.ts";
import { CERTIFICATE, KEY } from "./certificate.ts";

/** A server of the test's own on the loopback; its port. Gone after the test. */
export async function serving(answer: RequestListener): Promise<number> {
  return listening(createServer(answer));
}

/** The same behind TLS, with the certificate of `certificate.ts`. */
export async function servingSecurely(answer: RequestListener, options: ServerOptions = {}): Promise<number> {
  return listening(createSecureServer({ cert: CERTIFICATE, key: KEY, ...options }, answer));
}

/** A server that speaks whatever bytes the test writes; the end of what it hears ends what it says, unless that is to go on. */
export async function speaking(talk: (socket: Socket) => void, allowHalfOpen = false): Promise<number> {
  return listening(
    createPlainServer({ allowHalfOpen }, (socket) => {
      socket.on("error", () => undefined);
      talk(socket);
    }),
  );
}

/** The same behind TLS; `plain` is the connection under it. */
export async function speakingSecurely(talk: (socket: TLSSocket, plain: Socket) => void): Promise<number> {
  const secureContext = createSecureContext({ cert: CERTIFICATE, key: KEY });
  return speaking((plain) => {
    const socket = new TLSSocket(plain, { isServer: true, secureContext });
    socket.on("error", () => undefined);
    talk(socket, plain);
  }, true);
}

async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  const { port } = await new Promise<AddressInfo>((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("no port"));
      else resolve(address);
    });
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return port;
}

/** A public internet of the test's own: what names lead to, and which local port stands for which of its ports. */
export interface SmallWeb {
  /** What a name leads to at each look-up in turn; the last for ever. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** A public port, or `host:port`, to the port of a server on the loopback. */
  readonly ports: Readonly<Record<string, number>>;
  readonly limits?: Partial<FetchLimits>;
  readonly ca?: string | null;
}

/** Where a name leads that a small web does not list. */
export const PUBLIC = "93.184.215.14";

/** What a fetch is done with in a small web, every name that was looked up, and every target that was connected to. */
export function smallWeb({ names = {}, ports, limits = {}, ca = CERTIFICATE }: SmallWeb) {
  const lookedUp: string[] = [];
  const dialled: Targets[] = [];
  const dial: Dial = (targets) => {
    dialled.push(targets);
    const [{ host, port }] = targets;
    const meant = ports[`${host}:${port}`] ?? ports[port];
    if (meant === undefined) throw new Error(`nothing stands for ${host}:${port}`);
    return connect({ port: meant, host: "127.0.0.1", allowHalfOpen: true });
  };
  const means: FetchMeans = {
    resolve: async (name) => {
      const answers = names[name] ?? [[PUBLIC]];
      const before = lookedUp.filter((one) => one === name).length;
      lookedUp.push(name);
      return answers[Math.min(before, answers.length - 1)] ?? [];
    },
    isOwn: async () => false,
    dial,
    ca,
    limits: { ...FETCH_LIMITS, ...limits },
    userAgent: "cofferdam/test",
  };
  return { means, lookedUp, dialled };
}

/** A network of the hosts, as rules are written. */
export function hostsOf(...rules: readonly string[]): Network {
  return { hosts: rules.map((rule): HostRule => parseHostRule(rule)), never: [] };
}
