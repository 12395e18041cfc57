import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** An answer as far as it says where its body ends. */
type Framed = Pick<IncomingMessage, "headers" | "statusCode">;

/** Whether an answer to this method has a body. */
export function hasBody(method: string | undefined, { statusCode, headers }: Framed): boolean {
  const isBodiless = method === "HEAD" || statusCode === 204 || statusCode === 304;
  return !isBodiless && headers["content-length"] !== "0";
}

/** Whether a body says itself where it ends. Else the end of its connection does (RFC 9112, section 6.3). */
export function hasAnnouncedEnd({ headers }: Framed): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/**
 * Whether a body is whole that Node has read without an error. Node sees that an announced end is missing. Where none is
 * announced, it takes any end of the connection for one: also where it broke, and where this side closed it.
 */
export function isWhole(answer: Framed, socket: Pick<Socket, "readableEnded">): boolean {
  return hasAnnouncedEnd(answer) || socket.readableEnded;
}
