import { visible } from "../../errors.ts";
import type { Profile } from "../../profile/profile.ts";
import { CODES, errorAnswer, hasTaskWithQuestions } from "./answers.ts";
import { type Guard, wantedTool } from "./gatekeeper.ts";
import { visibleRoots } from "./roots.ts";
import { otherSpelling } from "./spelling.ts";
import type { Turn } from "./turn.ts";
import { asShown, isWanted, type WantedMethod } from "./wanted.ts";
import { type Id, type Members, type Message, memberOf, membersOf } from "./wire.ts";

type Request = Extract<Message, { readonly kind: "request" }>;

/** So many questions of a server may be open at once. */
const MOST_OPEN = 16;
/** So many characters one may have, and all that are open together. */
const MOST_OF_ONE = 1024 ** 2;
const MOST_OF_ALL = 4 * 1024 ** 2;
const OURS = "cofferdam:server:";
const TOO_LARGE = "it is too large, or too much is open";
/** What comes of what nobody waits for any more. */
const GONE = errorAnswer(CODES.server, "it was taken back");
const NOT_FOR_SERVERS = "the server wants what no server may";

/** What a server's questions to the client are decided by, and where they go. */
export interface WantOptions {
  readonly server: string;
  readonly guard: Guard;
  readonly toClient: (members: Members) => void;
  readonly toServer: (members: Members) => void;
  /** Whether the client says that it can do it; `turn` is the request that it is wanted for, where there is one. */
  readonly can: (what: string, turn: Turn | null) => boolean;
  /** What the server can see. */
  readonly profile: () => Profile | null;
  readonly tell: (what: string, because: string) => void;
}

interface Open {
  readonly stop: AbortController;
  /** The id by which the client knows it, once it has been let pass. */
  ours: string | null;
}

/**
 * What the server wants of the client: requests of known kinds alone, of which those for the model and for the person are put
 * to the gate. The client sees ids of ours, so that no server can answer for, or be answered by, anything else.
 */
export class ServerWants {
  readonly #options: WantOptions;
  readonly #open = new Map<Id, Open>();
  readonly #atClient = new Map<string, (answer: Members) => void>();
  #count = 0;
  #length = 0;

  constructor(options: WantOptions) {
    this.#options = options;
  }

  /** True while something that the server wants is under way. */
  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** A request of the server's. */
  take(request: Request): void {
    const { id, method } = request;
    const refusal = this.#refusal(request);
    if (refusal !== null) this.#options.toServer({ id, ...refusal });
    // That we are there is all that it wants to know.
    else if (method === "ping") this.#options.toServer({ id, result: {} });
    else {
      const open: Open = { stop: new AbortController(), ours: null };
      this.#open.set(id, open);
      void this.#answer(request, open);
    }
  }

  /** The server does not want it any more. */
  cancel(id: Id): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.stop.abort();
    if (open.ours === null || !this.takeAnswer(open.ours, GONE)) return;
    this.#options.toClient({ method: "notifications/cancelled", params: { requestId: open.ours } });
  }

  /** Takes what the client answers; false for what was not asked on the server's behalf. */
  takeAnswer(id: Id | null, answer: Members): boolean {
    if (typeof id !== "string") return false;
    const settle = this.#atClient.get(id);
    this.#atClient.delete(id);
    settle?.(answer);
    return settle !== undefined;
  }

  /**
   * What an answer of the server's wants of the client before it is one: the same as it goes on, or why it does not. Each part
   * passes the gate by itself; one that does not takes the others with it.
   */
  async gated(answer: Members, turn: Turn): Promise<Members | string> {
    const [result, error] = [membersOf(answer["result"]), membersOf(answer["error"])];
    if (result !== null) return this.#gatedResult(result, turn);
    return error === null ? "the server wants nothing" : this.#gatedError(error, turn);
  }

  async #gatedResult(result: Members, turn: Turn): Promise<Members | string> {
    const given = memberOf(result, "inputRequests");
    const requests = membersOf(given ?? {});
    const doubt = otherSpelling(Object.keys(result), ["resultType", "inputRequests", "requestState"]);
    if (requests === null || doubt !== null || hasTaskWithQuestions(result)) return NOT_FOR_SERVERS;
    if (Object.keys(requests).length > MOST_OPEN) return NOT_FOR_SERVERS;
    const shown: [string, unknown][] = [];
    for (const [key, request] of Object.entries(requests)) {
      const method = memberOf(request, "method");
      const params = membersOf(memberOf(request, "params")) ?? {};
      if (method === "roots/list" && this.#options.can("roots", turn)) {
        shown.push([key, { method }]);
        continue;
      }
      if (typeof method !== "string" || !isWanted(method)) return NOT_FOR_SERVERS;
      if (!this.#options.can(method.slice(0, method.indexOf("/")), turn))
        return `the client does not do ${method}`;
      const passed = await this.#pass(method, params, turn, async (asked) => ({ method, params: asked }));
      if (typeof passed === "string") return passed;
      shown.push([key, passed]);
    }
    return { result: given === undefined ? result : { ...result, inputRequests: Object.fromEntries(shown) } };
  }

  /** Pages that a person should go to, each as a question of its own. */
  async #gatedError(error: Members, turn: Turn): Promise<Members | string> {
    const pages = memberOf(memberOf(error, "data"), "elicitations");
    if (!Array.isArray(pages)) return NOT_FOR_SERVERS;
    const elicitations: Members[] = [];
    for (const page of pages.slice(0, MOST_OPEN)) {
      const shown = await this.#pass(
        "elicitation/create",
        membersOf(page) ?? {},
        turn,
        async (asked) => asked,
      );
      if (typeof shown === "string") return shown;
      elicitations.push(shown);
    }
    const message = `the MCP server ${this.#options.server} wants its user to go to a page`;
    return { error: { code: CODES.urlElicitation, message, data: { elicitations } } };
  }

  /** Ends all that is open, without a word to anybody. */
  end(): void {
    for (const { stop } of this.#open.values()) stop.abort();
    this.#open.clear();
    this.#atClient.clear();
  }

  #refusal({ id, method }: Request): Members | null {
    if (this.#open.has(id)) return errorAnswer(CODES.invalidRequest, "another request with this id is open");
    if (this.#open.size >= MOST_OPEN) return errorAnswer(CODES.server, "too many requests are open");
    if (method === "ping") return null;
    if (method !== "roots/list" && !isWanted(method)) {
      const because = "it is no request that a server makes";
      this.#options.tell(`the request ${visible(method.slice(0, 100))}`, because);
      return errorAnswer(CODES.methodNotFound, because);
    }
    const what = method.slice(0, method.indexOf("/"));
    return this.#options.can(what, null)
      ? null
      : errorAnswer(CODES.methodNotFound, `the client does not do ${what}`);
  }

  async #answer({ id, method, params }: Request, open: Open): Promise<void> {
    const given = params ?? {};
    const ask = (shown: Members): Promise<Members> => this.#askClient(method, shown, open);
    const answer = isWanted(method)
      ? await this.#pass(method, given, null, ask, open.stop.signal)
      : await ask({});
    if (this.#open.get(id) !== open) return;
    this.#open.delete(id);
    this.#options.toServer({ id, ...(typeof answer === "string" ? denialOf(method) : answer) });
  }

  /** Puts it to the gate; what came of it, or why it did not pass. */
  async #pass(
    method: WantedMethod,
    params: Members,
    turn: Turn | null,
    run: (shown: Members) => Promise<Members>,
    signal = turn?.stop.signal ?? new AbortController().signal,
  ): Promise<Members | string> {
    const { server, guard, tell } = this.#options;
    const text = JSON.stringify(params);
    if (text.length > MOST_OF_ONE || this.#length + text.length > MOST_OF_ALL) {
      tell(`the request ${visible(method)}`, TOO_LARGE);
      return TOO_LARGE;
    }
    const tool = wantedTool(server, method, (judged) => run(asShown(server, method, judged)));
    this.#length += text.length;
    const passing = { signal, groupId: turn?.key ?? null };
    // What is judged, shown and goes on.
    const outcome = await guard(tool, JSON.parse(text), passing).finally(() => {
      this.#length -= text.length;
    });
    if (outcome.kind === "done") return membersOf(outcome.value) ?? "it was lost";
    return outcome.kind === "failed" ? "it can't be put to anybody" : outcome.reason;
  }

  #askClient(method: string, params: Members, open: Open): Promise<Members> {
    this.#count += 1;
    const id = `${OURS}${this.#count}`;
    open.ours = id;
    const { promise, resolve } = Promise.withResolvers<Members>();
    this.#atClient.set(id, (answer) => resolve(this.#shown(method, answer)));
    this.#options.toClient({ id, method, params });
    return promise;
  }

  #shown(method: string, answer: Members): Members {
    const [result, profile] = [membersOf(answer["result"]), this.#options.profile()];
    if (method !== "roots/list" || result === null) return answer;
    return profile === null ? { result: { roots: [] } } : { result: visibleRoots(result, profile) };
  }
}

/** A person who is not asked has declined, as far as the server knows; a model that is not asked answers nothing. */
function denialOf(method: string): Members {
  return method === "elicitation/create"
    ? { result: { action: "decline" } }
    : errorAnswer(CODES.rejected, "it was not allowed");
}
