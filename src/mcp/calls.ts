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
import { answerOf as readForm } from "../channel/elicitation.ts";
import { CofferdamError } from "../errors.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import { answerOf } from "./answer.ts";
import { clientOf, type McpClient } from "./client.ts";
import type { ClientAsker, Connection } from "./connection.ts";
import { Progress } from "./progress.ts";

/** Under this name a question is put to a client that brings the answer along with the next try. */
const ANSWER = "approval";
/** As long as a timer can be: the question itself says how long it may take. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What goes along with a question, and comes back with its answer. Nobody else can make it: it is signed. */
export const AskedState = z.strictObject({
  /** Of the call that it is about, whenever it is made again. */
  toolCallId: z.string(),
  approvalId: z.string(),
  offers: z.strictObject({ once: z.boolean(), session: z.boolean() }),
});
export type AskedState = z.infer<typeof AskedState>;

/** What comes back of a form. */
const FormResult = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});

/** What calls of one server are made with. */
export interface CallsOptions {
  readonly server: Server;
  readonly connection: Connection;
  readonly states: RequestStateCodec<AskedState>;
  /** Of the protocol that the client speaks: by the current one it is never sent a request of ours. */
  readonly era: "legacy" | "modern";
}

/** Makes a call for a client. Throws what is wrong with the request itself; all else is its result. */
export async function callFor(
  tool: string,
  input: unknown,
  context: ServerContext,
  options: CallsOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { connection, server } = options;
  const client = clientOf(server, context);
  using _progress = Progress.of(context);
  const began = performance.now();
  try {
    const isAsked = connection.elicits && client.hasForms;
    if (isAsked && options.era === "modern") return await inRounds(tool, input, context, client, options);
    if (!isAsked && connection.suspends) return answerOf(await inTurns(tool, input, context, options));
    const asker = isAsked ? askerOf(client, context) : null;
    return answerOf(
      await connection.call(tool, input, { asker, signal: context.mcpReq.signal, approvalId: null }),
    );
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return answerOf({ kind: "failed", error, receipt: null, durationMs: performance.now() - began });
  }
}

/** The client is asked while the call stands still. */
function askerOf({ name }: McpClient, { mcpReq }: ServerContext): ClientAsker {
  return {
    by: name,
    elicit: ({ message, requestedSchema }, signal) =>
      mcpReq.elicitInput({ mode: "form", message, requestedSchema }, { signal, timeout: NO_TIMEOUT_MS }),
  };
}

/** The question is the result; its answer comes with the same call, made once more. */
async function inRounds(
  tool: string,
  input: unknown,
  context: ServerContext,
  { name }: McpClient,
  { connection, states }: CallsOptions,
): Promise<CallToolResult | InputRequiredResult> {
  const { session } = connection;
  const { signal, inputResponses } = context.mcpReq;
  const asked = AskedState.safeParse(context.mcpReq.requestState()).data;
  const filled = asked === undefined ? undefined : FormResult.safeParse(inputResponses?.[ANSWER]).data;
  if (asked !== undefined && filled !== undefined)
    await session.respond(asked.approvalId, readForm(filled, asked, name), name);
  const toolCallId = asked?.toolCallId ?? randomUUID();
  const clearance = await session.ask(tool, input, {
    signal,
    toolCallId,
    // What was asked is found; whoever changed the call meanwhile has no answer to this one.
    mayAsk: filled === undefined,
  });
  const call = (approvalId: string | null): Promise<Outcome> =>
    connection.call(tool, input, { asker: null, signal, approvalId });
  switch (clearance.kind) {
    case "allowed":
      return answerOf(await call(null));
    case "approved":
      return answerOf(await call(clearance.approvalId));
    case "denied":
      return answerOf(clearance);
    case "pending": {
      const form = await connection.formFor(clearance.approvalId);
      if (form === null) return answerOf(clearance);
      const { message, requestedSchema, offers } = form;
      return inputRequired({
        inputRequests: { [ANSWER]: inputRequired.elicit({ mode: "form", message, requestedSchema }) },
        requestState: await states.mint({ toolCallId, approvalId: clearance.approvalId, offers }, context),
      });
    }
  }
}

/** Nobody is asked here: the call ends as pending, and runs when it is made again after somebody's yes. */
async function inTurns(
  tool: string,
  input: unknown,
  context: ServerContext,
  options: CallsOptions,
): Promise<Outcome> {
  const { signal } = context.mcpReq;
  const { connection } = options;
  const clearance = await connection.session.ask(tool, input, {
    signal,
    toolCallId: connection.nameOf(tool, input),
    isUnique: true,
  });
  switch (clearance.kind) {
    case "allowed":
      return connection.call(tool, input, { asker: null, signal, approvalId: null });
    case "approved":
      connection.waitFor(tool, input, null);
      return connection.call(tool, input, { asker: null, signal, approvalId: clearance.approvalId });
    case "denied": {
      // That nobody answered another session in time is no answer to this one.
      const isOthers = clearance.code === "APPROVAL_TIMEOUT" && !connection.isWaiting(tool, input);
      connection.isTold(tool, input);
      return isOthers ? inTurns(tool, input, context, options) : clearance;
    }
    case "pending":
      connection.waitFor(tool, input, clearance.approvalId);
      return clearance;
  }
}
