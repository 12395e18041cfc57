import { z } from "zod";
import type { Asking } from "../../approval/handler.ts";
import { aborted } from "../../host/pause.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import type { ScopeChoice } from "../../policy/scope-choices.ts";
import { lookWithin } from "../look.ts";
import type { PreviewState } from "../request-text.ts";
import type { Bot, Keyboard } from "./bot.ts";
import { type ButtonAnswer, keyOf, pressData } from "./press-data.ts";
import { type QuestionMessage, questionMessage } from "./question-message.ts";

/** Maximum wait for the preview. After that the message shows the arguments. */
const LOOK_S = 5;
const MAX_STRANGERS = 10;

/** Stored note about a request, for the process that resumes it. */
const Kept = z.strictObject({ chat: z.int(), message: z.int() });

/** The clock, and the length of a second: shorter in tests. */
export interface Timing {
  readonly now: () => number;
  readonly secondMs: number;
}

/** A request in a chat, from asking until it is settled. */
export class ChatQuestion {
  readonly request: ApprovalRequest;
  readonly asking: Asking;
  readonly key: string;
  /** The messages that ask about it: usually one, and another if a send was cut off. */
  readonly messages = new Set<number>();
  /** Resolves when only the messages of the request remain to be changed. */
  readonly closed: Promise<void>;
  readonly close: () => void;
  readonly #timing: Timing;
  readonly #failed = Promise.withResolvers<never>();
  readonly #strangers = new Set<number>();
  readonly #chat: number;
  #look: Promise<PreviewState> | null = null;
  #message: Promise<QuestionMessage> | null = null;
  #kept: Promise<number | null> | null = null;

  constructor(request: ApprovalRequest, asking: Asking, chat: number, timing: Timing) {
    this.request = request;
    this.asking = asking;
    this.key = keyOf(request.approvalId);
    this.#chat = chat;
    this.#timing = timing;
    ({ promise: this.closed, resolve: this.close } = Promise.withResolvers<void>());
    // The caller waits for it; without a caller nobody needs the error.
    this.#failed.promise.catch(() => undefined);
  }

  /** Ends when the request is settled; rejects if the channel cannot go on. */
  async wait(): Promise<void> {
    await Promise.race([aborted(this.asking.signal), this.#failed.promise]);
  }

  /** Ends the request here: others may still answer it. */
  fail(error: unknown): void {
    this.#failed.reject(error);
  }

  /** The preview, as far as it could be made. */
  look(): Promise<PreviewState> {
    this.#look ??= lookWithin(this.asking, LOOK_S * this.#timing.secondMs);
    return this.#look;
  }

  message(): Promise<QuestionMessage> {
    this.#message ??= this.look().then((look) => questionMessage(this.request, look, this.#timing.now()));
    return this.#message;
  }

  /** True if the message has a button for this answer: a button's data can be forged. */
  async offers(answer: ButtonAnswer): Promise<boolean> {
    if (answer === "no") return true;
    if (answer === "once") return (await this.message()).offersOnce;
    if (answer === "session") return (await this.message()).offersSession;
    return (await this.choice(answer)) !== null;
  }

  /** The answer for more than this call under a name; null if the message does not offer it. */
  async choice(name: ButtonAnswer): Promise<ScopeChoice | null> {
    const { choices } = await this.message();
    return choices.find((one) => one.name === name) ?? null;
  }

  /** True for the number of a message that asks about it. */
  async isAskedBy(messageId: number): Promise<boolean> {
    // If the store cannot say it, the message is not known.
    return this.messages.has(messageId) || (await this.kept().catch(() => null)) === messageId;
  }

  kept(): Promise<number | null> {
    this.#kept ??= this.#noted();
    return this.#kept;
  }

  /** Sends the request, or takes over an earlier process's message, until the signal. Throws `CHANNEL_CLOSED`. */
  async put(bot: Bot, signal: AbortSignal): Promise<void> {
    const [message, keyboard, kept] = [await this.message(), await this.#keyboard(), await this.kept()];
    if (kept !== null) {
      this.messages.add(kept);
      if (await bot.edit(kept, message, keyboard, signal)) return;
      this.messages.delete(kept);
    }
    let before: number | null = null;
    if (message.document !== null) {
      before = await bot.sendDocument("request.txt", message.document, CAPTION, signal);
      if (before === null) return;
    }
    const sent = await bot.send(message, keyboard, before, signal);
    if (sent === null) return;
    this.messages.add(sent);
    try {
      await this.asking.note(this.#noteName, JSON.stringify({ chat: this.#chat, message: sent }));
    } catch {
      // Then a process that resumes it sends another message; both can be answered.
    }
  }

  /** Records an unauthorized answer: once for each person, up to a maximum. */
  async refuse(userId: number, by: string): Promise<void> {
    if (this.#strangers.has(userId) || this.#strangers.size >= MAX_STRANGERS) return;
    this.#strangers.add(userId);
    await this.asking.report({ type: "approval.ignored", by, because: "forbidden" });
  }

  async #keyboard(): Promise<Keyboard> {
    const { offersOnce, offersSession, choices } = await this.message();
    const button = (text: string, answer: ButtonAnswer) => ({ text, data: pressData(answer, this.key) });
    return [
      [...(offersOnce ? [button("Approve", "once")] : []), button("Reject", "no")],
      ...(offersSession ? [[button("For this session", "session")]] : []),
      ...choices.map(({ label, name }) => [button(capitalised(label), name)]),
    ];
  }

  async #noted(): Promise<number | null> {
    const noted = await this.asking.noted(this.#noteName);
    if (noted === null) return null;
    try {
      const kept = Kept.safeParse(JSON.parse(noted)).data;
      return kept?.chat === this.#chat ? kept.message : null;
    } catch {
      return null;
    }
  }

  /** Each chat has its own message. */
  get #noteName(): string {
    return `telegram ${this.#chat}`;
  }
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const CAPTION = "The whole request of the next message.";
