import type { Socket } from "node:net";
import type { Limits } from "../profile/limits.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { Place } from "../tool/fetch/reach.ts";

/** What a call's connections have in common: the bounds, what was moved by all of them, and who is told. */
export interface Meter {
  readonly limits: Pick<Limits, "transferBytes" | "connectionMs">;
  /** Adds bytes that were moved; what all connections of the call have moved by now. */
  readonly add: (sentBytes: number, receivedBytes: number) => number;
  /** A bound was reached, in words. */
  readonly onBound: (reason: string) => void;
  readonly onClosed: (connection: Connection) => void;
}

/** What is said where a call has moved all that it may. */
export const ALL_TRANSFERRED = "the call has sent and received as much as it may";

/** A connection to where a call may connect, counted for as long as its socket lasts. */
export class Connection {
  readonly place: Place;
  readonly socket: Socket;
  /** Whether a TLS hello on it has to ask for its host. */
  readonly isStrict: boolean;
  /** The proxy that plain pages are asked of on it, by their whole URL; null: the host itself is at its end. */
  readonly pagesBy: UpstreamProxy | null;
  readonly #meter: Meter;
  readonly #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #received = 0;

  constructor(
    place: Place,
    socket: Socket,
    { isStrict, pagesBy }: Pick<Connection, "isStrict" | "pagesBy">,
    meter: Meter,
  ) {
    this.place = place;
    this.pagesBy = pagesBy;
    this.socket = socket;
    this.isStrict = isStrict;
    this.#meter = meter;
    const { connectionMs } = meter.limits;
    if (connectionMs !== undefined)
      this.#timer = setTimeout(() => this.#end("the connection lasted for as long as it may"), connectionMs);
    socket.once("close", () => {
      clearTimeout(this.#timer);
      this.tally();
      meter.onClosed(this);
    });
  }

  /** Something went through it: where that is more than the call may move, it is closed. */
  moved(): void {
    const { transferBytes } = this.#meter.limits;
    if (transferBytes !== undefined && this.tally() > transferBytes) this.#end(ALL_TRANSFERRED);
  }

  /** Adds what went through it since the last time; what all connections of the call have moved by now. */
  tally(): number {
    const { bytesWritten, bytesRead } = this.socket;
    const total = this.#meter.add(bytesWritten - this.#sent, bytesRead - this.#received);
    this.#sent = bytesWritten;
    this.#received = bytesRead;
    return total;
  }

  #end(reason: string): void {
    if (this.socket.destroyed) return;
    this.#meter.onBound(reason);
    this.socket.destroy();
  }
}
