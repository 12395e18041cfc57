import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Resolve, Targets } from "../host/outside.ts";
import { isAddress, type Target } from "../profile/host-rule.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { Place } from "../tool/fetch/reach.ts";
import { type Connected, connectTo, type Dialling } from "./dial.ts";

/** The head of a proxy's answer may have so many bytes. */
const MOST_HEAD = 32 * 1024;

/** How a host is reached by a proxy. */
export interface ByProxy {
  readonly proxy: UpstreamProxy;
  /** A plain page is asked of the proxy itself, by its whole URL; all else goes through a tunnel. */
  readonly isPlain: boolean;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

/**
 * Connects to a place by a proxy: the proxy itself is found and connected to as it was named, wherever it stands. What it
 * says of itself is told by its status alone: nothing else of it reaches a program. Rejects when the signal says so.
 */
export async function connectBy(place: Place, by: ByProxy, dialling: Dialling): Promise<Connected> {
  const { proxy, isPlain, resolve, signal } = by;
  const { host, port } = proxy;
  const found = isAddress(host) ? [host] : await resolve(host).catch(() => []);
  signal.throwIfAborted();
  const [first, ...rest] = found.map((address): Target => ({ host, address, port }));
  if (first === undefined) return failed(`the proxy ${proxy.url} leads to no address`);
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
    return failed(`the proxy ${proxy.url} gives no answer that can be read`, cause);
  }
}

/** What a proxy's status means for a person. */
export function whyNot({ url, hasCredentials }: UpstreamProxy, status: number): string {
  if (status !== 407) return `the proxy ${url} answers with status ${status}`;
  const what = hasCredentials
    ? "does not take the user and password of its URL"
    : "wants a user and a password";
  return `the proxy ${url} ${what} (status 407)`;
}

/** Asks for a tunnel (RFC 9110, section 9.3.6); the status of the answer. Rejects for what is no answer. */
function tunnelThrough(
  socket: Socket,
  { host, port }: Place,
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
      maxHeaderSize: MOST_HEAD,
      // Said here, so that no option of Node can loosen it.
      insecureHTTPParser: false,
      signal,
    });
    asked.once("connect", ({ statusCode = 0, headers }: IncomingMessage, _: unknown, head: Buffer) => {
      // An answer with a body is a page, not a tunnel (RFC 9110, section 9.3.6), and may repeat what the proxy was sent.
      const hasPage =
        headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
      if (statusCode < 300 && (hasPage || proxy.showsCredentialsIn(head))) {
        reject(new Error("the proxy answers with a page in place of a tunnel"));
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
