import { refuse } from "./fault.ts";
import type { Query, SocketEnd } from "./query.ts";

/** Which ends of which connections a filter is for. */
export interface EndFilter {
  readonly kind: "socket-end";
  readonly end: "local" | "remote";
  readonly transport: "ip" | "tcp" | "udp";
  readonly host: "*" | "localhost";
  readonly port: number | "*";
}

/** The host and port of `"HOST:PORT"`. */
export function hostAndPort(text: string, line: number): Pick<EndFilter, "host" | "port"> {
  const [, host, port] = /^(.*):([^:]*)$/.exec(text) ?? [];
  if (host !== "*" && host !== "localhost")
    return refuse(line, "host must be * or localhost in network address");
  if (port === "*") return { host, port };
  if (port === undefined || !/^[0-9]{1,5}$/.test(port) || Number(port) > 0xffff) {
    return refuse(line, `no port is \`${port}\``);
  }
  return { host, port: Number(port) };
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);
const ANY_ADDRESS = new Set(["0.0.0.0", "::", "*"]);

/** The local end of a socket that nobody bound: the system compares this one while it connects. */
const UNBOUND: SocketEnd = { host: "*", port: 0 };

/**
 * True when a filter holds for a socket. It never holds for a unix socket. The any-address counts as `localhost` at the
 * local end, which is why a filter on the local end lets every connection out (sandbox-runtime#131, #225).
 */
export function holdsForEnd(filter: EndFilter, { path, socket }: Query): boolean {
  if (socket === undefined || path !== undefined) return false;
  if (filter.transport !== "ip" && filter.transport !== socket.transport) return false;
  const end = filter.end === "local" ? (socket.local ?? UNBOUND) : socket.remote;
  if (end === undefined) return false;
  if (filter.port !== "*" && filter.port !== end.port) return false;
  if (filter.host === "*" || LOOPBACK.has(end.host)) return true;
  return filter.end === "local" && ANY_ADDRESS.has(end.host);
}
