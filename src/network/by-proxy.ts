import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Resolve, Targets } from "../host/look/outside.ts";
import { type ConnectTarget, isAddress } from "../profile/host-rule.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { HostAndPort } from "../tool/fetch/reach.ts";
import { type Connected, connectTo, type Dialling } from "./dial.ts";

/** Maximum of bytes of the head of a proxy's answer. */
const MAX_HEAD = 32 * 1024;

/** The proxy that a host is reached by. */
export interface ByProxy {
  readonly proxy: UpstreamProxy;
  /** Plain pages are requested from the proxy itself, by full URL; everything else uses a tunnel. */
  readonly isPlain: boolean;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

/**
 * Connects to a place by a proxy, which is itself connected to as named, wherever it is. Only the status of its answer
 * reaches a program. Rejects when the signal aborts.
 */
export async function connectBy(place: HostAndPort, by: ByProxy, dialling: Dialling): Promise<Connected> {
  const { proxy, isPlain, resolve, signal } = by;
  const { host, port } = proxy;
  const found = isAddress(host) ? [host] : await resolve(host).catch(() => []);
  signal.throwIfAborted();
  const [first, ...rest] = found.map((address): ConnectTarget => ({ host, address, port }));
  if (first === undefined) return failed(`the proxy ${proxy.url} has no address`);
  const targets: Targets = [first, ...rest];
  const connected = await connectTo(targets, dialling, { isSecure: proxy.isSecure, signal });
  if (connected.kind === "failed")
    return { ...connected, error: new Error(`the proxy ${proxy.url}: ${connected.error.message}`) };
  if (isPlain) return connected;
  const { socket } = connected;
  try {
    const status = await tunnelThrough(socket, place, proxy, signal);
    if (status >= 200 && status < 300) return connected;
    socket.destroy();
    return failed(whyNot(proxy, status));
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    return failed(`the proxy ${proxy.url} sent an invalid answer`, cause);
  }
}

/** The meaning of a proxy's status, for a person. */
export function whyNot({ url, hasCredentials }: UpstreamProxy, status: number): string {
  if (status !== 407) return `the proxy ${url} answered with status ${status}`;
  const what = hasCredentials
    ? "rejected the user name and password of its URL"
    : "needs a user name and a password";
  return `the proxy ${url} ${what} (status 407)`;
}

/** Requests a tunnel (RFC 9110, section 9.3.6); returns the status of the answer. Rejects if the answer is not HTTP. */
function tunnelThrough(
  socket: Socket,
  { host, port }: HostAndPort,
  proxy: UpstreamProxy,
  signal: AbortSignal,
): Promise<number> {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      method: "CONNECT",
      path: authority,
      setHost: false,
      headers: ["Host", authority, ...proxy.authorization()],
      createConnection: () => socket,
      maxHeaderSize: MAX_HEAD,
      // Set explicitly, so that no option of Node can loosen it.
      insecureHTTPParser: false,
      signal,
    });
    asked.once("connect", ({ statusCode = 0, headers }: IncomingMessage, _: unknown, head: Buffer) => {
      // An answer with a body is a page, not a tunnel (RFC 9110, section 9.3.6), and may repeat what the proxy was sent.
      const hasPage =
        headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
      if (statusCode < 300 && (hasPage || proxy.showsCredentialsIn(head))) {
        reject(new Error("the proxy answered with a page instead of a tunnel"));
        return;
      }
      // A server may speak first.
      if (head.length > 0) socket.unshift(head);
      resolve(statusCode);
    });
    asked.on("error", reject);
    asked.once("close", () => reject(new Error("the proxy closed the connection without an answer")));
    asked.end();
  });
}

function failed(message: string, cause?: unknown): Connected {
  const error = new Error(message, cause === undefined ? {} : { cause });
  return { kind: "failed", because: "connection", error };
}
