import type { Socket } from "node:net";
import type { EgressBecause, EgressRefusal } from "./account.ts";
import type { CallEgress } from "./call-egress.ts";
import type { Callers } from "./callers.ts";

/** Limits on a proxy's clients. */
export interface ProxyBounds {
  /** Maximum of concurrent connections whose call is not known yet: each call bounds its own. */
  readonly maxClients: number;
  /** How long a client may take to send a request, in milliseconds. */
  readonly headMs: number;
}

/** The default of `headMs`. */
export const HEAD_MS = 10_000;

/** The clients of a proxy: which call each belongs to, and how long it may take. */
export class Clients implements Disposable {
  readonly #callers: Callers;
  readonly #bounds: ProxyBounds;
  readonly #all = new Set<Socket>();
  /** Clients that have not shown a secret, oldest first. */
  readonly #unknown = new Set<Socket>();
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();
  /** The number of requests of a client that are being answered: it may send the next ones before. */
  readonly #asked = new WeakMap<Socket, number>();

  constructor(callers: Callers, bounds: ProxyBounds) {
    this.#callers = callers;
    this.#bounds = bounds;
  }

  /** Adds a client; if there are too many, closes the longest silent one. Programs send a request at once. */
  add(client: Socket): void {
    const { maxClients } = this.#bounds;
    const [oldest] = this.#unknown;
    if (oldest !== undefined && this.#unknown.size >= maxClients) {
      this.note("limit", `${maxClients} programs are already connected to the proxy`);
      this.#unknown.delete(oldest);
      oldest.destroy();
    }
    this.#all.add(client);
    this.#unknown.add(client);
    client.once("close", () => {
      this.#all.delete(client);
      this.#unknown.delete(client);
      clearTimeout(this.#timers.get(client));
    });
    this.#await(client);
  }

  /** The call of a client by the secret it shows; null for an unknown secret, or if the call has too many clients. */
  callerOf(client: Socket, secret: string, place: Pick<EgressRefusal, "host" | "port">): CallEgress | null {
    const egress = this.#callers.find(secret, place);
    if (egress === null || !egress.admit(client)) return null;
    this.#unknown.delete(client);
    return egress;
  }

  asked(client: Socket): void {
    this.#count(client, 1);
  }

  isAsking(client: Socket): boolean {
    return (this.#asked.get(client) ?? 0) > 0;
  }

  answered(client: Socket): void {
    this.#count(client, -1);
  }

  note(because: Extract<EgressBecause, "malformed" | "limit">, reason: string): void {
    this.#callers.note(because, reason);
  }

  [Symbol.dispose](): void {
    for (const client of this.#all) client.destroy();
  }

  #count(client: Socket, more: 1 | -1): void {
    const now = (this.#asked.get(client) ?? 0) + more;
    this.#asked.set(client, now);
    if (now > 0) clearTimeout(this.#timers.get(client));
    else this.#await(client);
  }

  #await(client: Socket): void {
    clearTimeout(this.#timers.get(client));
    if (client.destroyed) return;
    const { headMs } = this.#bounds;
    const late = (): void => {
      this.note("limit", `the proxy got no request within ${headMs / 1000} s`);
      client.destroy();
    };
    // Calls keep a process alive; waiting for their programs does not.
    this.#timers.set(client, setTimeout(late, headMs).unref());
  }
}
