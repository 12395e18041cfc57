import type { ToolOutcome } from "../../approval/tool-outcome.ts";
import { resultText, toolResult } from "../../call/tool-result.ts";
import { CofferdamError, thrownText } from "../../errors.ts";
import { answerText } from "../../policy/call-answer.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";
import { folded } from "./spelling.ts";

/** Error codes of JSON-RPC 2.0, and its own codes for servers. */
export const CODES = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  timeout: -32001,
  urlElicitation: -32042,
  /** A client's error if its user rejects sampling (specification 2025-11-25, client/sampling). */
  rejected: -1,
} as const;

export function errorResponse(code: number, message: string): JsonObject {
  return { error: { code, message } };
}

/** A tool result whose text says why a call did not run. Models read it. */
function errorResult(text: string, isModern: boolean): JsonObject {
  const result = { content: [{ type: "text", text }], isError: true };
  return { result: isModern ? { resultType: "complete", ...result } : result };
}

/** The response for the outcome of a call. A denial is a result, not an error: the model reads it and its hint. */
export function responseFor(outcome: ToolOutcome, isModern: boolean): JsonObject {
  switch (outcome.kind) {
    case "done": {
      const response = objectOf(outcome.value);
      if (response === null) return errorResponse(CODES.internal, "the response of the MCP server was lost");
      return outcome.answer === undefined ? response : withText(response, answerText(outcome.answer));
    }
    case "failed":
      // Its own input is the client's error; one that an approver put in its place is not.
      return isInvalid(outcome.error) && outcome.answer === undefined
        ? errorResponse(CODES.invalidParams, thrownText(outcome.error))
        : errorResult(resultText(toolResult(outcome), String), isModern);
    case "denied":
    case "pending":
      return errorResult(resultText(toolResult(outcome), String), isModern);
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isInvalid(error: unknown): boolean {
  return error instanceof CofferdamError && error.code === "USAGE";
}

/** A response with a text before the content of its result; unchanged if it has no content. */
function withText(response: JsonObject, text: string): JsonObject {
  const result = objectOf(response["result"]);
  const content: unknown = result?.["content"];
  if (result === null || !isList(content)) return response;
  return { ...response, result: { ...result, content: [{ type: "text", text }, ...content] } };
}

/**
 * True for a response that requests input from the client. This is any result that says so or has `inputRequests`. It
 * is also the error that sends a user to a URL (specification 2025-11-25, client/elicitation).
 */
export function requiresInput({ result, error }: JsonObject): boolean {
  return (
    memberOf(result, "resultType") === "input_required" ||
    hasInputRequests(result) ||
    memberOf(error, "code") === CODES.urlElicitation
  );
}

const INPUT_REQUESTS = folded("inputRequests");
/** Members of a result or a notification that describe tasks of the server. Tasks can have input requests. */
const TASKS: ReadonlySet<string> = new Set(["task", "tasks"]);

/** True if the value has input requests, itself or in its tasks. Some readers ignore the case of names. */
export function hasInputRequests(value: unknown): boolean {
  const names = Object.keys(objectOf(value) ?? {});
  return names.some((name) => folded(name) === INPUT_REQUESTS) || hasTaskWithInputRequests(value);
}

/** True if a task in the value has input requests. Clients do not look for them there. */
export function hasTaskWithInputRequests(value: unknown): boolean {
  return Object.entries(objectOf(value) ?? {}).some(
    ([name, member]) => TASKS.has(folded(name)) && [member].flat().some(hasInputRequests),
  );
}
