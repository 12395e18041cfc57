import type { Socket } from "node:net";
import type { Limits } from "../profile/limits.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";
import type { HostAndPort } from "../tool/fetch/reach.ts";

/** The limits and the byte count that all connections of a call share. */
export interface Meter {
  readonly limits: Pick<Limits, "transferBytes" | "connectionMs">;
  /** Adds transferred bytes; returns the total of all connections of the call. */
  readonly add: (sentBytes: number, receivedBytes: number) => number;
  readonly onBound: (reason: string) => void;
  readonly onClosed: (connection: CountedConnection) => void;
}

/** The reason when a call has transferred its maximum of bytes. */
export const ALL_TRANSFERRED = "the call has reached its limit `transfer`";

/** A connection to an allowed place, counted for as long as its socket lives. */
export class CountedConnection {
  readonly place: HostAndPort;
  readonly socket: Socket;
  /** True if a TLS hello on it must ask for its host. */
  readonly isStrict: boolean;
  /** The proxy that plain pages are requested from by full URL; null: the connection leads to the host itself. */
  readonly pagesBy: UpstreamProxy | null;
  readonly #meter: Meter;
  readonly #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #received = 0;

  constructor(
    place: HostAndPort,
    socket: Socket,
    { isStrict, pagesBy }: Pick<CountedConnection, "isStrict" | "pagesBy">,
    meter: Meter,
  ) {
    this.place = place;
    this.pagesBy = pagesBy;
    this.socket = socket;
    this.isStrict = isStrict;
    this.#meter = meter;
    const { connectionMs } = meter.limits;
    if (connectionMs !== undefined)
      this.#timer = setTimeout(() => this.#end("the connection has reached `connection_time`"), connectionMs);
    socket.once("close", () => {
      clearTimeout(this.#timer);
      this.tally();
      meter.onClosed(this);
    });
  }

  /** Counts transferred bytes; closes the connection if the call exceeds its maximum. */
  moved(): void {
    const { transferBytes } = this.#meter.limits;
    if (transferBytes !== undefined && this.tally() > transferBytes) this.#end(ALL_TRANSFERRED);
  }

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
