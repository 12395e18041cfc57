import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { PageAddress } from "../tool/fetch/address.ts";

/** What is asked of a server. */
export interface Asked {
  readonly method: "GET" | "HEAD";
  readonly userAgent: string;
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal;
  /** The proxy that the connection leads to, which is asked for the whole URL; null: the page's host. */
  readonly pagesBy: UpstreamProxy | null;
}

/**
 * Asks for one page over a connection that stands. Nothing of the caller goes along: no cookies, no credentials, no
 * referrer. Rejects with Node's error, and with the signal's reason.
 */
export function exchange(
  socket: Socket,
  { href, host, port }: PageAddress,
  { method, userAgent, maxHeaderBytes, signal, pagesBy }: Asked,
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
      // Said here, so that no option of Node can loosen it.
      insecureHTTPParser: false,
      signal,
    });
    asked.once("response", resolve);
    asked.on("error", reject);
    asked.once("upgrade", () => {
      socket.destroy();
      reject(brokenOff("the server wants another protocol"));
    });
    asked.once("close", () => reject(brokenOff("the server closed the connection without an answer")));
    asked.end();
  });
}

function isPair(words: readonly string[]): words is readonly [string, string] {
  return words.length === 2;
}

/** What a connection fails with that ended before its answer was whole. */
export function brokenOff(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
