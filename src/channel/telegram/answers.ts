import type { Decision } from "../../policy/decision.ts";
import type { ScopeChoice } from "../../policy/scope-choices.ts";
import type { Resolution } from "../../store/store.ts";
import { decisionOf } from "../scope-pages.ts";
import type { Bot } from "./bot.ts";
import { EXPIRED, outcomeOf } from "./outcome.ts";
import { type ButtonAnswer, readPressData } from "./press-data.ts";
import type { ChatQuestion } from "./question.ts";
import type { ChatRecords } from "./records.ts";
import { type Heard, readUpdate } from "./update.ts";

/** Everything needed to handle answers. */
export interface AnswersOptions {
  readonly bot: Bot;
  readonly chat: number;
  readonly approvers: ReadonlySet<number>;
  readonly records: ChatRecords;
  /** Keeps background work until the channel ends. */
  readonly keep: (work: Promise<unknown>) => void;
  readonly signal: AbortSignal;
}

type Press = Extract<Heard, { readonly kind: "press" }>;
type Reply = Extract<Heard, { readonly kind: "reply" }>;

/** Handles reactions to the channel's messages, and answers requests with those that are answers. */
export class ChatAnswers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Handles one update; resolves when its answer is stored. */
  async hear(update: unknown): Promise<void> {
    const heard = readUpdate(update);
    if (heard === null) return;
    await (heard.kind === "press" ? this.#press(heard) : this.#reply(heard));
  }

  async #press(press: Press): Promise<void> {
    const said = readPressData(press.data);
    const question = said === null ? null : (this.#options.records.open.get(said.key) ?? null);
    if (!this.#mayAnswer(press)) {
      this.#notify(press, "You may not answer this request.", true);
      if (question !== null) await this.#refuse(question, press);
      return;
    }
    if (said === null) return this.#notify(press, EXPIRED);
    if (question === null) return this.#late(press, said.key);
    if (!(await question.offers(said.answer))) return this.#notify(press, EXPIRED);
    await this.#claim(question, press.messageId);
    const choice = await question.choice(said.answer);
    const { by } = press.who;
    const decision = choice === null ? plainDecision(said.answer, by) : decisionOf(choice, by);
    const what = await this.#respond(question, decision);
    if (what === "accepted") this.#notify(press, wordsOf(said.answer, choice));
    else this.#notify(press, what === "unkept" ? NOT_KEPT : await becomeOf(question), true);
  }

  /** A press about a request that is not, or no longer, pending here. The message is changed to show that too. */
  async #late(press: Press, key: string): Promise<void> {
    const { records, bot, keep, signal } = this.#options;
    const found = await records.find(key);
    if (found === null) return this.#notify(press, EXPIRED);
    if (found === "waiting") return this.#notify(press, "Looking up this request: press again.", true);
    this.#notify(press, found.short, true);
    // A button's data can be forged, and must not remove the buttons of another request.
    if ((await this.#askedBy(press.messageId)) === null)
      keep(bot.edit(press.messageId, found.message, [], signal));
  }

  /** A reply that begins with `no`, by an approver, is a rejection with a reason. Any other reply is talk. */
  async #reply(reply: Reply): Promise<void> {
    const note = noteIn(reply.text);
    if (note === null || !this.#mayAnswer(reply)) return;
    const question = await this.#askedBy(reply.messageId);
    await question?.asking.respond({ status: "rejected", by: reply.who.by, note });
  }

  #mayAnswer({ who, chat }: Heard): boolean {
    return chat === this.#options.chat && this.#options.approvers.has(who.userId);
  }

  async #respond(question: ChatQuestion, decision: Decision): Promise<Resolution | "unkept"> {
    try {
      return await question.asking.respond(decision);
    } catch {
      // The person is informed, and can answer again.
      return "unkept";
    }
  }

  async #refuse(question: ChatQuestion, { who }: Press): Promise<void> {
    try {
      await question.refuse(who.userId, who.by);
    } catch {
      // A failed write changes nothing: the attempt does not count anyway.
    }
  }

  /** Claims a message unknown so far because its send was cut off: it is to be changed with the others. */
  async #claim(question: ChatQuestion, messageId: number): Promise<void> {
    if ((await this.#askedBy(messageId)) === null) question.messages.add(messageId);
  }

  async #askedBy(messageId: number): Promise<ChatQuestion | null> {
    for (const question of this.#options.records.open.values())
      if (await question.isAskedBy(messageId)) return question;
    return null;
  }

  #notify({ queryId }: Press, text: string, isAlert = false): void {
    this.#options.keep(this.#options.bot.answer(queryId, text, isAlert));
  }
}

const VIA_TELEGRAM = "Rejected by user via Telegram";
const NOT_KEPT = "Your answer could not be saved: press again.";

function wordsOf(answer: ButtonAnswer, choice: ScopeChoice | null): string {
  if (choice !== null) return choice.yes === null ? "Rejected for this session" : `Approved: ${choice.label}`;
  return answer === "once" ? "Approved" : answer === "session" ? "Approved for this session" : "Rejected";
}

function plainDecision(answer: ButtonAnswer, by: string): Decision {
  return answer === "once" || answer === "session"
    ? { status: "approved", scope: answer, by }
    : { status: "rejected", by, note: VIA_TELEGRAM };
}

/** The outcome of a request whose answer came too late. */
async function becomeOf({ asking }: ChatQuestion): Promise<string> {
  try {
    const stored = await asking.outcome();
    if (stored?.status === "pending") return NOT_KEPT;
    return stored === null ? EXPIRED : outcomeOf(stored, null).short;
  } catch {
    return EXPIRED;
  }
}

/** The reason in a reply that begins with `no`; null for any other reply. */
function noteIn(text: string): string | null {
  const found = /^\s*no(?:\s*$|\s*[:,.!–—-]\s*|\s+)/iu.exec(text);
  if (found === null) return null;
  return text.slice(found[0].length).trim() || VIA_TELEGRAM;
}
