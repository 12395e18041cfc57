import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ApprovalHandler } from "../../approval/handler.ts";
import { type ElicitationResult, elicitationHandler } from "../../channel/elicitation.ts";
import type { ElicitationForm } from "../../channel/elicitation-form.ts";
import { CofferdamError, escapeInvisible } from "../../errors.ts";
import type { Turn } from "./turn.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** What ids of our own questions to the client, and the states that we give it, begin with. */
export const OURS = "cofferdam:";
/** Under what a question of ours stands in an answer that wants something. */
const KEY = "cofferdam";
/** So many turns rest until they are asked for again; the oldest is forgotten before more do. */
const MOST_RESTING = 256;

/** What a client brings back; its content is looked at by whoever made the form. */
const Elicited = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).nullish(),
});

/** A question of ours that the client brings to its person. */
interface Ask {
  readonly settle: (result: ElicitationResult) => void;
  readonly fail: (cause: CofferdamError) => void;
}

/** How questions get to the client. */
export interface AskOptions {
  readonly toClient: (members: Members) => void;
  /** Tells the client of a turn what is wanted first. */
  readonly rest: (turn: Turn, result: Members) => void;
}

/**
 * Our own questions to whoever sits at the client. By a request of ours where the client keeps a session; in the stateless
 * revision as what the call wants before it is answered, and the answer comes with the same call, made again.
 */
export class ClientAsks {
  readonly #options: AskOptions;
  readonly #turns = new Map<string, Turn>();
  readonly #asks = new Map<string, Ask>();
  readonly #resting = new Map<string, { readonly turn: Turn; readonly ask: Ask }>();
  #capabilities: unknown;
  #who = "the user of the MCP client";
  #count = 0;

  constructor(options: AskOptions) {
    this.#options = options;
  }

  /** What the client says of itself when a session begins. */
  meet(params: Members | null): void {
    this.#capabilities = memberOf(params, "capabilities");
    const name = memberOf(memberOf(params, "clientInfo"), "name");
    if (typeof name === "string" && name !== "")
      this.#who = `the user of the MCP client ${escapeInvisible(name.slice(0, 64))}`;
  }

  /** Whether the client says that it can do something, as `sampling`; of a turn that says so itself, it does. */
  can(what: string, turn: Turn | null): boolean {
    const capabilities = turn?.isModern === true ? turn.capabilities : this.#capabilities;
    return membersOf(memberOf(capabilities, what)) !== null;
  }

  /** Questions about a turn get to the client by it. */
  enter(turn: Turn): void {
    this.#turns.set(turn.key, turn);
  }

  leave(turn: Turn): void {
    this.#turns.delete(turn.key);
  }

  /** Asks the client's user; says that it can't be asked where the client does not bring forms to anybody. */
  readonly handler: ApprovalHandler = {
    requestApproval: async (request, asking) => {
      const turn = request.groupId === null ? null : (this.#turns.get(request.groupId) ?? null);
      if (!this.#canBringForms(turn)) {
        const hint = "use a client that declares `elicitation`, or open a channel under `approval.channels`";
        // Who made the call reads the reason alone.
        throw new CofferdamError(
          "CHANNEL_CLOSED",
          `the MCP client brings no questions to its user: ${hint}`,
          {
            hint,
          },
        );
      }
      return elicitationHandler({
        by: this.#who,
        elicit: (form, signal) => this.#elicit(form, signal, turn),
      }).requestApproval(request, asking);
    },
  };

  /** Takes what the client answers to a request of ours; false for what is none. */
  take(id: unknown, answer: Members): boolean {
    if (typeof id !== "string") return false;
    const ask = this.#asks.get(id);
    if (ask === undefined) return false;
    this.#asks.delete(id);
    settle(ask, answer["result"]);
    return true;
  }

  /** True for a state of ours, or what looks like one. */
  isOurs(state: unknown): state is string {
    return typeof state === "string" && state.startsWith(OURS);
  }

  /** The turn that rests under a state, with the answer that came along; null where none does, or it wanted something else. */
  resume(state: string, identity: string, params: Members): Turn | null {
    const found = this.#resting.get(state);
    if (found === undefined || found.turn.identity !== identity) return null;
    this.#resting.delete(state);
    settle(found.ask, memberOf(memberOf(params, "inputResponses"), KEY));
    return found.turn;
  }

  #canBringForms(turn: Turn | null): boolean {
    const capabilities = turn?.isModern === true ? turn.capabilities : this.#capabilities;
    const declared = membersOf(memberOf(capabilities, "elicitation"));
    // Without a word about how, it is by forms (specification 2025-11-25, client/elicitation).
    return declared !== null && (Object.hasOwn(declared, "form") || !Object.hasOwn(declared, "url"));
  }

  async #elicit(form: ElicitationForm, signal: AbortSignal, turn: Turn | null): Promise<ElicitationResult> {
    const { message, requestedSchema } = form;
    const { promise, resolve, reject } = Promise.withResolvers<ElicitationResult>();
    const ask: Ask = { settle: resolve, fail: reject };
    const putAway =
      turn?.isModern === true
        ? this.#byTurn(turn, { mode: "form", message, requestedSchema }, ask)
        : this.#byRequest({ message, requestedSchema }, ask);
    const onAbort = (): void => {
      putAway();
      reject(new CofferdamError("CHANNEL_CLOSED", "the question was put away"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #byRequest(params: Members, ask: Ask): () => void {
    this.#count += 1;
    const id = `${OURS}ask:${this.#count}`;
    this.#asks.set(id, ask);
    this.#options.toClient({ id, method: "elicitation/create", params });
    return () => {
      if (!this.#asks.delete(id)) return;
      const reason = "the question was put away";
      this.#options.toClient({ method: "notifications/cancelled", params: { requestId: id, reason } });
    };
  }

  /** What nobody but we could have said stands for the turn; it stays when the question is put away: the client comes back. */
  #byTurn(turn: Turn, params: Members, ask: Ask): () => void {
    const requestState = `${OURS}${randomUUID()}`;
    const [oldest] = this.#resting;
    if (this.#resting.size >= MOST_RESTING && oldest !== undefined) {
      this.#resting.delete(oldest[0]);
      oldest[1].ask.fail(new CofferdamError("CHANNEL_CLOSED", "the MCP client did not come back"));
    }
    this.#resting.set(requestState, { turn, ask });
    const inputRequests = { [KEY]: { method: "elicitation/create", params } };
    this.#options.rest(turn, { resultType: "input_required", inputRequests, requestState });
    return () => undefined;
  }
}

function settle({ settle: resolve, fail }: Ask, given: unknown): void {
  const read = Elicited.safeParse(given);
  if (read.success) {
    const { action, content } = read.data;
    resolve({ action, ...(content == null ? {} : { content }) });
  } else fail(new CofferdamError("CHANNEL_CLOSED", "the MCP client answered what is no answer"));
}
