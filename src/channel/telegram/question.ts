import { z } from "zod";
import type { Asking } from "../../approval/handler.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { lookWithin } from "../look.ts";
import type { Look } from "../request-text.ts";
import type { Bot, Keyboard } from "./bot.ts";
import { type Answer, keyOf, pressData } from "./press-data.ts";
import { type QuestionMessage, questionMessage } from "./question-message.ts";

/** What there is to look at is waited for so long; then the arguments have to do. */
const LOOK_S = 5;
/** So many strangers are written down for one question. */
const MOST_STRANGERS = 10;

/** What is kept about a question for the process that takes it up again. */
const Kept = z.strictObject({ chat: z.int(), message: z.int() });

/** The clock, and how long a second lasts: shorter in tests. */
export interface Timing {
  readonly now: () => number;
  readonly secondMs: number;
}

/** A request that is put to a chat, from when it is asked until it is over. */
export class Question {
  readonly request: ApprovalRequest;
  readonly asking: Asking;
  readonly key: string;
  /** The messages that ask about it: one, or another too where a send was cut off. */
  readonly messages = new Set<number>();
  /** Resolves when nothing about it is to be done any more but to change its messages. */
  readonly closed: Promise<void>;
  readonly close: () => void;
  readonly #timing: Timing;
  readonly #failed = Promise.withResolvers<never>();
  readonly #strangers = new Set<number>();
  readonly #chat: number;
  #look: Promise<Look> | null = null;
  #message: Promise<QuestionMessage> | null = null;
  #kept: Promise<number | null> | null = null;

  constructor(request: ApprovalRequest, asking: Asking, chat: number, timing: Timing) {
    this.request = request;
    this.asking = asking;
    this.key = keyOf(request.approvalId);
    this.#chat = chat;
    this.#timing = timing;
    ({ promise: this.closed, resolve: this.close } = Promise.withResolvers<void>());
    // Whoever asks waits for it; where nobody does any more, there is nobody to tell.
    this.#failed.promise.catch(() => undefined);
  }

  /** Ends when the question is over; rejects when the channel can't go on. */
  async wait(): Promise<void> {
    await Promise.race([aborted(this.asking.signal), this.#failed.promise]);
  }

  /** Ends the question here: others may still answer it. */
  fail(error: unknown): void {
    this.#failed.reject(error);
  }

  /** What there is to look at, as far as it could be made. */
  look(): Promise<Look> {
    this.#look ??= lookWithin(this.asking, LOOK_S * this.#timing.secondMs);
    return this.#look;
  }

  /** The message as it is put to the chat. */
  message(): Promise<QuestionMessage> {
    this.#message ??= this.look().then((look) => questionMessage(this.request, look, this.#timing.now()));
    return this.#message;
  }

  /** True for what the message has a button for: what a button carries, anybody can make up. */
  async offers(answer: Answer): Promise<boolean> {
    if (answer === "no") return true;
    const { offersOnce, offersSession } = await this.message();
    return answer === "once" ? offersOnce : offersSession;
  }

  /** True for the number of a message that asks about it. */
  async isAskedBy(messageId: number): Promise<boolean> {
    // Where the store can't say it, it is not known to.
    return this.messages.has(messageId) || (await this.kept().catch(() => null)) === messageId;
  }

  /** The message that a process before put there; null without one. */
  kept(): Promise<number | null> {
    this.#kept ??= this.#noted();
    return this.#kept;
  }

  /**
   * Puts the question to the chat, or takes up the message that a process before put there, until the signal. Throws
   * `CHANNEL_CLOSED`.
   */
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
      // Then a process that takes it up again sends another message; both can be answered.
    }
  }

  /** Writes down that somebody tried to answer who may not: each once, and not without end. */
  async refuse(userId: number, by: string): Promise<void> {
    if (this.#strangers.has(userId) || this.#strangers.size >= MOST_STRANGERS) return;
    this.#strangers.add(userId);
    await this.asking.tell({ type: "approval.ignored", by, because: "forbidden" });
  }

  async #keyboard(): Promise<Keyboard> {
    const { offersOnce, offersSession } = await this.message();
    const button = (text: string, answer: Answer) => ({ text, data: pressData(answer, this.key) });
    return [
      [...(offersOnce ? [button("Approve", "once")] : []), button("Reject", "no")],
      ...(offersSession ? [[button("For this session", "session")]] : []),
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

const CAPTION = "All of what the next message asks about.";

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
