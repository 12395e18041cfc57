import { generateText, isStepCount, type LanguageModel, type ModelMessage } from "ai";
import {
  type CofferdamTools,
  type CofferdamToolsOptions,
  cofferdamTools,
} from "../../../src/adapters/ai-sdk.ts";
import type { SessionOptions } from "../../../src/index.ts";
import type { Fates } from "../approval/fates.ts";
import { ASKS } from "../approval/fates.ts";
import type { Settings } from "../battery/place.ts";
import { answering, requestsIn } from "./scripted-model.ts";

type More = Partial<Pick<Parameters<typeof generateText>[0], "experimental_toolApprovalSecret">>;

/** How a conversation begins. */
export const START: ModelMessage[] = [{ role: "user", content: "go on" }];

/** A call of the shell that makes a file. */
export const touch = (id: string, name = "made") => ({ id, tool: "shell", input: { argv: ["touch", name] } });

/** What waits for an answer, in whatever process. */
export async function waiting(fates: Fates) {
  await using supervisor = await fates.supervisor();
  return await supervisor.broker.pending();
}

/** Goes on with a conversation by these tools. */
export function goOn(gate: CofferdamTools, model: LanguageModel, messages: ModelMessage[], more: More = {}) {
  const { tools, toolApproval, prepareStep } = gate;
  return generateText({
    model,
    tools,
    toolApproval,
    prepareStep,
    messages,
    stopWhen: isStepCount(5),
    ...more,
  });
}

/**
 * A conversation over the files of these fates. Every turn of it is had by a supervisor of its own, and between the turns
 * there is nothing but JSON.
 */
export class Chat {
  readonly #fates: Fates;
  #messages: ModelMessage[] = START;
  #content: readonly { readonly type: string }[] = [];

  constructor(fates: Fates) {
    this.#fates = fates;
  }

  /** What was said so far, as it would be stored. */
  get messages(): ModelMessage[] {
    return structuredClone(this.#messages);
  }

  /** The framework's questions of the last turn. */
  get requests() {
    return requestsIn(this.#content);
  }

  /** Whatever it is that somebody makes of the conversation. */
  tamper(change: (json: string) => string): void {
    this.#messages = JSON.parse(change(JSON.stringify(this.#messages)));
  }

  /** Answers what the framework asked. */
  answer(say: (toolCallId: string) => boolean | string): void {
    this.#messages = [...this.#messages, answering(this.#content, say)];
  }

  /** What the user writes next, whatever is asked. */
  say(content: string): void {
    this.#messages = [...this.#messages, { role: "user", content }];
  }

  /** One turn, by a supervisor and a session with these settings. */
  async turn(
    model: LanguageModel,
    {
      settings = ASKS,
      session = {},
      more = {},
      by = "ann",
      tools = {},
    }: {
      readonly settings?: Settings;
      readonly session?: SessionOptions;
      readonly more?: More;
      readonly by?: string;
      readonly tools?: CofferdamToolsOptions;
    } = {},
  ) {
    await using supervisor = await this.#fates.supervisor(settings);
    await using own = supervisor.session(session);
    const result = await goOn(cofferdamTools(own, { by, ...tools }), model, this.messages, more);
    this.#content = result.content;
    this.#messages = JSON.parse(JSON.stringify([...this.#messages, ...result.responseMessages]));
    return result;
  }
}
