import { randomUUID } from "node:crypto";
import { RecentMap } from "../../host/recent-map.ts";
import { type AskedItem, type RunAnswers, type SdkAnswer, saidToId, saidToItem } from "./answers.ts";
import type { Passed } from "./gated-calls.ts";

/** Maximum of calls kept in memory until they are made. */
const MAX_KNOWN = 1_000;

interface Known {
  readonly callId: string;
  readonly answers: RunAnswers;
  readonly wasAsked: boolean;
  /** The call's content: in the process that asked, `execute` gets the same object. */
  readonly content: object;
  /** The SDK's item of the call, if known. */
  readonly item?: AskedItem;
}

/** A call that the SDK lets pass, with the model's id. */
export interface Taken extends Passed {
  readonly callId: string;
}

/**
 * Maps the content of a call to its id. The SDK passes the id to the approval check, but only the content to the
 * function that makes the call. If several calls have the same content, it takes the one that the SDK lets pass. The id
 * only locates the request: the store decides about permission.
 */
export class KnownCalls {
  readonly #toolName: string;
  readonly #known = new RecentMap<string, readonly Known[]>(MAX_KNOWN);

  constructor(toolName: string) {
    this.#toolName = toolName;
  }

  /** Keeps a call in memory; `key` identifies its content. */
  note(key: string, known: Known): void {
    const isSame = ({ callId, content }: Known) => callId === known.callId && content === known.content;
    const before = this.#known.get(key) ?? [];
    const others = before.filter((one) => !isSame(one));
    this.#known.set(key, [...others, { ...before.find(isSame), ...known }].slice(-MAX_KNOWN));
  }

  /**
   * The call of this content that the SDK lets pass. If none is known (as in another process), a call that was not
   * asked about, under a new id. A call matches another object of the same content only if its item is known.
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

  /** A call that was not asked about has no approval, whatever was answered to another one of its id. */
  #said({ answers, item, callId, wasAsked }: Known): SdkAnswer {
    if (!wasAsked) return null;
    return item === undefined ? saidToId(answers, this.#toolName, callId) : saidToItem(answers, item);
  }
}
