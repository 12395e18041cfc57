import type { IncomingMessage } from "node:http";

/** Headers for the next hop alone (RFC 9110, sections 7.6.1 and 11.7), or written again for it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate"],
  ...["proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
]);

/** Methods without a body by default; with others Node announces one, in chunks. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/**
 * The header that says where a request's body ends, as received (RFC 9112, section 6.3). Left to Node, a chunked body
 * is sent bare with the methods that mostly have none, and is then read as the next request.
 */
export function framingOf({
  method = "GET",
  headers,
}: Pick<IncomingMessage, "method" | "headers">): readonly string[] {
  const { "transfer-encoding": coding, "content-length": length } = headers;
  if (coding !== undefined) return ["Transfer-Encoding", coding];
  if (length !== undefined) return ["Content-Length", length];
  return BODILESS.has(method) ? [] : ["Content-Length", "0"];
}

/** A transfer coding other than chunked, or null: it is for the next hop alone, and not supported here. */
export function foreignCodingOf({ headers }: Pick<IncomingMessage, "headers">): string | null {
  const coding = headers["transfer-encoding"] ?? "chunked";
  return coding.trim().toLowerCase() === "chunked" ? null : coding;
}

/** The headers that are passed on, names and values in turn as received, except those in `without` (lower case). */
export function endToEnd(rawHeaders: readonly string[], without: readonly string[]): readonly string[] {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), name, rawHeaders[at + 1] ?? ""] as const] : [],
  );
  const named = pairs.flatMap(([key, , value]) => (key === "connection" ? value.split(",") : []));
  const dropped = new Set([...HOP_BY_HOP, ...without, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs.flatMap(([key, name, value]) => (dropped.has(key) ? [] : [name, value]));
}
