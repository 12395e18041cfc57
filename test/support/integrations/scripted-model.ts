import { simulateReadableStream, type ToolModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** A call as a model asks for it. */
export interface AskedTool {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

/** What a model says in one turn. */
export type Turn = readonly AskedTool[] | string;

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Content = Generated["content"][number];
type Part =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Chunk>
    ? Chunk
    : never;

const USAGE: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that says what was written down for it, turn by turn; then it is done. */
export function scriptedModel(...turns: readonly Turn[]): MockLanguageModelV4 {
  let turn = 0;
  const next = (): { readonly content: Content[]; readonly finishReason: Generated["finishReason"] } => {
    const said = turns[turn] ?? "done";
    turn += 1;
    if (typeof said === "string")
      return { content: [{ type: "text", text: said }], finishReason: { unified: "stop", raw: undefined } };
    return {
      content: said.map(({ id, tool, input }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: tool,
        input: JSON.stringify(input),
      })),
      finishReason: { unified: "tool-calls", raw: undefined },
    };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(), usage: USAGE, warnings: [] }),
    doStream: async () => {
      const { content, finishReason } = next();
      const chunks: Part[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(streamed),
        { type: "finish", finishReason, usage: USAGE },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

function streamed(part: Content): readonly Part[] {
  if (part.type === "tool-call") return [part];
  if (part.type !== "text") throw new Error(`${part.type} is not in the script`);
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: part.text },
    { type: "text-end", id: "1" },
  ];
}

/** What the model was told of each call in its last turn, by the call's id. */
export function toldOf({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4): Record<string, unknown> {
  const prompt = [...doGenerateCalls, ...doStreamCalls].at(-1)?.prompt ?? [];
  return Object.fromEntries(
    prompt.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) =>
            part.type === "tool-result" ? [[part.toolCallId, part.output]] : [],
          )
        : [],
    ),
  );
}

/** What a person says to the framework's questions: true, or a no with its reason. */
export function answering(
  content: readonly { readonly type: string }[],
  answer: (toolCallId: string) => boolean | string,
): ToolModelMessage {
  return {
    role: "tool",
    content: requestsIn(content).map(({ approvalId, toolCallId }) => {
      const said = answer(toolCallId);
      return typeof said === "string"
        ? { type: "tool-approval-response", approvalId, approved: false, reason: said }
        : { type: "tool-approval-response", approvalId, approved: said };
    }),
  };
}

/** The framework's questions in what a run gave. */
export function requestsIn(content: readonly { readonly type: string }[]): readonly {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly reason: string | undefined;
}[] {
  return content.flatMap((part) => {
    if (part.type !== "tool-approval-request" || !("approvalId" in part) || !("toolCall" in part)) return [];
    const { toolCall } = part;
    if (typeof toolCall !== "object" || toolCall === null || !("toolCallId" in toolCall)) return [];
    const isAutomatic = "isAutomatic" in part && part.isAutomatic === true;
    const reason = "reason" in part && typeof part.reason === "string" ? part.reason : undefined;
    return isAutomatic
      ? []
      : [{ approvalId: String(part.approvalId), toolCallId: String(toolCall.toolCallId), reason }];
  });
}
