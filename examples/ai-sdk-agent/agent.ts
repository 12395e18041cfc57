import { generateText, isStepCount, type LanguageModel, type ModelMessage } from "ai";
import { absolutePath, createSupervisor } from "cofferdam";
import { cofferdamTools } from "cofferdam/ai-sdk";

/** Continues a conversation until it is over or a call needs an answer. The messages are its whole state. */
export async function goOn(
  folder: string,
  model: LanguageModel,
  messages: readonly ModelMessage[],
  user: string,
) {
  const cwd = absolutePath(folder);
  const supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  try {
    const session = supervisor.session({ agent: "editor" });
    const { tools, toolApproval, prepareStep } = cofferdamTools(session, { by: user });
    const { text, content, responseMessages } = await generateText({
      model,
      tools,
      toolApproval,
      prepareStep,
      messages: [...messages],
      stopWhen: isStepCount(10),
    });
    const questions = content.filter((part) => part.type === "tool-approval-request");
    return { text, questions, messages: [...messages, ...responseMessages] };
  } finally {
    await supervisor.close();
  }
}

/** A person's answer to a question, as a message of the conversation. */
export function answer(approvalId: string, approved: boolean, reason?: string): ModelMessage {
  return {
    role: "tool",
    content: [
      { type: "tool-approval-response", approvalId, approved, ...(reason === undefined ? {} : { reason }) },
    ],
  };
}
