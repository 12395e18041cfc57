import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

type Framed = Pick<IncomingMessage, "headers" | "statusCode">;

/** True if an answer to this method has a body. */
export function hasBody(method: string | undefined, { statusCode, headers }: Framed): boolean {
  const isBodiless = method === "HEAD" || statusCode === 204 || statusCode === 304;
  return !isBodiless && headers["content-length"] !== "0";
}

/** True if the headers say where the body ends. Otherwise its connection's end does (RFC 9112, section 6.3). */
export function hasAnnouncedEnd({ headers }: Framed): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/**
 * True if a body that Node read without error is complete. Without an announced end, Node accepts any end of the
 * connection, also a broken one or one closed by this side.
 */
export function isWhole(answer: Framed, socket: Pick<Socket, "readableEnded">): boolean {
  return hasAnnouncedEnd(answer) || socket.readableEnded;
}
