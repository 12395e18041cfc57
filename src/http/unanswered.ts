import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** So many requests of one connection may wait until their answers are taken. Browsers send one after the other. */
const MOST = 4;

/** Counts for each connection the requests whose answers it has not taken. */
export class Unanswered {
  readonly #counts = new WeakMap<Socket, number>();

  /**
   * Counts one until its answer is through: handed to the system whole, so that of what is not read no more waits here.
   * False where there are too many.
   */
  add(socket: Socket, outgoing: ServerResponse): boolean {
    const count = this.#counts.get(socket) ?? 0;
    if (count >= MOST) return false;
    this.#counts.set(socket, count + 1);
    outgoing.once("close", () => this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1));
    return true;
  }
}
