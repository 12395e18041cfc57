import type { ModelMessage, ToolModelMessage } from "ai";
import { type AskedCall, History, isSame, type MadeCall } from "./history.ts";

/** The answer to a request of the framework. */
export interface AnsweredCall {
  readonly call: AskedCall;
  readonly isYes: boolean;
  readonly reason: string | undefined;
}

/**
 * State of a call in messages. `new`: the model just made it. `answered`: the messages answer it. `mixed`: its id
 * belongs to another call as well. `unasked`: the framework is about to run it by an approval of another call.
 */
export type CallState =
  | { readonly kind: "new"; readonly said: readonly string[] }
  | { readonly kind: "answered"; readonly said: readonly string[]; readonly answer: AnsweredCall }
  | { readonly kind: "mixed" }
  | { readonly kind: "unasked" };

/** State of this call. The framework follows the first answer to any call of an id, and runs the last call of it. */
export function stateOf(call: MadeCall, messages: readonly ModelMessage[]): CallState {
  const history = new History(messages);
  const answers = answersIn(messages).filter(({ call: { toolCallId } }) => toolCallId === call.toolCallId);
  const isResumed = answers.some(({ isYes }) => isYes);
  const { calls, isOver } = history.namesakes(call.toolCallId);
  // An id that had its result may return: it then belongs to another call.
  if ((isResumed || !isOver) && calls.some((other) => !isSame(other, call))) return { kind: "mixed" };
  const own = answers.filter((answer) => isSame(answer.call, call));
  const answer = own.find(({ isYes }) => !isYes) ?? own[0];
  if (answer !== undefined) return { kind: "answered", said: answer.call.said, answer };
  return isResumed ? { kind: "unasked" } : { kind: "new", said: history.said };
}

/**
 * The answers that the framework will follow: in the last message, the first one to each request. Answers to calls with
 * a result there are left out, unless the result only repeats the rejection (ai 7.0, `collectToolApprovals`).
 */
export function answersIn(messages: readonly ModelMessage[]): readonly AnsweredCall[] {
  const last = messages.at(-1);
  if (last?.role !== "tool") return [];
  const asked = new Map(new History(messages).asked.map((call) => [call.approvalId, call]));
  const over = new Map(
    last.content.flatMap((part) =>
      part.type === "tool-result" ? [[part.toolCallId, part.output.type]] : [],
    ),
  );
  const found = new Map<string, AnsweredCall>();
  for (const part of last.content) {
    if (part.type !== "tool-approval-response" || found.has(part.approvalId)) continue;
    const call = asked.get(part.approvalId);
    if (call === undefined) continue;
    const result = over.get(call.toolCallId);
    if (result !== undefined && (part.approved || result !== "execution-denied")) continue;
    found.set(part.approvalId, { call, isYes: part.approved, reason: part.reason });
  }
  return [...found.values()];
}

/** The framework's requests that have neither an answer nor a result. */
export function openIn(messages: readonly ModelMessage[]): readonly AskedCall[] {
  const history = new History(messages);
  const answered = new Set(answersIn(messages).map(({ call: { approvalId } }) => approvalId));
  return history.asked.filter(
    (asked) => !asked.isAutomatic && !history.isOver(asked) && !answered.has(asked.approvalId),
  );
}

/** The messages with these answers in the last one, marked as automatic: the store is consulted, not the sender. */
export function withAnswers(
  messages: readonly ModelMessage[],
  answers: readonly AnsweredCall[],
): readonly ModelMessage[] {
  const marked = new Set(answers.map(({ call: { approvalId } }) => approvalId));
  const content = answers.map(({ call: { approvalId }, isYes, reason }) => ({
    type: "tool-approval-response" as const,
    approvalId,
    approved: isYes,
    ...(reason === undefined ? {} : { reason }),
  }));
  const said = messages.map((message) => marking(message, marked));
  const last = said.at(-1);
  const before: ToolModelMessage["content"] = last?.role === "tool" ? last.content : [];
  const kept = last?.role === "tool" ? said.slice(0, -1) : said;
  return [...kept, { role: "tool", content: [...before, ...content] }];
}

function marking(message: ModelMessage, marked: ReadonlySet<string>): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-approval-request" && marked.has(part.approvalId)
      ? { ...part, isAutomatic: true }
      : part,
  );
  return { ...message, content };
}
