import type { Answer, ApprovalHandler, Asking, Lookup } from "../../approval/handler.ts";
import { CofferdamError, thrownText, visible } from "../../errors.ts";
import { AnySignal } from "../../host/any-signal.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { pause } from "../pause.ts";
import { Answers } from "./answers.ts";
import { Bot, loadGrammy } from "./bot.ts";
import { channelClosed, type Failure, isUnknownBot } from "./failure.ts";
import { listen } from "./listening.ts";
import { Question, type Timing } from "./question.ts";
import { type Over, Records } from "./records.ts";

/** A chat and its bot. */
export interface ChannelOptions {
  readonly token: string;
  readonly chat: number;
  readonly approvers: readonly number[];
  readonly apiRoot: string;
  readonly onTrouble: (error: CofferdamError) => void;
}

/** What is still to be said when the channel ends may take so long. */
const LAST_WORDS_S = 5;

/** Asks in one chat, and takes the answers of those who may give them. */
export class Channel implements ApprovalHandler, Disposable, AsyncDisposable {
  readonly #options: ChannelOptions;
  readonly #timing: Timing;
  readonly #records = new Records();
  /** Every question that somebody waits for here. */
  readonly #asked = new Set<Question>();
  /** What is under way and nobody waits for. */
  readonly #work = new Set<Promise<unknown>>();
  /** Nothing new begins. */
  readonly #end = new AbortController();
  /** Nothing goes on. */
  readonly #gone = new AbortController();
  #bot: Promise<Bot> | null = null;
  #isListening = false;
  /** What keeps answers from getting here. */
  #trouble: CofferdamError | null = null;
  /** Keeps the process alive as long as a call stands still. */
  #holding: NodeJS.Timeout | null = null;

  constructor(options: ChannelOptions, timing: Timing) {
    this.#options = options;
    this.#timing = timing;
  }

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer> {
    if (this.#end.signal.aborted) throw closed();
    const question = new Question(request, asking, this.#options.chat, this.#timing);
    this.#asked.add(question);
    this.#hold();
    try {
      await this.#ask(question);
      return { status: "pending" };
    } finally {
      this.#asked.delete(question);
      this.#hold();
    }
  }

  attends(requests: Lookup): void {
    this.#records.lookIn(requests);
    this.#listen();
  }

  /** The same as the asynchronous one, for those who can't wait for its end. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }

  /**
   * Ends at once for whoever still waits; messages of what is over are still changed, for a few seconds at most. What was
   * not answered stays open, and another process may take it up.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    for (const question of this.#asked) question.fail(closed());
    const late = pause(LAST_WORDS_S * this.#timing.secondMs, this.#gone.signal);
    await Promise.race([late, this.#settled()]);
    this.#gone.abort();
    try {
      (await this.#bot)?.end();
    } catch {
      // There is none to be ended.
    }
  }

  async #ask(question: Question): Promise<void> {
    const { open } = this.#records;
    // Brokers that share a store may both bring it: one message is enough, as long as one of them asks.
    for (let other = open.get(question.key); other !== undefined; other = open.get(question.key)) {
      await Promise.race([question.wait(), other.closed]);
      if (question.asking.signal.aborted) return;
    }
    open.set(question.key, question);
    this.#listen();
    const put = this.#put(question);
    this.#keep(put);
    try {
      await Promise.race([put.then(() => question.wait()), question.wait()]);
    } finally {
      this.#keep(this.#close(question, put));
    }
  }

  async #put(question: Question): Promise<void> {
    using until = new AnySignal(question.asking.signal, this.#end.signal);
    if (this.#trouble !== null) this.#keep(tell(question, this.#trouble));
    await question.put(await this.#open(), until.signal);
  }

  /** Changes the messages of a question that is over, once none can be on its way any more. */
  async #close(question: Question, put: Promise<void>): Promise<void> {
    await put.catch(() => undefined);
    const over = await this.#become(question);
    // Not before it is known what came of it: whoever presses meanwhile is told that.
    this.#records.open.delete(question.key);
    question.close();
    if (over === null) return;
    const bot = await this.#open();
    for (const messageId of question.messages) await bot.edit(messageId, over.message, [], this.#gone.signal);
  }

  /** What a question became; null where it was left open, or nobody can say it. */
  async #become(question: Question): Promise<Over | null> {
    try {
      return await this.#records.close(question, await question.asking.outcome(), this.#timing.now());
    } catch {
      return null;
    }
  }

  #open(): Promise<Bot> {
    const { token, chat, apiRoot } = this.#options;
    this.#bot ??= loadGrammy()
      .then((grammy) => new Bot({ token, chat, apiRoot, secondMs: this.#timing.secondMs }, grammy))
      .catch((cause: unknown) => {
        // The next one tries again.
        this.#bot = null;
        throw cause;
      });
    return this.#bot;
  }

  #listen(): void {
    if (this.#isListening || this.#end.signal.aborted) return;
    this.#isListening = true;
    const done = this.#hear().finally(() => {
      this.#isListening = false;
    });
    this.#keep(done);
  }

  async #hear(): Promise<void> {
    const { chat, approvers } = this.#options;
    const bot = await this.#open().catch((cause: unknown) => {
      // Requests say it too, when they can't be sent.
      if (cause instanceof CofferdamError) this.#tellTrouble(cause);
      throw cause;
    });
    const answers = new Answers({
      bot,
      chat,
      approvers: new Set(approvers),
      records: this.#records,
      keep: (work) => this.#keep(work),
      signal: this.#gone.signal,
    });
    await listen({
      updates: (offset) => bot.updates(offset, this.#end.signal),
      hear: (update) => this.#take(answers, update),
      trouble: (failure) => this.#inTrouble(failure),
      signal: this.#end.signal,
      secondMs: this.#timing.secondMs,
    });
  }

  /** One update that can't be taken in must not keep back those behind it. */
  async #take(answers: Answers, update: unknown): Promise<void> {
    try {
      await answers.hear(update);
    } catch (cause) {
      const code = cause instanceof CofferdamError ? cause.code : "INTERNAL";
      const message = `an answer in Telegram could not be taken: ${visible(thrownText(cause))}`;
      this.#tellTrouble(new CofferdamError(code, message, { cause }));
    }
  }

  /** Tells of what keeps answers from getting here, or that nothing does any more. */
  #inTrouble(failure: Failure | null): void {
    if (failure === null) {
      this.#trouble = null;
      return;
    }
    const error = channelClosed("answers in Telegram can't be heard", failure, this.#options.token);
    this.#trouble = error;
    for (const question of this.#records.open.values()) this.#keep(tell(question, error));
    if (isUnknownBot(failure)) for (const question of this.#asked) question.fail(error);
    this.#tellTrouble(error);
  }

  #tellTrouble(error: CofferdamError): void {
    try {
      this.#options.onTrouble(error);
    } catch {
      // What a listener throws must not end the listening.
    }
  }

  #hold(): void {
    const isHeld = [...this.#asked].some(({ asking }) => asking.isHeld);
    if (isHeld) this.#holding ??= setInterval(() => undefined, LONG_MS);
    else if (this.#holding !== null) {
      clearInterval(this.#holding);
      this.#holding = null;
    }
  }

  /** Nobody waits for it, but the end of the channel. What fails in it was told where it could be, or changes nothing. */
  #keep(work: Promise<unknown>): void {
    const kept = work.catch(() => undefined).finally(() => this.#work.delete(kept));
    this.#work.add(kept);
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}

/** Node ends longer timers at once. */
const LONG_MS = 2 ** 30;

function closed(): CofferdamError {
  return new CofferdamError("CHANNEL_CLOSED", "the Telegram channel is closed");
}

function tell(question: Question, error: CofferdamError): Promise<void> {
  return question.asking.tell({ type: "approval.failed", reason: error.message });
}
