import { type ToolOutcome, toolResult } from "../../approval/tool-outcome.ts";
import { CofferdamError, thrownText } from "../../errors.ts";
import { folded } from "./spelling.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** Codes of JSON-RPC 2.0, and of its own for servers. */
export const CODES = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  timeout: -32001,
  urlElicitation: -32042,
  /** What a client says where its person does not want sampling (specification 2025-11-25, client/sampling). */
  rejected: -1,
} as const;

/** An answer that is an error. */
export function errorAnswer(code: number, message: string): Members {
  return { error: { code, message } };
}

/** A result of a tool that is a text which a model should read, about what did not happen. */
function told(text: string, isModern: boolean): Members {
  const result = { content: [{ type: "text", text }], isError: true };
  return { result: isModern ? { resultType: "complete", ...result } : result };
}

/**
 * What a client is told of a call that came to this: of one that ran, what the server answered. A denial is a result, because
 * a model should read it, with what would help.
 */
export function answerOf(outcome: ToolOutcome, isModern: boolean): Members {
  switch (outcome.kind) {
    case "done":
      return membersOf(outcome.value) ?? errorAnswer(CODES.internal, "the server's answer is lost");
    case "denied":
      return told(`Denied: ${outcome.reason}\nWhat would help: ${outcome.hint}`, isModern);
    case "pending":
      return told(`Pending: ${outcome.reason}\nWhat would help: ${outcome.hint}`, isModern);
    case "failed":
      return failure(outcome, isModern);
  }
}

function failure(outcome: Extract<ToolOutcome, { readonly kind: "failed" }>, isModern: boolean): Members {
  const { error } = outcome;
  if (error instanceof CofferdamError && error.code === "USAGE")
    return errorAnswer(CODES.invalidParams, thrownText(error));
  const result = toolResult(outcome);
  const help =
    error instanceof CofferdamError && error.hint !== undefined ? `\nWhat would help: ${error.hint}` : "";
  return told(`${"error" in result ? result.error : "Error: it could not be run"}${help}`, isModern);
}

/**
 * True for an answer that wants something of the client: any result that says so or carries questions, whatever it answers, and
 * the error by which a server sends a person to a page (specification 2025-11-25, client/elicitation).
 */
export function wantsInput(answer: Members): boolean {
  const { result, error } = answer;
  return (
    memberOf(result, "resultType") === "input_required" ||
    carriesQuestions(result) ||
    memberOf(error, "code") === CODES.urlElicitation
  );
}

/** Where questions stand in a result, in every spelling that a reader could take for it. */
const QUESTIONS = folded("inputRequests");
/** Members of a result, or of what is told, that stand for what goes on at the server and can have questions of its own. */
const UNDER_WAY: ReadonlySet<string> = new Set(["task", "tasks"]);

/** True for what has questions, itself or in what it says of tasks. */
export function carriesQuestions(value: unknown): boolean {
  return hasQuestions(value, (name) => name === QUESTIONS);
}

/** True for what has questions in what it says of tasks: they stand where nobody looks for them. */
export function hasTaskWithQuestions(value: unknown): boolean {
  return hasQuestions(value, () => false);
}

/** Each name is folded once: a result may have very many. */
function hasQuestions(value: unknown, isQuestions: (name: string) => boolean): boolean {
  const members = membersOf(value) ?? {};
  return Object.keys(members).some((written) => {
    const name = folded(written);
    return isQuestions(name) || (UNDER_WAY.has(name) && [members[written]].flat().some(carriesQuestions));
  });
}
