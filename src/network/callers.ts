import { sha256 } from "../profile/digest.ts";
import type { EgressBecause, EgressRefusal } from "./account.ts";
import type { CallEgress } from "./call-egress.ts";

/** The calls that a proxy serves, by what their programs show to it. */
export class Callers {
  readonly #calls = new Map<string, CallEgress>();
  /** Whom it is told that something wrong was shown; null: it can't be told whose program that was. */
  readonly #owner: CallEgress | null;

  /** `owner`: the one call whose programs reach the proxy at all. */
  constructor(owner: CallEgress | null) {
    this.#owner = owner;
    if (owner !== null) this.add(owner);
  }

  /** From now on until disposal the call is served. */
  add(egress: CallEgress): Disposable {
    const key = keyOf(egress.secret);
    this.#calls.set(key, egress);
    return { [Symbol.dispose]: () => this.#calls.delete(key) };
  }

  /** The call of a secret; null for one that is nobody's, or whose call is over. How long it takes says nothing of secrets. */
  find(secret: string, place: Pick<EgressRefusal, "host" | "port">): CallEgress | null {
    const found = this.#calls.get(keyOf(secret)) ?? null;
    if (found !== null && !found.isOver) return found;
    this.#owner?.refuse(place, "credential", "what was shown to the proxy is not the call's own secret");
    return null;
  }

  /** Somebody came who did not get as far as to say what they want. */
  note(because: Extract<EgressBecause, "malformed" | "limit">, reason: string): void {
    this.#owner?.refuse({ host: null, port: null }, because, reason);
  }
}

function keyOf(secret: string): string {
  return sha256(secret);
}
