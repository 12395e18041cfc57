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
 * Answers requests of `useChat` for the signed-in user. Each user has a session, so an approval for the session is
 * theirs alone. The user is part of the conversation's id, so nobody can answer in the chat of another user.
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
