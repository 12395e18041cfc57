import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { answerOf } from "../channel/elicitation.ts";
import type { ElicitationForm } from "../channel/elicitation-form.ts";
import { fewChoices } from "../channel/scope-pages.ts";
import type { Outcome } from "../decide/outcome.ts";
import { CofferdamError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { callResult } from "./call-result.ts";
import { clientOf, type McpClient } from "./client.ts";
import { type ClientAsker, callKey, type McpConnection } from "./connection.ts";
import { startProgress } from "./progress.ts";

/** The key of our elicitation in `inputRequests`, for a client that sends the answer with its retry. */
const APPROVAL = "approval";
/** The maximum of a Node timer: the request has its own timeout. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** The signed `requestState` of an elicitation. It comes back with the answer, and clients cannot forge it. */
export const AskedState = z.strictObject({
  /** The id of the call, also when the client makes it again. */
  toolCallId: z.string(),
  approvalId: z.string(),
  offers: z.strictObject({ once: z.boolean(), session: z.boolean(), choices: z.array(z.string()) }),
});
export type AskedState = z.infer<typeof AskedState>;

const FormResult = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});

/** The options for the calls of one server. */
export interface CallsOptions {
  readonly server: Server;
  readonly connection: McpConnection;
  readonly states: RequestStateCodec<AskedState>;
  /** The protocol era of the client. Our server never sends requests to a `modern` client. */
  readonly era: "legacy" | "modern";
}

/** Makes a call for a client. Throws if the request itself is invalid; everything else becomes its result. */
export async function callTool(
  tool: string,
  input: unknown,
  context: ServerContext,
  options: CallsOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { connection, server, era } = options;
  const { signal } = context.mcpReq;
  const client = clientOf(server, context);
  using progress = startProgress(context);
  const began = performance.now();
  try {
    const hasForms = connection.elicits && client.hasForms;
    if (hasForms && era === "modern") return await callWithRetry(tool, input, context, client, options);
    if (!hasForms && connection.suspends)
      return callResult(await callSuspending(tool, input, signal, connection));
    const asked = hasForms
      ? { asker: askerOf(client, context) }
      : { onRequest: (approvalId: string) => progress.waitFor(approvalId) };
    return callResult(await connection.call(tool, input, { signal, ...asked }));
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return callResult({ kind: "failed", error, receipt: null, durationMs: performance.now() - began });
  }
}

/** Asks the client by elicitation while the call waits. */
function askerOf({ name }: McpClient, { mcpReq }: ServerContext): ClientAsker {
  return {
    by: name,
    elicit: ({ message, requestedSchema }, signal) =>
      mcpReq.elicitInput({ mode: "form", message, requestedSchema }, { signal, timeout: NO_TIMEOUT_MS }),
  };
}

/** The offers as a client keeps them: answers for more than one call by their names. */
function offersState({ choices, ...offers }: ElicitationForm["offers"]): AskedState["offers"] {
  return { ...offers, choices: choices.map(({ name }) => name) };
}

async function offeredBy(
  session: Session,
  { approvalId, offers }: AskedState,
): Promise<Pick<ElicitationForm, "offers">> {
  const stored = await session.find(approvalId);
  const known = stored === null ? [] : fewChoices(stored.request);
  return { offers: { ...offers, choices: known.filter(({ name }) => offers.choices.includes(name)) } };
}

/** Returns the elicitation as the result. Its answer comes with the client's retry of the same call. */
async function callWithRetry(
  tool: string,
  input: unknown,
  context: ServerContext,
  { name }: McpClient,
  { connection, states }: CallsOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { session } = connection;
  const { signal, inputResponses } = context.mcpReq;
  const asked = AskedState.safeParse(context.mcpReq.requestState()).data;
  const filled = asked === undefined ? undefined : FormResult.safeParse(inputResponses?.[APPROVAL]).data;
  if (asked !== undefined && filled !== undefined)
    await session.respond(asked.approvalId, answerOf(filled, await offeredBy(session, asked), name), name);
  const toolCallId = asked?.toolCallId ?? randomUUID();
  // An existing request is found again. If the client changed the call, its answer does not apply to this call.
  const check = await session.ask(tool, input, { signal, toolCallId, mayAsk: filled === undefined });
  switch (check.kind) {
    case "allowed":
      return callResult(await connection.call(tool, input, { signal }));
    case "approved":
      return callResult(await connection.call(tool, input, { signal, approvalId: check.approvalId }));
    case "denied":
      return callResult(check);
    case "pending": {
      const { approvalId } = check;
      const form = await connection.formFor(approvalId);
      if (form === null) return callResult(check);
      const { message, requestedSchema, offers } = form;
      return inputRequired({
        inputRequests: { [APPROVAL]: inputRequired.elicit({ mode: "form", message, requestedSchema }) },
        requestState: await states.mint({ toolCallId, approvalId, offers: offersState(offers) }, context),
      });
    }
  }
}

/** Ends as pending if the call needs approval. It runs when the client makes it again after an approval. */
async function callSuspending(
  tool: string,
  input: unknown,
  signal: AbortSignal,
  connection: McpConnection,
): Promise<Outcome> {
  const key = callKey(tool, input);
  const toolCallId = connection.callIdOf(key);
  const check = await connection.session.ask(tool, input, { signal, toolCallId, isUnique: true });
  switch (check.kind) {
    case "allowed":
      return connection.call(tool, input, { signal });
    case "approved":
      connection.awaited.delete(key);
      return connection.call(tool, input, { signal, approvalId: check.approvalId });
    case "denied": {
      // The timeout of another session's request does not answer this one.
      const isOfAnother = check.code === "APPROVAL_TIMEOUT" && !connection.awaited.has(key);
      connection.countRejection(key);
      return isOfAnother ? callSuspending(tool, input, signal, connection) : check;
    }
    case "pending":
      connection.awaited.set(key, check.approvalId);
      return check;
  }
}
