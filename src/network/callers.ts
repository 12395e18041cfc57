import { sha256 } from "../profile/digest.ts";
import type { EgressBecause, EgressRefusal } from "./account.ts";
import type { CallEgress } from "./call-egress.ts";

/** The calls that a proxy serves, by the secret that their programs show. */
export class Callers {
  readonly #calls = new Map<string, CallEgress>();
  /** The call that wrong secrets are reported to; null if the program's call is unknown. */
  readonly #owner: CallEgress | null;

  /** `owner`: the one call whose programs reach the proxy at all. */
  constructor(owner: CallEgress | null) {
    this.#owner = owner;
    if (owner !== null) this.add(owner);
  }

  /** Serves the call until disposal. */
  add(egress: CallEgress): Disposable {
    const key = sha256(egress.secret);
    this.#calls.set(key, egress);
    return { [Symbol.dispose]: () => this.#calls.delete(key) };
  }

  /** The call of a secret, whose timing reveals no secret; null if unknown, or if the call is over. */
  find(secret: string, place: Pick<EgressRefusal, "host" | "port">): CallEgress | null {
    const found = this.#calls.get(sha256(secret)) ?? null;
    if (found !== null && !found.isOver) return found;
    this.#owner?.refuse(place, "credential", "the proxy got another secret than the call's");
    return null;
  }

  note(because: Extract<EgressBecause, "malformed" | "limit">, reason: string): void {
    this.#owner?.refuse({ host: null, port: null }, because, reason);
  }
}
