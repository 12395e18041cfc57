import { type Answers, type Passed, saidTo } from "./gated-calls.ts";

/** So many calls that nobody made are kept in mind. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly callId: string;
  readonly answers: Answers;
  readonly wasAsked: boolean;
}

/** A call as the SDK lets it pass, with the id that the model gave it. */
export interface Taken extends Passed {
  readonly callId: string;
}

/**
 * Which call is which: the SDK tells the id of a call to whoever says whether it is asked about, but not to whoever makes it,
 * who gets its content alone. Of several with one content the one is taken that the SDK lets pass. This says only under which
 * id a question is to be found: what it permits is the store's to say.
 */
export class KnownCalls {
  readonly #toolName: string;
  readonly #known = new Map<string, readonly Known[]>();

  constructor(toolName: string) {
    this.#toolName = toolName;
  }

  /** Keeps a call in mind. */
  note(content: readonly unknown[], known: Known): void {
    const key = JSON.stringify(content);
    const others = (this.#known.get(key) ?? []).filter(({ callId }) => callId !== known.callId);
    this.#known.delete(key);
    this.#known.set(key, [...others, known].slice(-MOST_KNOWN));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** The call of this content that the SDK lets pass; null where none is known, as in a process that was not told. */
  take(content: readonly unknown[]): Taken | null {
    const key = JSON.stringify(content);
    const known = this.#known.get(key) ?? [];
    for (const one of known) {
      const said = saidTo(one.answers, this.#toolName, one.callId);
      if (said === "no" || (said === null && one.wasAsked)) continue;
      const rest = known.filter((other) => other !== one);
      if (rest.length === 0) this.#known.delete(key);
      else this.#known.set(key, rest);
      return { callId: one.callId, said, wasAsked: one.wasAsked };
    }
    return null;
  }
}
