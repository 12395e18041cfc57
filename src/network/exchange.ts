import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { PageAddress } from "../tool/fetch/address.ts";

/** A request to a server. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD";
  readonly userAgent: string;
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal;
  /** The proxy at the end of the connection, which is sent the full URL; null: the page's host. */
  readonly pagesBy: UpstreamProxy | null;
}

/** Requests one page, without cookies, credentials or referrer. Rejects with Node's error or the signal's reason. */
export function exchange(
  socket: Socket,
  { href, host, port }: PageAddress,
  { method, userAgent, maxHeaderBytes, signal, pagesBy }: HttpRequest,
): Promise<IncomingMessage> {
  const url = new URL(href);
  return new Promise((resolve, reject) => {
    const asked = request({
      method,
      host,
      port,
      path: `${pagesBy === null ? "" : url.origin}${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        Host: url.host,
        "User-Agent": userAgent,
        Accept: "text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1",
        "Accept-Encoding": "gzip, deflate, br",
        Connection: "close",
        ...(pagesBy === null ? {} : Object.fromEntries([pagesBy.authorization()].filter(isPair))),
      },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
      // Set explicitly, so that no option of Node can loosen it.
      insecureHTTPParser: false,
      signal,
    });
    asked.once("response", resolve);
    asked.on("error", reject);
    asked.once("upgrade", () => {
      socket.destroy();
      reject(brokenOff("the server requires another protocol"));
    });
    asked.once("close", () => reject(brokenOff("the server closed the connection without an answer")));
    asked.end();
  });
}

function isPair(words: readonly string[]): words is readonly [string, string] {
  return words.length === 2;
}

/** The error of a connection that ended before its answer was complete. */
export function brokenOff(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
