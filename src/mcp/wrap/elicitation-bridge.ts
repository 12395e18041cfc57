import { z } from "zod";
import type { ApprovalHandler } from "../../approval/handler.ts";
import { type ElicitationResult, elicitationHandler } from "../../channel/elicitation.ts";
import type { ElicitationForm } from "../../channel/elicitation-form.ts";
import { CofferdamError, escapeInvisible } from "../../errors.ts";
import type { ClientOutput } from "./client-output.ts";
import { type ClientRequest, type ClientRequests, OWN_PREFIX } from "./client-requests.ts";
import { type Id, type JsonObject, memberOf, objectOf } from "./json-rpc.ts";

const INPUT_KEY = "cofferdam";
const DISMISSED = "the approval request was dismissed";

/** The client's elicitation result. The author of the form checks its content. */
const Elicited = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).nullish(),
});

/** Asks the client's user: by a request in a session, else by the result of the call, which the client then retries. */
export class ElicitationBridge {
  readonly #client: ClientOutput;
  readonly #requests: ClientRequests;
  readonly #waiting = new Map<Id, (result: unknown) => void>();
  #capabilities: unknown;
  #user = "the user of the MCP client";
  #count = 0;

  constructor(client: ClientOutput, requests: ClientRequests) {
    this.#client = client;
    this.#requests = requests;
  }

  onInitialize(params: JsonObject | null): void {
    this.#capabilities = memberOf(params, "capabilities");
    const name = memberOf(memberOf(params, "clientInfo"), "name");
    if (typeof name === "string" && name !== "")
      this.#user = `the user of the MCP client ${escapeInvisible(name.slice(0, 64))}`;
  }

  /** The client's declaration of a capability, such as `sampling`; null for none. A stateless request has its own. */
  capability(name: string, request: ClientRequest | null): JsonObject | null {
    return objectOf(memberOf(request?.isModern === true ? request.capabilities : this.#capabilities, name));
  }

  /** Asks the client's user. Throws `CHANNEL_CLOSED` if the client does not support form elicitation. */
  readonly handler: ApprovalHandler = {
    requestApproval: async (approval, asking) => {
      const request = this.#requests.find(approval.groupId);
      const declared = this.capability("elicitation", request);
      // Without a declared mode, forms are supported (specification 2025-11-25, client/elicitation).
      if (declared === null || (!Object.hasOwn(declared, "form") && Object.hasOwn(declared, "url"))) {
        const hint = "use a client that declares `elicitation`, or open a channel under `approval.channels`";
        // The caller only sees the reason, so the hint is part of it.
        const reason = `the MCP client can't ask its user: ${hint}`;
        throw new CofferdamError("CHANNEL_CLOSED", reason, { hint });
      }
      return elicitationHandler({
        by: this.#user,
        elicit: (form, signal) => this.#elicit(form, signal, request),
      }).requestApproval(approval, asking);
    },
  };

  /** Handles the client's response to a request. False if it is not one of ours. */
  handleResponse(id: Id | null, response: JsonObject): boolean {
    const resolve = id === null ? undefined : this.#waiting.get(id);
    if (id === null || resolve === undefined) return false;
    this.#waiting.delete(id);
    resolve(response["result"]);
    return true;
  }

  async #elicit(
    { message, requestedSchema }: ElicitationForm,
    signal: AbortSignal,
    request: ClientRequest | null,
  ): Promise<ElicitationResult> {
    const method = "elicitation/create";
    const params = { message, requestedSchema };
    if (request?.isModern === true) {
      const inputRequests = { [INPUT_KEY]: { method, params: { mode: "form", ...params } } };
      const responses = this.#requests.requireInput(request, inputRequests);
      return readResult(memberOf(await unlessAborted(responses, signal), INPUT_KEY));
    }
    this.#count += 1;
    const id = `${OWN_PREFIX}ask:${this.#count}`;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    this.#client.send({ id, method, params });
    try {
      return readResult(await unlessAborted(promise, signal));
    } finally {
      const isUnanswered = this.#waiting.delete(id);
      const cancelled = { method: "notifications/cancelled", params: { requestId: id, reason: DISMISSED } };
      if (isUnanswered) this.#client.send(cancelled);
    }
  }
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(new CofferdamError("CHANNEL_CLOSED", DISMISSED));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function readResult(result: unknown): ElicitationResult {
  const read = Elicited.safeParse(result);
  if (!read.success)
    throw new CofferdamError("CHANNEL_CLOSED", "the MCP client sent an invalid elicitation result");
  const { action, content } = read.data;
  return { action, ...(content == null ? {} : { content }) };
}
