import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Api } from "grammy";
import { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import { pause } from "../pause.ts";
import type { StyledText } from "../styled-text.ts";
import { channelClosed, type Failure, isPassing, type Said, unreachable } from "./failure.ts";
import { longPoll, reasonOf } from "./long-poll.ts";

/** Which bot, and where. */
export interface BotOptions {
  readonly token: string;
  /** Without a slash at its end. */
  readonly apiRoot: string;
  readonly chat: number;
  /** How long a second lasts: shorter in tests. */
  readonly secondMs: number;
}

/** A button below a message. */
export interface Button {
  readonly text: string;
  readonly data: string;
}

/** Rows of buttons; none where there is nothing to press any more. */
export type Keyboard = readonly (readonly Button[])[];

/** How long Telegram may hold a poll open, and how long anything else may take. */
const POLL_S = 25;
const CALL_S = 30;
/** So often a call is tried that may succeed later, and so long at most it is waited in between. */
const MOST_TRIES = 4;
const MOST_PAUSE_S = 60;

/**
 * The bot in one chat, through grammY. What is written goes out one after the other, so that a pause that Telegram
 * demands holds for all of it.
 */
export class Bot {
  readonly #options: BotOptions;
  readonly #api: Api;
  readonly #grammy: typeof import("grammy");
  readonly #agent: Agent | SecureAgent;
  #hasEnded = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: BotOptions, grammy: typeof import("grammy")) {
    this.#options = options;
    this.#grammy = grammy;
    const { apiRoot, token } = options;
    // Of its own, so that it goes with the bot.
    this.#agent = new (apiRoot.startsWith("https:") ? SecureAgent : Agent)({ keepAlive: true });
    this.#api = new grammy.Api(token, {
      apiRoot,
      timeoutSeconds: CALL_S,
      // A server that sends elsewhere would be sent the text there.
      baseFetchConfig: { agent: this.#agent, compress: true, redirect: "error", size: MOST_BYTES },
    });
  }

  /** Sends a message and says its number; null when the signal came first. Throws `CHANNEL_CLOSED`. */
  send(
    { text, entities }: StyledText,
    keyboard: Keyboard,
    replyTo: number | null,
    signal: AbortSignal,
  ): Promise<number | null> {
    return this.#write("the question can't be sent to Telegram", signal, () =>
      this.#api.raw.sendMessage({
        chat_id: this.#options.chat,
        text,
        entities: [...entities],
        reply_markup: markupOf(keyboard),
        link_preview_options: { is_disabled: true },
        ...(replyTo === null
          ? {}
          : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
      }),
    );
  }

  /** Sends a text as a file. Else as `send`. */
  sendDocument(name: string, text: string, caption: string, signal: AbortSignal): Promise<number | null> {
    return this.#write("the question can't be sent to Telegram", signal, () =>
      this.#api.raw.sendDocument({
        chat_id: this.#options.chat,
        document: new this.#grammy.InputFile(Buffer.from(text, "utf8"), name),
        caption,
        disable_content_type_detection: true,
      }),
    );
  }

  /** Changes a message. False where it is not there any more, or can't be changed; throws `CHANNEL_CLOSED`. */
  async edit(
    messageId: number,
    { text, entities }: StyledText,
    keyboard: Keyboard,
    signal: AbortSignal,
  ): Promise<boolean> {
    const said = await this.#inTurn(signal, () =>
      this.#api.raw.editMessageText({
        chat_id: this.#options.chat,
        message_id: messageId,
        text,
        entities: [...entities],
        reply_markup: markupOf(keyboard),
        link_preview_options: { is_disabled: true },
      }),
    );
    if (said === null || said.ok || isUnchanged(said.failure)) return true;
    if (said.failure.code === 400) return false;
    throw this.#failed("the question can't be changed in Telegram", said.failure);
  }

  /** Tells whoever pressed. It is told at once or not at all: the press is forgotten soon. */
  async answer(queryId: string, text: string, isAlert: boolean): Promise<void> {
    await this.#call(() =>
      this.#api.raw.answerCallbackQuery({ callback_query_id: queryId, text, show_alert: isAlert }),
    );
  }

  /** What happened behind `offset` - 1, or from where Telegram remembers; waits until there is something. */
  updates(offset: number | null, signal: AbortSignal): Promise<Said<readonly unknown[]>> {
    const { apiRoot, token, secondMs } = this.#options;
    const payload = {
      ...(offset === null ? {} : { offset }),
      limit: MOST_UPDATES,
      timeout: POLL_S,
      allowed_updates: ["callback_query", "message"],
    };
    return longPoll(`${apiRoot}/bot${token}/getUpdates`, payload, {
      agent: this.#agent,
      timeoutMs: (POLL_S + CALL_S) * secondMs,
      signal,
    });
  }

  /** Ends everything that is under way. */
  end(): void {
    this.#hasEnded = true;
    this.#agent.destroy();
  }

  #failed(what: string, failure: Failure): CofferdamError {
    return channelClosed(what, failure, this.#options.token);
  }

  async #write(what: string, signal: AbortSignal, call: () => Promise<unknown>): Promise<number | null> {
    const said = await this.#inTurn(signal, call);
    if (said === null) return null;
    if (!said.ok) throw this.#failed(what, said.failure);
    const sent = Sent.safeParse(said.result).data;
    if (sent === undefined) throw this.#failed(what, unreachable("its answer is none of the Bot API"));
    return sent.message_id;
  }

  /** When its turn comes, and again where it may succeed later; null when the signal comes before. */
  #inTurn<Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<Said<Result> | null> {
    const done = this.#last.then(() => this.#patiently(signal, call));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #patiently<Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<Said<Result> | null> {
    const { secondMs } = this.#options;
    for (let tries = 1; ; tries += 1) {
      if (signal.aborted) return null;
      const said = await this.#call(call);
      if (said.ok || !isPassing(said.failure) || tries === MOST_TRIES) return said;
      const pauseS = said.failure.retryAfterS ?? 2 ** (tries - 1);
      if (pauseS > MOST_PAUSE_S) return said;
      await pause(pauseS * secondMs, signal);
    }
  }

  async #call<Result>(call: () => Promise<Result>): Promise<Said<Result>> {
    if (this.#hasEnded) return { ok: false, failure: unreachable("the channel is closed") };
    try {
      return { ok: true, result: await call() };
    } catch (cause) {
      return { ok: false, failure: this.#failureOf(cause) };
    }
  }

  #failureOf(cause: unknown): Failure {
    if (cause instanceof this.#grammy.GrammyError) {
      const { error_code: code, description, parameters } = cause;
      const moved = parameters.migrate_to_chat_id;
      const where = moved === undefined ? "" : ` (it is ${moved} now)`;
      return { code, description: `${description}${where}`, retryAfterS: parameters.retry_after ?? null };
    }
    return unreachable(reasonOf(cause instanceof this.#grammy.HttpError ? cause.error : cause));
  }
}

/** Loads grammY, which only those need who have a bot. Throws `CHANNEL_CLOSED` where it is not installed. */
export async function loadGrammy(): Promise<typeof import("grammy")> {
  try {
    return await import("grammy");
  } catch (cause) {
    throw new CofferdamError("CHANNEL_CLOSED", "the package `grammy` can't be loaded", {
      hint: "install it: `npm install grammy`",
      cause,
    });
  }
}

/** What Telegram says of a message that it took. */
const Sent = z.object({ message_id: z.int() });
/** A longer answer to anything but a poll is none of Telegram's. */
const MOST_BYTES = 1024 * 1024;
const MOST_UPDATES = 50;

function isUnchanged({ code, description }: Failure): boolean {
  return code === 400 && description.includes("message is not modified");
}

function markupOf(keyboard: Keyboard) {
  return {
    inline_keyboard: keyboard.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
  };
}
