import { randomUUID } from "node:crypto";
import { RecentMap } from "../../host/recent-map.ts";
import { type Answers, type AskedItem, type Said, saidToId, saidToItem } from "./answers.ts";
import type { Passed } from "./gated-calls.ts";

/** So many calls that nobody made are kept in mind. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly callId: string;
  readonly answers: Answers;
  readonly wasAsked: boolean;
  /** What would be done: in the process that asked, the same object comes to whoever does it. */
  readonly content: object;
  /** Whose call it is, where that was told. */
  readonly item?: AskedItem;
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
  readonly #known = new RecentMap<string, readonly Known[]>(MOST_KNOWN);

  constructor(toolName: string) {
    this.#toolName = toolName;
  }

  /** Keeps a call in mind; `key` is what tells its content from others. */
  note(key: string, known: Known): void {
    const isSame = ({ callId, content }: Known) => callId === known.callId && content === known.content;
    const before = this.#known.get(key) ?? [];
    const others = before.filter((one) => !isSame(one));
    this.#known.set(key, [...others, { ...before.find(isSame), ...known }].slice(-MOST_KNOWN));
  }

  /**
   * The call of this content that the SDK lets pass; where none is known, as in a process that was not told, one that nobody was
   * asked about, under an id that no other has. Only one that is told with its agent is taken for another object of the same
   * content.
   */
  take(key: string, content: object): Taken {
    const known = this.#known.get(key) ?? [];
    const same = known.filter((one) => one.content === content);
    const one =
      same.find((its) => this.#passes(its)) ??
      same[0] ??
      known.find((its) => its.item !== undefined && this.#passes(its));
    if (one === undefined) return { callId: randomUUID(), said: null, wasAsked: false };
    const rest = known.filter(({ callId }) => callId !== one.callId);
    if (rest.length === 0) this.#known.delete(key);
    else this.#known.set(key, rest);
    return { callId: one.callId, said: this.#said(one), wasAsked: one.wasAsked };
  }

  #passes(one: Known): boolean {
    const said = this.#said(one);
    return !one.wasAsked || said === "yes" || said === "always";
  }

  /** A call that nobody was asked about is nobody's yes, whatever was said to another one of its id. */
  #said({ answers, item, callId, wasAsked }: Known): Said {
    if (!wasAsked) return null;
    return item === undefined ? saidToId(answers, this.#toolName, callId) : saidToItem(answers, item);
  }
}
