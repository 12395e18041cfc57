import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { EgressRefusal } from "../../../src/network/account.ts";
import { CallEgress, type EgressPolicy } from "../../../src/network/call-egress.ts";
import { Callers } from "../../../src/network/callers.ts";
import { HEAD_MS, type ProxyBounds } from "../../../src/network/clients.ts";
import { EgressProxy } from "../../../src/network/proxy.ts";
import type { Network } from "../../../src/profile/network.ts";
import { portOf } from "./port-of.ts";
import { hostsOf, type SmallWeb, smallWeb } from "./server.ts";

/** What a proxy of a test's own lets through. */
export interface Proxied extends Partial<Omit<EgressPolicy, "onRefused">> {
  readonly web: SmallWeb;
  readonly hosts?: readonly string[];
  readonly never?: readonly string[];
  readonly bounds?: Partial<ProxyBounds>;
}

/** An egress proxy that listens, for one call, in a small web; gone after the test. */
export async function proxied({ web, hosts = [], never = [], bounds = {}, ...policy }: Proxied) {
  const { means, dialled, lookedUp } = smallWeb(web);
  const refused: Omit<EgressRefusal, "times">[] = [];
  const listed = hostsOf(...hosts);
  const network: Network = typeof listed === "object" ? { ...listed, never: neverOf(never) } : listed;
  const egress = new CallEgress(
    { network, limits: {}, ask: null, onRefused: (one) => void refused.push(one), ...policy },
    means,
  );
  const proxy = new EgressProxy(new Callers(egress), { maxClients: 320, headMs: HEAD_MS, ...bounds });
  const server = createServer();
  proxy.listen(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  const end = (): void => {
    server.close();
    proxy[Symbol.dispose]();
    egress[Symbol.dispose]();
  };
  onTestFinished(end);
  const credential = Buffer.from(`cofferdam:${egress.secret}`).toString("base64");
  return { egress, port, refused, dialled, lookedUp, credential, end };
}

function neverOf(rules: readonly string[]) {
  const listed = hostsOf(...rules);
  return typeof listed === "object" ? listed.hosts : [];
}

/** Says something to a port of this machine, and returns all that comes back until the connection ends. */
export async function said(port: number, ...lines: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  for (const line of lines) socket.write(line);
  return heard(socket);
}

/** All that comes until the connection ends, however that is. */
export async function heard(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => void parts.push(part));
  socket.on("error", () => undefined);
  await new Promise((resolve) => {
    socket.once("end", resolve);
    socket.once("close", resolve);
  });
  socket.destroy();
  return Buffer.concat(parts).toString("latin1");
}

/** The first line of an answer. */
export function statusLine(answer: string): string {
  return answer.slice(0, answer.indexOf("\r\n"));
}
