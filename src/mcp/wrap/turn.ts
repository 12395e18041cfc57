import { type Id, type Members, memberOf } from "./wire.ts";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

/** The parts of a request that come anew when it is made again with what was asked for. */
const OF_A_RETRY: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/**
 * One request of the client's, from its arrival to its answer. In the stateless revision it may be made again, with what was
 * asked for, under another id: it is the same turn then.
 */
export class Turn {
  /** What questions about it are known by. */
  readonly key: string;
  readonly method: string;
  /** Whether it says itself all that there is to know of the client. */
  readonly isModern: boolean;
  readonly capabilities: unknown;
  readonly stop = new AbortController();
  /** The id that the client waits for; null while it waits for none. */
  id: Id | null;
  /** The id by which the server knows it, once it has been sent on. */
  sentAs: Id | null = null;
  /** Its answer, where it came while the client waited for none. */
  answer: Members | null = null;
  readonly #params: Members;
  #meta: unknown;
  #identity: string | null = null;

  constructor(key: string, id: Id, method: string, params: Members) {
    this.key = key;
    this.method = method;
    const meta = memberOf(params, "_meta");
    this.isModern = typeof memberOf(meta, VERSION_KEY) === "string";
    this.capabilities = memberOf(meta, CAPABILITIES_KEY);
    this.id = id;
    this.#params = params;
    this.#meta = meta;
  }

  /** What makes it the same request when it comes again. */
  get identity(): string {
    this.#identity ??= identityOf(this.method, this.#params);
    return this.#identity;
  }

  /** Its params as they go on: as they came at first, but for what is no part of the request itself. */
  get params(): Members {
    return this.#meta === undefined ? this.#params : { ...this.#params, _meta: this.#meta };
  }

  /** The client makes it again. */
  returns(id: Id, params: Members): void {
    this.id = id;
    this.#meta = memberOf(params, "_meta");
  }
}

/** Requests with the same identity want the same. Spelled otherwise, it may be another one: never the other way round. */
function identityOf(method: string, params: Members): string {
  const own = Object.entries(params).filter(([name]) => !OF_A_RETRY.has(name));
  return JSON.stringify([method, own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
