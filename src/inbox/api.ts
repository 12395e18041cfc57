import type { AcceptedAnswer, ShownRequest, Snapshot } from "../http/schemas.ts";
import type { Scope, ScopeLimits } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";

/** A refusal by the server. */
export interface RefusedReply {
  readonly kind: "refused";
  /** HTTP status; 0 if the server could not be reached. */
  readonly status: number;
  readonly message: string;
}

/** The requested data, or the reason why it is not available. */
export type ApiReply<Data> = { readonly kind: "given"; readonly data: Data } | RefusedReply;

/** The body of an answer, as the server accepts it. */
export interface AnswerWords {
  readonly approved: boolean;
  readonly scope?: Scope;
  readonly limits?: ScopeLimits;
  /** For a rejection that holds for the session. */
  readonly lasts?: "session";
  readonly note?: string;
}

/** All requests of a run, or of one turn in it. */
export interface Several {
  readonly runId: string;
  readonly groupId?: string;
}

/** The client of the server that sent the page. Both have the same version, so answers fit. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  snapshot(): Promise<ApiReply<Snapshot>> {
    return this.#ask("approvals", {}, isSnapshot);
  }

  show(approvalId: string): Promise<ApiReply<ShownRequest>> {
    return this.#ask(`approvals/${encodeURIComponent(approvalId)}`, {}, isShown);
  }

  answer(approvalId: string, words: AnswerWords): Promise<ApiReply<AcceptedAnswer>> {
    return this.#ask(`approvals/${encodeURIComponent(approvalId)}`, posted(words), isAccepted);
  }

  rejectAll(filter: Several, note: string): Promise<ApiReply<unknown>> {
    return this.#ask(
      "approvals",
      posted({ filter, approved: false, ...(note === "" ? {} : { note }) }),
      isAnything,
    );
  }

  async grants(): Promise<ApiReply<readonly Grant[]>> {
    const reply = await this.#ask("grants", {}, isGrants);
    return reply.kind === "given" ? { kind: "given", data: reply.data.grants } : reply;
  }

  revoke(grantId: string): Promise<ApiReply<unknown>> {
    return this.#ask(`grants/${encodeURIComponent(grantId)}`, { method: "DELETE" }, isAnything);
  }

  /** The stream of events after `lastEventId`. Throws what `fetch` throws. */
  events(lastEventId: string, signal: AbortSignal): Promise<Response> {
    return fetch("events", { ...this.#with({ "last-event-id": lastEventId }), signal });
  }

  async #ask<Data>(
    path: string,
    init: RequestInit,
    isData: (given: unknown) => given is Data,
  ): Promise<ApiReply<Data>> {
    try {
      const type: Record<string, string> =
        init.body === undefined ? {} : { "content-type": "application/json" };
      const response = await fetch(path, { ...init, ...this.#with(type) });
      const given: unknown = await response.json();
      if (response.ok && isData(given)) return { kind: "given", data: given };
      return { kind: "refused", status: response.status, message: messageOf(given) };
    } catch {
      return { kind: "refused", status: 0, message: "the server can't be reached" };
    }
  }

  #with(headers: Readonly<Record<string, string>>): RequestInit {
    return {
      headers: { ...headers, authorization: `Bearer ${this.#token}` },
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
    };
  }
}

function posted(value: unknown): RequestInit {
  return { method: "POST", body: JSON.stringify(value) };
}

function messageOf(given: unknown): string {
  const error = isObject(given) && isObject(given["error"]) ? given["error"] : {};
  const said = [error["message"], error["hint"]].filter((one) => typeof one === "string" && one !== "");
  return said.length === 0 ? "the answer of the server is invalid" : said.join("; ");
}

function isObject(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === "object" && given !== null;
}

function isSnapshot(given: unknown): given is Snapshot {
  return isObject(given) && Array.isArray(given["pending"]) && typeof given["lastEventId"] === "string";
}

function isShown(given: unknown): given is ShownRequest {
  return isObject(given) && isObject(given["request"]) && typeof given["status"] === "string";
}

function isAccepted(given: unknown): given is AcceptedAnswer {
  return isObject(given) && "decision" in given;
}

function isGrants(given: unknown): given is { readonly grants: readonly Grant[] } {
  return isObject(given) && Array.isArray(given["grants"]);
}

function isAnything(_given: unknown): _given is unknown {
  return true;
}
