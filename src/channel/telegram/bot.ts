import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Api } from "grammy";
import { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import { pause } from "../../host/pause.ts";
import type { StyledText } from "../styled-text.ts";
import { type BotApiFailure, type BotApiResult, channelClosed, isPassing, unreachable } from "./failure.ts";
import { longPoll, reasonOf } from "./long-poll.ts";

/** The bot, its chat and its server. */
export interface BotOptions {
  readonly token: string;
  readonly apiRoot: string;
  readonly chat: number;
  /** Length of a second in milliseconds: shorter in tests. */
  readonly secondMs: number;
}

/** A button below a message. */
export interface Button {
  readonly text: string;
  readonly data: string;
}

/** Rows of buttons; empty if nothing can be pressed any longer. */
export type Keyboard = readonly (readonly Button[])[];

/** Maximum time that Telegram may hold a poll open, and of any other call. */
const POLL_S = 25;
const CALL_S = 30;
/** Maximum of tries of a call that may succeed later, and of the pause between them. */
const MAX_TRIES = 4;
const MAX_PAUSE_S = 60;

/** The bot in one chat, through grammY. Messages go out one by one: a pause that Telegram demands applies to all. */
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
    // Its own agent, so that it ends with the bot.
    this.#agent = new (apiRoot.startsWith("https:") ? SecureAgent : Agent)({ keepAlive: true });
    this.#api = new grammy.Api(token, {
      apiRoot,
      timeoutSeconds: CALL_S,
      // A redirect would send the text to another server.
      baseFetchConfig: { agent: this.#agent, compress: true, redirect: "error", size: MAX_BYTES },
    });
  }

  /** Sends a message and returns its number; null if the signal came first. Throws `CHANNEL_CLOSED`. */
  send(
    { text, entities }: StyledText,
    keyboard: Keyboard,
    replyTo: number | null,
    signal: AbortSignal,
  ): Promise<number | null> {
    return this.#write("the request can't be sent to Telegram", signal, () =>
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

  sendDocument(name: string, text: string, caption: string, signal: AbortSignal): Promise<number | null> {
    return this.#write("the request can't be sent to Telegram", signal, () =>
      this.#api.raw.sendDocument({
        chat_id: this.#options.chat,
        document: new this.#grammy.InputFile(Buffer.from(text, "utf8"), name),
        caption,
        disable_content_type_detection: true,
      }),
    );
  }

  /** Changes a message. False if it is gone or cannot be changed. Throws `CHANNEL_CLOSED`. */
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
    throw this.#failed("the message can't be changed in Telegram", said.failure);
  }

  /** Answers a press at once or not at all: Telegram soon forgets the press. */
  async answer(queryId: string, text: string, isAlert: boolean): Promise<void> {
    await this.#call(() =>
      this.#api.raw.answerCallbackQuery({ callback_query_id: queryId, text, show_alert: isAlert }),
    );
  }

  /** The updates from `offset` on, or from the oldest one that Telegram keeps. Waits until there is one. */
  updates(offset: number | null, signal: AbortSignal): Promise<BotApiResult<readonly unknown[]>> {
    const { apiRoot, token, secondMs } = this.#options;
    const payload = {
      ...(offset === null ? {} : { offset }),
      limit: MAX_UPDATES,
      timeout: POLL_S,
      allowed_updates: ["callback_query", "message"],
    };
    return longPoll(`${apiRoot}/bot${token}/getUpdates`, payload, {
      agent: this.#agent,
      timeoutMs: (POLL_S + CALL_S) * secondMs,
      signal,
    });
  }

  end(): void {
    this.#hasEnded = true;
    this.#agent.destroy();
  }

  #failed(what: string, failure: BotApiFailure): CofferdamError {
    return channelClosed(what, failure, this.#options.token);
  }

  async #write(what: string, signal: AbortSignal, call: () => Promise<unknown>): Promise<number | null> {
    const said = await this.#inTurn(signal, call);
    if (said === null) return null;
    if (!said.ok) throw this.#failed(what, said.failure);
    const sent = Sent.safeParse(said.result).data;
    if (sent === undefined) throw this.#failed(what, unreachable("its answer is not valid for the Bot API"));
    return sent.message_id;
  }

  /** Makes a call in its turn, and again if it may succeed later; null if the signal comes first. */
  #inTurn<Result>(signal: AbortSignal, call: () => Promise<Result>): Promise<BotApiResult<Result> | null> {
    const done = this.#last.then(() => this.#patiently(signal, call));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #patiently<Result>(
    signal: AbortSignal,
    call: () => Promise<Result>,
  ): Promise<BotApiResult<Result> | null> {
    const { secondMs } = this.#options;
    for (let tries = 1; ; tries += 1) {
      if (signal.aborted) return null;
      const said = await this.#call(call);
      if (said.ok || !isPassing(said.failure) || tries === MAX_TRIES) return said;
      const pauseS = said.failure.retryAfterS ?? 2 ** (tries - 1);
      if (pauseS > MAX_PAUSE_S) return said;
      await pause(pauseS * secondMs, { signal });
    }
  }

  async #call<Result>(call: () => Promise<Result>): Promise<BotApiResult<Result>> {
    if (this.#hasEnded) return { ok: false, failure: unreachable("the channel is closed") };
    try {
      return { ok: true, result: await call() };
    } catch (cause) {
      return { ok: false, failure: this.#failureOf(cause) };
    }
  }

  #failureOf(cause: unknown): BotApiFailure {
    if (cause instanceof this.#grammy.GrammyError) {
      const { error_code: code, description, parameters } = cause;
      const moved = parameters.migrate_to_chat_id;
      const where = moved === undefined ? "" : ` (its new number is ${moved})`;
      return { code, description: `${description}${where}`, retryAfterS: parameters.retry_after ?? null };
    }
    return unreachable(reasonOf(cause instanceof this.#grammy.HttpError ? cause.error : cause));
  }
}

/** Loads grammY, which only users of a bot need. Throws `CHANNEL_CLOSED` if it is not installed. */
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

/** Telegram's answer about a message that it accepted. */
const Sent = z.object({ message_id: z.int() });
/** Maximum size of an answer to anything but a poll: Telegram sends nothing longer. */
const MAX_BYTES = 1024 * 1024;
const MAX_UPDATES = 50;

function isUnchanged({ code, description }: BotApiFailure): boolean {
  return code === 400 && description.includes("message is not modified");
}

function markupOf(keyboard: Keyboard) {
  return {
    inline_keyboard: keyboard.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
  };
}
