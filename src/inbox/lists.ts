import type { Grant } from "../policy/grant.ts";
import { type Card, decidedCard, waitingCard } from "./card.ts";
import type { InboxState } from "./desk.ts";
import { button, element, fill, foreign, part, say } from "./dom.ts";

/** The actions in the lists. */
export interface ListActs {
  readonly onChoose: (approvalId: string) => void;
  readonly onRevoke: (grantId: string) => void;
}

/** The lists of pending requests, decided requests and grants. */
export class RequestLists {
  readonly #acts: ListActs;
  /** Cards by request id: cards of remaining requests are reused. */
  readonly #waiting = new Map<string, Card>();
  readonly #decided = new Map<string, Card>();
  readonly #rows = {
    waiting: part("waiting", HTMLElement),
    decided: part("decided", HTMLElement),
    grants: part("grants", HTMLElement),
  };

  constructor(acts: ListActs) {
    this.#acts = acts;
  }

  /** Draws the lists, with the selected request marked. */
  show(desk: InboxState, chosen: string | null, now: number): void {
    const { onChoose } = this.#acts;
    keep(this.#rows.waiting, this.#waiting, desk.waiting, (request, id) =>
      waitingCard(request, () => onChoose(id)),
    );
    keep(this.#rows.decided, this.#decided, desk.decided, (one, id) => decidedCard(one, () => onChoose(id)));
    setCount("waiting", desk.waiting.size);
    setCount("decided", desk.decided.size);
    for (const cards of [this.#waiting, this.#decided])
      for (const [id, card] of cards) card.choose(id === chosen);
    this.tick(now);
  }

  showGrants(grants: readonly Grant[]): void {
    fill(this.#rows.grants, ...grants.map((grant) => this.#grantRow(grant)));
    setCount("grants", grants.length);
  }

  tick(now: number): void {
    for (const cards of [this.#waiting, this.#decided]) for (const card of cards.values()) card.tick(now);
  }

  reveal(approvalId: string): void {
    const card = this.#waiting.get(approvalId) ?? this.#decided.get(approvalId);
    card?.item.scrollIntoView({ block: "nearest" });
  }

  #grantRow({ grantId, tool, covers, by, sessionId }: Grant): HTMLElement {
    return element(
      "li",
      { class: "grant" },
      element(
        "div",
        {},
        element("p", { class: "tool" }, foreign(tool, "code")),
        element("p", { class: "what" }, foreign(covers, "code")),
        element("p", { class: "who" }, "by ", foreign(by, "code"), ", in ", foreign(sessionId, "code")),
      ),
      button(["Revoke"], { class: "quiet" }, () => this.#acts.onRevoke(grantId)),
    );
  }
}

/** Keeps one card per item, in order, and removes cards of items that are gone. */
function keep<One>(
  into: HTMLElement,
  cards: Map<string, Card>,
  all: ReadonlyMap<string, One>,
  make: (one: One, id: string) => Card,
): void {
  for (const [id, { item }] of [...cards]) {
    if (all.has(id)) continue;
    item.remove();
    cards.delete(id);
  }
  let index = 0;
  for (const [id, one] of all) {
    const card = cards.get(id) ?? make(one, id);
    cards.set(id, card);
    const there = into.children.item(index);
    if (there !== card.item) into.insertBefore(card.item, there);
    index += 1;
  }
}

function setCount(what: "waiting" | "decided" | "grants", count: number): void {
  say(part(`${what}-count`, HTMLElement), count === 0 ? "" : String(count));
  part(`${what}-nothing`, HTMLElement).hidden = count > 0;
}
