import type { Answer, ApprovalHandler, Asking, RequestLookup } from "../../approval/handler.ts";
import { CofferdamError, thrownText, visible } from "../../errors.ts";
import { AnySignal } from "../../host/any-signal.ts";
import { pause } from "../../host/pause.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { ChatAnswers } from "./answers.ts";
import { Bot, loadGrammy } from "./bot.ts";
import { type BotApiFailure, channelClosed, isUnknownBot } from "./failure.ts";
import { listen } from "./listening.ts";
import { ChatQuestion, type Timing } from "./question.ts";
import { ChatRecords, type Over } from "./records.ts";

/** A chat and its bot. */
export interface ChannelOptions {
  readonly token: string;
  readonly chat: number;
  readonly approvers: readonly number[];
  readonly apiRoot: string;
  readonly onTrouble: (error: CofferdamError) => void;
}

/** Maximum time for the last messages when the channel ends. */
const LAST_WORDS_S = 5;

/** Asks in one chat, and handles the answers of its approvers. */
export class Channel implements ApprovalHandler, Disposable, AsyncDisposable {
  readonly #options: ChannelOptions;
  readonly #timing: Timing;
  readonly #records = new ChatRecords();
  readonly #asked = new Set<ChatQuestion>();
  readonly #work = new Set<Promise<unknown>>();
  /** Aborted: nothing new begins. */
  readonly #end = new AbortController();
  /** Aborted: nothing continues. */
  readonly #gone = new AbortController();
  #bot: Promise<Bot> | null = null;
  #isListening = false;
  /** The problem that keeps answers from arriving. */
  #trouble: CofferdamError | null = null;
  /** Keeps the process alive as long as a call is waiting. */
  #holding: NodeJS.Timeout | null = null;

  constructor(options: ChannelOptions, timing: Timing) {
    this.#options = options;
    this.#timing = timing;
  }

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer> {
    if (this.#end.signal.aborted) throw closed();
    const question = new ChatQuestion(request, asking, this.#options.chat, this.#timing);
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

  attends(requests: RequestLookup): void {
    this.#records.lookIn(requests);
    this.#listen();
  }

  /** Like the asynchronous one, for callers that cannot wait for its end. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }

  /** Closes the channel, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Ends every wait. Messages of settled requests are changed for seconds at most; unanswered ones stay open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    for (const question of this.#asked) question.fail(closed());
    const late = pause(LAST_WORDS_S * this.#timing.secondMs, { signal: this.#gone.signal });
    await Promise.race([late, this.#settled()]);
    this.#gone.abort();
    try {
      (await this.#bot)?.end();
    } catch {
      // There is none to be ended.
    }
  }

  async #ask(question: ChatQuestion): Promise<void> {
    const { open } = this.#records;
    // Brokers that share a store may both bring the request: one message is enough, as long as one of them asks.
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

  async #put(question: ChatQuestion): Promise<void> {
    using until = new AnySignal(question.asking.signal, this.#end.signal);
    if (this.#trouble !== null) this.#keep(reportTo(question, this.#trouble));
    await question.put(await this.#open(), until.signal);
  }

  /** Changes the messages of a settled request, once no further message can be on its way. */
  async #close(question: ChatQuestion, put: Promise<void>): Promise<void> {
    await put.catch(() => undefined);
    const over = await this.#become(question);
    // Only once the outcome is known: a press meanwhile is answered with it.
    this.#records.open.delete(question.key);
    question.close();
    if (over === null) return;
    const bot = await this.#open();
    for (const messageId of question.messages) await bot.edit(messageId, over.message, [], this.#gone.signal);
  }

  /** The outcome of a request; null if it was left open or is unknown. */
  async #become(question: ChatQuestion): Promise<Over | null> {
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
      // Requests report it too, when they cannot be sent.
      if (cause instanceof CofferdamError) this.#reportTrouble(cause);
      throw cause;
    });
    const answers = new ChatAnswers({
      bot,
      chat,
      approvers: new Set(approvers),
      records: this.#records,
      keep: (work) => this.#keep(work),
      signal: this.#gone.signal,
    });
    await listen({
      updates: (offset) => bot.updates(offset, this.#end.signal),
      hear: (update) => this.#handle(answers, update),
      trouble: (failure) => this.#inTrouble(failure),
      signal: this.#end.signal,
      secondMs: this.#timing.secondMs,
    });
  }

  /** An update that cannot be handled must not hold up the later ones. */
  async #handle(answers: ChatAnswers, update: unknown): Promise<void> {
    try {
      await answers.hear(update);
    } catch (cause) {
      const code = cause instanceof CofferdamError ? cause.code : "INTERNAL";
      const message = `an answer from Telegram could not be handled: ${visible(thrownText(cause))}`;
      this.#reportTrouble(new CofferdamError(code, message, { cause }));
    }
  }

  /** Reports that answers cannot arrive, or that they can again. */
  #inTrouble(failure: BotApiFailure | null): void {
    if (failure === null) {
      this.#trouble = null;
      return;
    }
    const error = channelClosed("answers from Telegram can't be received", failure, this.#options.token);
    this.#trouble = error;
    for (const question of this.#records.open.values()) this.#keep(reportTo(question, error));
    if (isUnknownBot(failure)) for (const question of this.#asked) question.fail(error);
    this.#reportTrouble(error);
  }

  #reportTrouble(error: CofferdamError): void {
    try {
      this.#options.onTrouble(error);
    } catch {
      // An exception of a listener must not end the listening.
    }
  }

  #hold(): void {
    const isBlocking = [...this.#asked].some(({ asking }) => asking.isBlocking);
    if (isBlocking) this.#holding ??= setInterval(() => undefined, LONG_MS);
    else if (this.#holding !== null) {
      clearInterval(this.#holding);
      this.#holding = null;
    }
  }

  /** Runs work that only the channel's end waits for. Its failures are reported where possible, or change nothing. */
  #keep(work: Promise<unknown>): void {
    const kept = work.catch(() => undefined).finally(() => this.#work.delete(kept));
    this.#work.add(kept);
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}

/** Node fires longer timers immediately. */
const LONG_MS = 2 ** 30;

function closed(): CofferdamError {
  return new CofferdamError("CHANNEL_CLOSED", "the Telegram channel is closed");
}

function reportTo(question: ChatQuestion, error: CofferdamError): Promise<void> {
  return question.asking.report({ type: "approval.failed", reason: error.message });
}
