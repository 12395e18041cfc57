import type { ModelMessage, ToolModelMessage } from "ai";

/** A call that the framework asked somebody about, as messages tell it. Whoever sends them may have written anything. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
  /** What the framework calls its question. */
  readonly approvalId: string;
  /** The framework was told at once, or by us: nobody who sends messages said anything. */
  readonly isAutomatic: boolean;
}

/** What somebody answered. */
export interface Answered {
  readonly call: AskedCall;
  readonly isYes: boolean;
  readonly reason: string | undefined;
}

/**
 * The answers that the framework is about to follow: those in the last message, of each call the first, and none of a call
 * that has its result there, unless that only says the no once more (ai 7.0, `collectToolApprovals`).
 */
export function answersIn(messages: readonly ModelMessage[]): readonly Answered[] {
  const last = messages.at(-1);
  if (last?.role !== "tool") return [];
  const asked = new Map(askedIn(messages).map((call) => [call.approvalId, call]));
  const over = new Map(
    last.content.flatMap((part) =>
      part.type === "tool-result" ? [[part.toolCallId, part.output.type]] : [],
    ),
  );
  const found = new Map<string, Answered>();
  for (const part of last.content) {
    if (part.type !== "tool-approval-response") continue;
    const call = asked.get(part.approvalId);
    if (call === undefined || found.has(call.toolCallId)) continue;
    const result = over.get(call.toolCallId);
    if (result !== undefined && (part.approved || result !== "execution-denied")) continue;
    found.set(call.toolCallId, { call, isYes: part.approved, reason: part.reason });
  }
  return [...found.values()];
}

/** The questions that the framework has put and that have neither an answer nor a result. */
export function openIn(messages: readonly ModelMessage[]): readonly AskedCall[] {
  const over = new Set([
    ...resultsOf(messages),
    ...answersIn(messages).map(({ call: { toolCallId } }) => toolCallId),
  ]);
  return askedIn(messages).filter(({ toolCallId, isAutomatic }) => !isAutomatic && !over.has(toolCallId));
}

/**
 * The messages with these answers in their last message, where the framework looks for them, and marked as nobody's who sends
 * messages: what was answered elsewhere is looked up there.
 */
export function withAnswers(
  messages: readonly ModelMessage[],
  answers: readonly Answered[],
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

function askedIn(messages: readonly ModelMessage[]): readonly AskedCall[] {
  const parts = messages.flatMap((message) =>
    message.role === "assistant" && typeof message.content !== "string" ? message.content : [],
  );
  const calls = new Map(
    parts.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true ? [[part.toolCallId, part]] : [],
    ),
  );
  return parts.flatMap((part) => {
    if (part.type !== "tool-approval-request") return [];
    const { toolCallId, approvalId, isAutomatic = false } = part;
    const call = calls.get(toolCallId);
    if (call === undefined) return [];
    return [{ toolCallId, tool: call.toolName, input: call.input, approvalId, isAutomatic }];
  });
}

function resultsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
      : [],
  );
}
