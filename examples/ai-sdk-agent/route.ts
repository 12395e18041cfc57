import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  type LanguageModel,
  streamText,
  toUIMessageStream,
  validateUIMessages,
} from "ai";
import type { Session, Supervisor } from "cofferdam";
import { cofferdamTools } from "cofferdam/ai-sdk";

/**
 * Answers what `useChat` sends, for whoever is signed in. A yes for the session is theirs alone: each has their own. A yes to a
 * call stays in its chat: whoever names another's chat is in one of their own.
 */
export function chatRoute(supervisor: Supervisor, model: LanguageModel, secret: string) {
  const sessions = new Map<string, Session>();
  return async (request: Request, user: string): Promise<Response> => {
    const session = sessions.get(user) ?? supervisor.session({ agent: "editor" });
    sessions.set(user, session);
    const { id, messages: sent } = await request.json();
    const conversation = JSON.stringify([user, id]);
    const { tools, toolApproval, prepareStep } = cofferdamTools(session, { by: user, conversation });
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
