import { randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  type AnswerMessage,
  RequestedMessage,
  SettledMessage,
  signWebhook,
  verifyWebhook,
} from "cofferdam/webhook";

/** Where cofferdam is, and the secret that both sides sign with. */
export interface RelayOptions {
  /** The value of `secret_env` in cofferdam's config. */
  readonly secret: string;
  /** The address that `cofferdam serve` prints for answers: `http://127.0.0.1:7070/webhook`. */
  readonly answersTo: string;
}

/** A chat: posts requests and outcomes, and reads answers at a path of its own. */
export interface Chat {
  readonly path: string;
  ask(request: RequestedMessage["data"]): Promise<void>;
  settle(outcome: SettledMessage["data"]): Promise<void>;
  /** The status and body for one request of the chat's servers. */
  hear(request: IncomingMessage, body: string): Promise<{ readonly status: number; readonly body?: unknown }>;
}

const MAX_BODY = 256 * 1024;

/** A server between cofferdam (`POST /cofferdam`) and a chat. */
export function relay({ secret }: RelayOptions, chat: Chat): RequestListener {
  const seen = new Set<string>();
  const fromCofferdam = async (request: IncomingMessage, body: string): Promise<number> => {
    const message = verifyWebhook(request.headers, body, secret);
    if (message.kind !== "verified") return 401;
    // It is sent again until it is taken: the same id is the same message.
    if (seen.has(message.id)) return 204;
    const data: unknown = JSON.parse(body);
    const [asked, settled] = [RequestedMessage.safeParse(data), SettledMessage.safeParse(data)];
    if (asked.success) await chat.ask(asked.data.data);
    if (settled.success) await chat.settle(settled.data.data);
    seen.add(message.id);
    return 204;
  };
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const body = await bodyOf(request);
      if (body === null) return void response.writeHead(413, { connection: "close" }).end();
      if (request.url === "/cofferdam")
        return void response.writeHead(await fromCofferdam(request, body)).end();
      if (request.url !== chat.path) return void response.writeHead(404).end();
      const heard = await chat.hear(request, body);
      const json = { "content-type": "application/json" };
      response.writeHead(heard.status, json).end(heard.body === undefined ? "" : JSON.stringify(heard.body));
    } catch {
      // The sender tries again.
      if (!response.headersSent) response.writeHead(502).end();
    }
  };
  return (request, response) => void reply(request, response);
}

/** The body as it was signed; null if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > MAX_BODY) return null;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Sends a signed answer to cofferdam. Returns what became of it, for the chat. */
export async function answer(
  { secret, answersTo }: RelayOptions,
  data: Omit<AnswerMessage["data"], "scope">,
): Promise<string> {
  const body = JSON.stringify({ type: "approval.answer", data });
  const message = { id: randomUUID(), timestamp: Math.floor(Date.now() / 1000), body };
  const response = await fetch(answersTo, {
    method: "POST",
    headers: { "content-type": "application/json", ...signWebhook(message, secret) },
    body,
    redirect: "error",
  });
  if (response.ok) return `${data.approved ? "Approved" : "Rejected"} by ${data.name ?? data.by}`;
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return `This answer does not count: ${error.message}`;
}

/** Posts JSON to a chat. Throws if it is not taken: then cofferdam sends its message again. */
export async function post(url: string, value: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify(value),
    redirect: "error",
  });
  if (!response.ok) throw new Error(`the chat answered with status ${response.status}`);
}

/** A text of an agent in which nothing is invisible and no character changes the order of others. */
export function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** The arguments of a request in words; `isWhole` if a person who reads them has seen the whole call. */
export function argumentsOf(
  { safeArgs, isWhole }: RequestedMessage["data"],
  maxLength: number,
): { readonly text: string; readonly isWhole: boolean } {
  const whole = visible(JSON.stringify(safeArgs, null, 2));
  return { text: whole.slice(0, maxLength), isWhole: isWhole && whole.length <= maxLength };
}

/** Compares signatures without telling how much of them is right. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
