import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  toUIMessageStream,
  validateUIMessages,
} from "ai";
import type { Supervisor } from "cofferdam";
import { type CofferdamTools, cofferdamTools } from "cofferdam/ai-sdk";

/** Answers what `useChat` sends, for whoever is signed in. A yes for the session is theirs alone: each has their own. */
export function chatRoute(supervisor: Supervisor, model: LanguageModel, secret: string) {
  const gates = new Map<string, CofferdamTools>();
  return async (request: Request, user: string): Promise<Response> => {
    const gate = gates.get(user) ?? cofferdamTools(supervisor.session({ agent: "editor" }), { by: user });
    gates.set(user, gate);
    const { tools, toolApproval, prepareStep } = gate;
    const { messages: sent } = await request.json();
    const messages = await validateUIMessages({ messages: sent });
    const { stream } = streamText({
      model,
      tools,
      toolApproval,
      prepareStep,
      messages: await convertToModelMessages(messages, { tools }),
      experimental_toolApprovalSecret: secret,
    });
    return createUIMessageStreamResponse({
      stream: toUIMessageStream({ stream, tools, originalMessages: messages }),
    });
  };
}
