import type { Socket } from "node:net";
import type { EgressBecause, EgressRefusal } from "./account.ts";
import type { CallEgress } from "./call-egress.ts";
import type { Callers } from "./callers.ts";

/** How far programs may try a proxy's patience. */
export interface ProxyBounds {
  /** So many may be connected at once of which it is not known which call they are of: each call bounds its own. */
  readonly mostClients: number;
  /** How long one may take to say what it wants, in milliseconds. */
  readonly headMs: number;
}

/** The usual time for that. */
export const HEAD_MS = 10_000;

/** Programs that are connected to a proxy: whose they are, and how long they may take. */
export class Clients implements Disposable {
  readonly #callers: Callers;
  readonly #bounds: ProxyBounds;
  readonly #all = new Set<Socket>();
  /** Those that have not shown a secret, the first first. */
  readonly #unknown = new Set<Socket>();
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();
  /** How many requests of a client are being answered: it may send the next ones before. */
  readonly #asked = new WeakMap<Socket, number>();

  constructor(callers: Callers, bounds: ProxyBounds) {
    this.#callers = callers;
    this.#bounds = bounds;
  }

  /**
   * Takes one that has just come. Where there are too many already, the one that has been silent for longest goes: a
   * program says at once what it wants, so that those that never do keep none of them out.
   */
  add(client: Socket): void {
    const { mostClients } = this.#bounds;
    const [oldest] = this.#unknown;
    if (oldest !== undefined && this.#unknown.size >= mostClients) {
      this.note("limit", `${mostClients} programs are connected to the proxy already`);
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

  /** Whose a client is by the secret that it shows; null for nobody's, and where too many of the call are connected. */
  callerOf(client: Socket, secret: string, place: Pick<EgressRefusal, "host" | "port">): CallEgress | null {
    const egress = this.#callers.find(secret, place);
    if (egress === null || !egress.admit(client)) return null;
    this.#unknown.delete(client);
    return egress;
  }

  /** It has said what it wants: a request of it is being answered. */
  asked(client: Socket): void {
    this.#count(client, 1);
  }

  /** Whether a request of it is being answered. */
  isAsking(client: Socket): boolean {
    return (this.#asked.get(client) ?? 0) > 0;
  }

  /** One was answered: the next is waited for. */
  answered(client: Socket): void {
    this.#count(client, -1);
  }

  /** Somebody came who did not get as far as to say what they want. */
  note(because: Extract<EgressBecause, "malformed" | "limit">, reason: string): void {
    this.#callers.note(because, reason);
  }

  /** Closes every connection. */
  [Symbol.dispose](): void {
    for (const client of this.#all) client.destroy();
  }

  #count(client: Socket, more: 1 | -1): void {
    const now = (this.#asked.get(client) ?? 0) + more;
    this.#asked.set(client, now);
    if (now > 0) clearTimeout(this.#timers.get(client));
    else this.#await(client);
  }

  /** It has to say something soon. */
  #await(client: Socket): void {
    clearTimeout(this.#timers.get(client));
    if (client.destroyed) return;
    const { headMs } = this.#bounds;
    const late = (): void => {
      this.note("limit", `nobody said within ${headMs / 1000} s what is wanted of the proxy`);
      client.destroy();
    };
    // Calls keep a process going, not what waits for them.
    this.#timers.set(client, setTimeout(late, headMs).unref());
  }
}
