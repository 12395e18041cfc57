import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Maximum of requests of one connection whose responses the client has not read. Browsers send one at a time. */
const MAX_UNANSWERED = 4;

/** Counts the requests of each connection whose responses the client has not read. */
export class UnansweredRequests {
  readonly #counts = new WeakMap<Socket, number>();

  /** Counts a request until the system has its whole response. False if there are too many. */
  add(socket: Socket, outgoing: ServerResponse): boolean {
    const count = this.#counts.get(socket) ?? 0;
    if (count >= MAX_UNANSWERED) return false;
    this.#counts.set(socket, count + 1);
    outgoing.once("close", () => this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1));
    return true;
  }
}
