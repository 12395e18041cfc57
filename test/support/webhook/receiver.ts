import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { WebhookChannel, type WebhookTiming } from "../../../src/channel/webhook/channel.ts";
import type { AnswerMessage, RequestedMessage, SettledMessage } from "../../../src/entry/webhook.ts";
import { type ApprovalServer, serveApprovals } from "../../../src/http/serve.ts";
import { webhookMount } from "../../../src/http/webhook-mount.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import type { Store } from "../../../src/store/store.ts";
import { type Desk, desk } from "../approval/desk.ts";

export const SECRET = `whsec_${Buffer.from("a webhook secret of 32 bytes, ok").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("another secret, also of 32 bytes").toString("base64")}`;

/** One message as it came in. */
export interface Got {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly message: RequestedMessage | SettledMessage;
}

/** The reply of a receiver to a message. */
export type Reply = (got: Got, response: ServerResponse, index: number) => void | Promise<void>;

export const TAKEN: Reply = (_, response) => void response.writeHead(204).end();

/** A receiver of webhooks over real HTTP, gone after the test. */
export async function receiver(reply: Reply = TAKEN): Promise<{ readonly url: string; readonly got: Got[] }> {
  const got: Got[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const one = { headers, body, message: body === "" ? null : JSON.parse(body) };
    got.push(one);
    await reply(one, response, got.length - 1);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, got };
}

/** Signs as the standard says, by other code than ours. */
export async function signedBy(
  secret: string,
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): Promise<Readonly<Record<string, string>>> {
  const { subtle } = globalThis.crypto;
  const bytes = Uint8Array.from(atob(secret.replace("whsec_", "")), (one) => one.charCodeAt(0));
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const { id, timestamp, body } = message;
  const signed = await subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  const text = btoa(String.fromCharCode(...new Uint8Array(signed)));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${text}`,
  };
}

/** A process with a webhook channel and the HTTP API for its answers. */
export interface Sender extends Desk {
  readonly channel: WebhookChannel;
  readonly server: ApprovalServer;
  readonly trouble: readonly string[];
  readonly refused: () => readonly string[];
  /** Sends a signed answer as a receiver does; what may differ is named. */
  answer(
    data: Partial<AnswerMessage["data"]>,
    more?: { readonly id?: string; readonly agoS?: number; readonly secret?: string; readonly body?: string },
  ): Promise<Response>;
}

/** A process that sends its requests to a URL. Its clock runs; seconds may be short. */
export async function sender(
  url: string,
  {
    secondMs = 1_000,
    timeoutMs = 60_000,
    store,
  }: { readonly secondMs?: number; readonly timeoutMs?: number; readonly store?: Store } = {},
): Promise<Sender> {
  const at = desk(store === undefined ? {} : { store });
  at.clock.now = Date.now();
  const trouble: string[] = [];
  const timing: WebhookTiming = { now: Date.now, secondMs, timeoutMs };
  const channel = new WebhookChannel(
    {
      url,
      secret: SECRET,
      approvers: ["U1", "U2"],
      onTrouble: ({ message }) => void trouble.push(message),
    },
    timing,
  );
  const journal = new MemoryJournal();
  const server = await serveApprovals(at.broker, {
    mounts: [webhookMount(at.broker, channel)],
    recorder: new Recorder({ now: Date.now }, journal, "run-1"),
  });
  const attending = await at.broker.attend(channel);
  onTestFinished(async () => {
    attending[Symbol.dispose]();
    await server.close();
    await channel[Symbol.asyncDispose]();
    await at.broker[Symbol.asyncDispose]();
  });
  let ids = 0;
  return {
    ...at,
    channel,
    server,
    trouble,
    refused: () => journal.events.flatMap((one) => (one.type === "http.refused" ? [one.why] : [])),
    answer: async (data, { id = `msg-${ids++}`, agoS = 0, secret = SECRET, body } = {}) => {
      const message = { type: "approval.answer", data: { approved: true, by: "U1", ...data } };
      const signed = JSON.stringify(message);
      const headers = await signedBy(secret, {
        id,
        timestamp: Math.floor(Date.now() / 1000) - agoS,
        body: signed,
      });
      return fetch(`${server.url}/webhook`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: body ?? signed,
      });
    },
  };
}
