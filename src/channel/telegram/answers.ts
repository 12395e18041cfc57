import type { Decision } from "../../policy/decision.ts";
import type { Resolution } from "../../store/store.ts";
import type { Bot } from "./bot.ts";
import { EXPIRED, outcomeOf } from "./outcome.ts";
import { type Answer, readPressData } from "./press-data.ts";
import type { Question } from "./question.ts";
import type { Records } from "./records.ts";
import { type Heard, readUpdate } from "./update.ts";

/** What it takes to take answers. */
export interface AnswersOptions {
  readonly bot: Bot;
  readonly chat: number;
  /** Who may answer, by their numbers. */
  readonly approvers: ReadonlySet<number>;
  readonly records: Records;
  /** Lets work go on that nobody waits for. */
  readonly keep: (work: Promise<unknown>) => void;
  /** Aborted when nothing more is to be said. */
  readonly signal: AbortSignal;
}

type Press = Extract<Heard, { readonly kind: "press" }>;
type Reply = Extract<Heard, { readonly kind: "reply" }>;

/** Takes what people do about the messages of the channel, and answers requests with what of it is an answer. */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Takes in one update; ends when what it answers is kept. */
  async hear(update: unknown): Promise<void> {
    const heard = readUpdate(update);
    if (heard === null) return;
    await (heard.kind === "press" ? this.#press(heard) : this.#reply(heard));
  }

  async #press(press: Press): Promise<void> {
    const said = readPressData(press.data);
    const question = said === null ? null : (this.#options.records.open.get(said.key) ?? null);
    if (!this.#mayAnswer(press)) {
      this.#tell(press, "You may not answer this request.", true);
      if (question !== null) await this.#refuse(question, press);
      return;
    }
    if (said === null) return this.#tell(press, EXPIRED);
    if (question === null) return this.#late(press, said.key);
    if (!(await question.offers(said.answer))) return this.#tell(press, EXPIRED);
    await this.#claim(question, press.messageId);
    const what = await this.#respond(question, decisionOf(said.answer, press.who.by));
    if (what === "accepted") this.#tell(press, WORDS[said.answer]);
    else this.#tell(press, what === "unkept" ? NOT_KEPT : await becomeOf(question), true);
  }

  /** A press about a request that does not wait here, perhaps not any more: whoever sees its message shall see that too. */
  async #late(press: Press, key: string): Promise<void> {
    const { records, bot, keep, signal } = this.#options;
    const found = await records.find(key);
    if (found === null) return this.#tell(press, EXPIRED);
    if (found === "waiting") return this.#tell(press, "This is just being looked up: press again.", true);
    this.#tell(press, found.short, true);
    // What a button carries can be made up, and must not take the buttons from another question.
    if ((await this.#askedBy(press.messageId)) === null)
      keep(bot.edit(press.messageId, found.message, [], signal));
  }

  /** A reply that begins with `no`, by somebody who may say so, is a no with a reason; any other is talk. */
  async #reply(reply: Reply): Promise<void> {
    const note = noteIn(reply.text);
    if (note === null || !this.#mayAnswer(reply)) return;
    const question = await this.#askedBy(reply.messageId);
    await question?.asking.respond({ status: "rejected", by: reply.who.by, note });
  }

  #mayAnswer({ who, chat }: Heard): boolean {
    return chat === this.#options.chat && this.#options.approvers.has(who.userId);
  }

  async #respond(question: Question, decision: Decision): Promise<Resolution | "unkept"> {
    try {
      return await question.asking.respond(decision);
    } catch {
      // Whoever gave it is told, and can give it again.
      return "unkept";
    }
  }

  async #refuse(question: Question, { who }: Press): Promise<void> {
    try {
      await question.refuse(who.userId, who.by);
    } catch {
      // That it can't be written down changes nothing: it counts for nothing.
    }
  }

  /** A message of which nobody knew, since a send was cut off: it is to be changed with the others. */
  async #claim(question: Question, messageId: number): Promise<void> {
    if ((await this.#askedBy(messageId)) === null) question.messages.add(messageId);
  }

  /** The question that a message asks; null for one of none that is open. */
  async #askedBy(messageId: number): Promise<Question | null> {
    for (const question of this.#options.records.open.values())
      if (await question.isAskedBy(messageId)) return question;
    return null;
  }

  #tell({ queryId }: Press, text: string, isAlert = false): void {
    this.#options.keep(this.#options.bot.answer(queryId, text, isAlert));
  }
}

/** Why not, where nobody said why. */
const VIA_TELEGRAM = "Rejected by user via Telegram";
const NOT_KEPT = "Your answer could not be kept: press again.";
const WORDS = {
  once: "Approved",
  session: "Approved for this session",
  no: "Rejected",
} as const satisfies Record<Answer, string>;

function decisionOf(answer: Answer, by: string): Decision {
  return answer === "no"
    ? { status: "rejected", by, note: VIA_TELEGRAM }
    : { status: "approved", scope: answer, by };
}

/** What became of a question to which an answer came too late. */
async function becomeOf({ asking }: Question): Promise<string> {
  try {
    const stored = await asking.outcome();
    if (stored?.status === "pending") return NOT_KEPT;
    return stored === null ? EXPIRED : outcomeOf(stored, null).short;
  } catch {
    return EXPIRED;
  }
}

/** Why not, in the words of a reply that begins with `no`; null for any other reply. */
function noteIn(text: string): string | null {
  const found = /^\s*no(?:\s*$|\s*[:,.!–—-]\s*|\s+)/iu.exec(text);
  if (found === null) return null;
  return text.slice(found[0].length).trim() || VIA_TELEGRAM;
}
