import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { vi } from "vitest";
import type { z } from "zod";
import { CHAT, SECOND_MS, TOKEN } from "./one-bot.ts";
import {
  assertButtons,
  assertText,
  type Entity,
  type Markup,
  type Method,
  PAYLOADS,
  Refused,
} from "./payloads.ts";

/** Somebody in Telegram. */
export interface Person {
  readonly id: number;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
}

/** A message as it stands in a chat. */
export interface Message {
  readonly id: number;
  readonly chat: number;
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: readonly (readonly { readonly text: string; readonly data: string }[])[];
  /** The file that it brings. */
  readonly document: string | null;
  readonly replyTo: number | null;
}

/** How a call comes to nothing. */
export type Refusal = Refused | "hang up" | "garbage" | "silence";

/** What somebody who pressed was told. */
export interface Told {
  readonly text: string;
  readonly isAlert: boolean;
}

export const ANN: Person = { id: 7, first_name: "Ann", last_name: "Lee", username: "ann" };
export const BOB: Person = { id: 8, first_name: "Bob" };
export const EVE: Person = { id: 666, first_name: "Eve" };

/**
 * A local stand-in of the Bot API (https://core.telegram.org/bots/api) with one bot in some chats, over real HTTP. It
 * refuses what Telegram refuses, and some more that would be a mistake; what it was told wrongly, `mistakes` holds.
 */
export class BotApi implements AsyncDisposable {
  readonly chats = new Set([CHAT, ANN.id]);
  readonly messages = new Map<number, Message>();
  readonly calls: { readonly method: string; readonly payload: unknown }[] = [];
  readonly mistakes: string[] = [];
  /** By the id of the press. */
  readonly told = new Map<string, Told>();
  hasWebhook = false;
  /** Null when nobody gets in. */
  token: string | null = TOKEN;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #refusals: { readonly method: string; readonly with: Refusal }[] = [];
  readonly #updates: { readonly update_id: number }[] = [];
  readonly #queries = new Set<string>();
  #last = 100;
  #poll: AbortController | null = null;
  #wake: (() => void) | null = null;

  readonly #secondMs: number;

  private constructor(secondMs: number) {
    this.#secondMs = secondMs;
  }

  static async start(secondMs = SECOND_MS): Promise<BotApi> {
    const api = new BotApi(secondMs);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get root(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next calls of a method come to nothing, in this order. */
  refuse(method: Method, ...how: readonly Refusal[]): void {
    this.#refusals.push(...how.map((one) => ({ method, with: one })));
  }

  /** Somebody presses a button of a message, by its words; the id of the press. */
  press(message: Message, words: string, by: Person): string {
    const button = this.now(message)
      .buttons.flat()
      .find(({ text }) => text === words);
    if (button === undefined) throw new Error(`there is no button "${words}"`);
    return this.forge(message, button.data, by);
  }

  /** Somebody sends what no button carries, as a client of their own can. */
  forge(message: Pick<Message, "id" | "chat">, data: string, by: Person): string {
    const id = `query ${this.#next()}`;
    this.#queries.add(id);
    const place = { message_id: message.id, chat: { id: message.chat, type: "supergroup" }, date: 0 };
    this.#happen({ callback_query: { id, from: { ...by, is_bot: false }, message: place, data } });
    return id;
  }

  /** Somebody replies to a message. */
  reply(message: Message, text: string, by: Person): void {
    const chat = { id: message.chat, type: "supergroup" };
    this.#happen({
      message: {
        message_id: this.#next(),
        from: { ...by, is_bot: false },
        chat,
        date: 0,
        text,
        reply_to_message: { message_id: message.id, chat, date: 0, text: message.text },
      },
    });
  }

  /** Anything may happen in a chat. */
  happen(update: object): void {
    this.#happen(update);
  }

  /** The message as it stands now. */
  now(message: Message): Message {
    const now = this.messages.get(message.id);
    if (now === undefined) throw new Error("the message is gone");
    return now;
  }

  /** The one message with this text in it, once there is one. */
  async message(text: string, more: (message: Message) => boolean = () => true): Promise<Message> {
    return this.until(() => [...this.messages.values()].find((one) => one.text.includes(text) && more(one)));
  }

  /** What whoever pressed was told, once they were. */
  async answer(query: string): Promise<string> {
    return this.until(() => this.told.get(query)?.text);
  }

  /** Until there is something. */
  async until<Found>(find: () => Found | undefined | null | false): Promise<Found> {
    return vi.waitFor(
      () => {
        const found = find();
        if (found === undefined || found === null || found === false) throw new Error("not yet");
        return found;
      },
      { interval: 2, timeout: 30_000 },
    );
  }

  /** The calls of a method so far. */
  of(method: Method): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  #happen(what: object): void {
    this.#updates.push({ update_id: this.#next(), ...what });
    this.#wake?.();
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = "", method = ""] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? "") ?? [];
    let answer: object;
    try {
      const payload = await payloadOf(request);
      this.calls.push({ method, payload });
      if (token !== this.token)
        throw token === TOKEN ? new Refused(401, "Unauthorized") : new Refused(404, "Not Found");
      const refusal = this.#refusals.findIndex((one) => one.method === method);
      const [how] = refusal < 0 ? [] : this.#refusals.splice(refusal, 1);
      if (how?.with === "hang up") return void request.socket.destroy();
      if (how?.with === "silence") return;
      if (how?.with === "garbage") return void response.end("<html>bad gateway</html>");
      if (how !== undefined) throw how.with;
      answer = { ok: true, result: await this.#call(method, payload, request) };
    } catch (cause) {
      const refused = cause instanceof Refused ? cause : new Refused(500, `Internal: ${String(cause)}`);
      if (refused.code === 400 || refused.code === 500) this.mistakes.push(`${method}: ${refused.message}`);
      const { code: error_code, message: description, parameters } = refused;
      answer = { ok: false, error_code, description, ...(parameters === undefined ? {} : { parameters }) };
      response.statusCode = error_code;
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  }

  async #call(method: string, payload: unknown, request: IncomingMessage): Promise<unknown> {
    switch (method) {
      case "getMe":
        return { id: 123456789, is_bot: true, first_name: "stand-in", username: "stand_in_bot" };
      case "deleteWebhook":
        this.hasWebhook = false;
        return true;
      case "getUpdates":
        return this.#getUpdates(parsed(PAYLOADS.getUpdates, payload), request);
      case "sendMessage": {
        const { chat_id, text, entities, reply_markup, reply_parameters } = parsed(
          PAYLOADS.sendMessage,
          payload,
        );
        assertText(text, entities);
        assertButtons(reply_markup);
        const replyTo = reply_parameters?.message_id ?? null;
        return this.#put(
          { id: this.#next(), chat: chat_id, text, entities, replyTo, document: null },
          reply_markup,
        );
      }
      case "sendDocument": {
        const { chat_id, caption, document } = parsed(PAYLOADS.sendDocument, payload);
        const message = { id: this.#next(), chat: chat_id, text: caption, entities: [], replyTo: null };
        return this.#put({ ...message, document: document.text }, { inline_keyboard: [] });
      }
      case "editMessageText": {
        const { chat_id, message_id, text, entities, reply_markup } = parsed(
          PAYLOADS.editMessageText,
          payload,
        );
        assertText(text, entities);
        assertButtons(reply_markup);
        const before = this.messages.get(message_id);
        if (before?.chat !== chat_id) throw new Refused(400, "Bad Request: message to edit not found");
        const same = JSON.stringify([before.text, before.entities, markupOf(before)]);
        if (same === JSON.stringify([text, entities, reply_markup]))
          throw new Refused(400, "Bad Request: message is not modified: it is as it was");
        return this.#put({ ...before, text, entities }, reply_markup);
      }
      case "answerCallbackQuery": {
        const {
          callback_query_id: id,
          text,
          show_alert: isAlert,
        } = parsed(PAYLOADS.answerCallbackQuery, payload);
        if (!this.#queries.delete(id))
          throw new Refused(400, "Bad Request: query is too old or its ID is invalid");
        this.told.set(id, { text, isAlert });
        return true;
      }
      default:
        throw new Refused(404, "Not Found: method not found");
    }
  }

  #put(message: Omit<Message, "buttons">, { inline_keyboard: rows }: Markup): object {
    if (!this.chats.has(message.chat)) throw new Refused(400, "Bad Request: chat not found");
    const buttons = rows.map((row) => row.map(({ text, callback_data: data }) => ({ text, data })));
    this.messages.set(message.id, { ...message, buttons });
    return { message_id: message.id, chat: { id: message.chat }, date: 0, text: message.text };
  }

  /** One poll at a time: a new one ends the one before. What lies before `offset` is forgotten. */
  async #getUpdates(
    { offset = 0, limit, timeout }: z.infer<typeof PAYLOADS.getUpdates>,
    request: IncomingMessage,
  ): Promise<unknown> {
    if (this.hasWebhook)
      throw new Refused(409, "Conflict: can't use getUpdates method while webhook is active");
    this.#poll?.abort();
    const poll = new AbortController();
    this.#poll = poll;
    const leave = (): void => poll.abort();
    request.socket.once("close", leave);
    const confirmed = this.#updates.findIndex(({ update_id }) => update_id >= offset);
    this.#updates.splice(0, confirmed < 0 ? this.#updates.length : confirmed);
    const happened = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#updates.length === 0)
      await Promise.race([
        happened,
        delay(timeout * this.#secondMs, null, { signal: poll.signal }).catch(() => null),
      ]);
    request.socket.off("close", leave);
    if (poll.signal.aborted)
      throw new Refused(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      );
    this.#poll = null;
    return this.#updates.slice(0, limit);
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.infer<Schema> {
  const read = schema.safeParse(payload);
  if (!read.success) throw new Refused(400, `Bad Request: ${read.error.message}`);
  return read.data;
}

function markupOf({ buttons }: Message): Markup {
  return {
    inline_keyboard: buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
  };
}

async function payloadOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") throw new Refused(405, "this stand-in takes POST alone");
  const body = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return JSON.parse(body.toString("utf8"));
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const fields = Object.fromEntries(form);
  const [reference] = [fields["document"]];
  const file = typeof reference === "string" ? form.get(reference.replace("attach://", "")) : null;
  if (!(file instanceof File)) throw new Refused(400, "Bad Request: there is no document in the request");
  const { chat_id, caption, disable_content_type_detection } = fields;
  return {
    chat_id,
    caption,
    disable_content_type_detection,
    document: { name: file.name, text: await file.text() },
  };
}
