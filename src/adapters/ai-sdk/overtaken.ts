import type { ModelMessage, ToolModelMessage } from "ai";
import { type MadeCall, textOf } from "./history.ts";

/** A call that waited for an answer when a user sent another message. It can't run any more: models need a result. */
export interface OvertakenCall extends MadeCall {
  /** The user messages before the call. */
  readonly said: readonly string[];
  /** The answer that came before that message, and did not lead to a result. */
  readonly answer: { readonly isYes: boolean; readonly reason: string | undefined } | null;
  /** True if a later call has its id, so that requests of that id are about the later one. */
  readonly isRenamed: boolean;
}

type OpenCall = { -readonly [Key in keyof OvertakenCall]: OvertakenCall[Key] } & { approvalIds: string[] };

/** The overtaken calls of these tools, in order. */
export function overtakenIn(
  messages: readonly ModelMessage[],
  isOurs: (tool: string) => boolean,
): readonly OvertakenCall[] {
  return scan(messages, isOurs).overtaken;
}

/** The messages with a denial as the result of each overtaken call, before the message that overtook it. */
export function withDenials(
  messages: readonly ModelMessage[],
  isOurs: (tool: string) => boolean,
): readonly ModelMessage[] {
  return scan(messages, isOurs).settled;
}

function scan(messages: readonly ModelMessage[], isOurs: (tool: string) => boolean) {
  const all: OpenCall[] = [];
  const overtaken: OvertakenCall[] = [];
  const settled: ModelMessage[] = [];
  const said: string[] = [];
  let open: OpenCall[] = [];
  for (const message of messages) {
    // The framework refuses a call without a result before either of them.
    if ((message.role === "user" || message.role === "system") && open.length > 0) {
      overtaken.push(...open);
      settled.push({ role: "tool", content: deniedOnce(open) });
      open = [];
    }
    settled.push(message);
    if (message.role === "user") said.push(textOf(message.content));
    if (message.role === "tool") open = afterAnswers(open, message);
    if (message.role !== "assistant" || typeof message.content === "string") continue;
    for (const part of message.content) {
      if (part.type === "tool-approval-request")
        open.findLast(({ toolCallId }) => toolCallId === part.toolCallId)?.approvalIds.push(part.approvalId);
      if (part.type !== "tool-call" || part.providerExecuted === true) continue;
      const { toolCallId, toolName: tool, input } = part;
      for (const one of all) if (one.toolCallId === toolCallId) one.isRenamed = true;
      if (!isOurs(tool)) continue;
      const call = {
        toolCallId,
        tool,
        input,
        said: [...said],
        answer: null,
        isRenamed: false,
        approvalIds: [],
      };
      all.push(call);
      open.push(call);
    }
  }
  return { overtaken, settled };
}

function afterAnswers(open: readonly OpenCall[], { content }: ToolModelMessage): OpenCall[] {
  for (const part of content) {
    if (part.type !== "tool-approval-response") continue;
    const call = open.find(({ approvalIds }) => approvalIds.includes(part.approvalId));
    if (call !== undefined) call.answer ??= { isYes: part.approved, reason: part.reason };
  }
  const over = content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []));
  return open.filter(({ toolCallId }) => !over.includes(toolCallId));
}

/** One result per id: the framework counts ids. */
function deniedOnce(open: readonly OpenCall[]): ToolModelMessage["content"] {
  const byId = new Map(open.map((call) => [call.toolCallId, call]));
  return [...byId.values()].map(({ toolCallId, tool, answer }) => {
    const reason = answer?.isYes === false ? answer.reason : OVERTAKEN;
    return {
      type: "tool-result",
      toolCallId,
      toolName: tool,
      output: { type: "execution-denied", ...(reason === undefined ? {} : { reason }) },
    };
  });
}

/** The reason why an overtaken call did not run, for the model and the record. */
export const OVERTAKEN =
  "the user sent another message before this call was approved and run: make it again if it is still needed";
