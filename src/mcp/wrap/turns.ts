import { answerOf, CODES, errorAnswer } from "./answers.ts";
import { type ClientAsks, OURS } from "./asks.ts";
import { Turn } from "./turn.ts";
import { type Id, type Members, type Message, memberOf } from "./wire.ts";

type Request = Extract<Message, { readonly kind: "request" }>;

/** So many requests of the client may be under way. */
const MOST_OPEN = 1_000;

/** What is done with the client's requests. */
export interface TurnOptions {
  readonly asks: ClientAsks;
  readonly toClient: (members: Members) => void;
  /** Does what a request wants; what the client is told, null where it wants to hear nothing. */
  readonly take: (turn: Turn, hasParams: boolean) => Promise<Members | null>;
}

/** The requests that the client waits for: each is answered once, under the id that it has by then. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #open = new Map<Id, Turn>();
  #count = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Begins what a request wants, or goes on with it where it is made again with what we asked for. */
  begin(request: Request): void {
    const { asks, toClient } = this.#options;
    const { id, params } = request;
    const because = this.#refusal(id);
    const given = params ?? {};
    const state = memberOf(given, "requestState");
    if (because !== null) toClient({ id, ...errorAnswer(CODES.invalidRequest, because) });
    else if (asks.isOurs(state)) this.#resume(request, given, state);
    else this.#first(request, given);
  }

  #first({ id, method, params }: Request, given: Members): void {
    this.#count += 1;
    const turn = new Turn(`mcp-${this.#count}`, id, method, given);
    this.#open.set(id, turn);
    this.#options.asks.enter(turn);
    void this.#take(turn, params !== null);
  }

  async #take(turn: Turn, hasParams: boolean): Promise<void> {
    try {
      this.#finish(turn, await this.#options.take(turn, hasParams));
    } catch (error) {
      this.#finish(turn, answerOf({ kind: "failed", error }, turn.isModern));
    }
  }

  /** The client is told what is wanted first, and comes back with it. */
  rest(turn: Turn, result: Members): void {
    const { id } = turn;
    if (id === null) {
      turn.answer = { result };
      return;
    }
    this.#open.delete(id);
    turn.id = null;
    this.#options.toClient({ id, result });
  }

  /** The client does not want it any more; null where it waits for no such request. */
  cancel(id: Id): Turn | null {
    const turn = this.#open.get(id) ?? null;
    if (turn === null) return null;
    this.#forget(turn);
    turn.stop.abort();
    return turn;
  }

  /** All that the client waits for gets this answer. */
  end(answer: Members): void {
    for (const turn of [...this.#open.values()]) {
      const { id } = turn;
      this.#forget(turn);
      turn.stop.abort();
      if (id !== null) this.#options.toClient({ id, ...answer });
    }
  }

  #refusal(id: Id): string | null {
    if (this.#open.has(id)) return "another request with this id is open";
    if (typeof id === "string" && id.startsWith(OURS)) return "no id of the client's begins like this";
    return this.#open.size >= MOST_OPEN ? "too many requests are open" : null;
  }

  #resume({ id, method }: Request, given: Members, state: string): void {
    const { asks, toClient } = this.#options;
    const turn = asks.resume(state, new Turn("", id, method, given).identity, given);
    if (turn === null) {
      const because = "nothing waits for this, or it was asked for another request";
      toClient({ id, ...errorAnswer(CODES.invalidParams, because) });
      return;
    }
    turn.returns(id, given);
    this.#open.set(id, turn);
    const { answer } = turn;
    turn.answer = null;
    if (answer !== null) this.#finish(turn, answer);
  }

  #finish(turn: Turn, members: Members | null): void {
    const { id } = turn;
    if (id === null) turn.answer = members;
    else if (members !== null && this.#open.get(id) === turn) this.#options.toClient({ id, ...members });
    this.#forget(turn);
  }

  #forget(turn: Turn): void {
    if (turn.id !== null && this.#open.get(turn.id) === turn) this.#open.delete(turn.id);
    this.#options.asks.leave(turn);
  }
}
