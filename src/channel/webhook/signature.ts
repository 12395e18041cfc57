import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CofferdamError } from "../../errors.ts";

/** One message as it is sent: its id and time are signed with the body. */
export interface WebhookMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a signed message (https://www.standardwebhooks.com). */
export interface WebhookHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/** Headers by their names in lower case, as Node and `Headers` give them. */
export type ReceivedHeaders =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A message that holds, or the reason why it does not. */
export type VerifiedMessage =
  | ({ readonly kind: "verified" } & WebhookMessage)
  | { readonly kind: "unsigned" | "forged" | "old" };

/** Maximum difference between the clocks of sender and receiver, in seconds. */
export const TOLERANCE_S = 300;

const PREFIX = "whsec_";
const Secret = z
  .string()
  .startsWith(PREFIX)
  .regex(/^[^_]*_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
/** The bounds of the standard, in bytes. */
const [LEAST_KEY, LARGEST_KEY] = [24, 64];

/** The key in a secret: `whsec_` and 24 to 64 bytes in base64. Throws `USAGE`; no message of ours has the secret. */
export function webhookKey(secret: string): Buffer {
  const text = Secret.safeParse(secret);
  const key = Buffer.from(text.success ? text.data.slice(PREFIX.length) : "", "base64");
  if (key.length >= LEAST_KEY && key.length <= LARGEST_KEY) return key;
  throw new CofferdamError("USAGE", "the webhook's secret is not `whsec_` and 24 to 64 bytes in base64", {
    hint: "make one: `echo whsec_$(openssl rand -base64 32)`",
  });
}

/** Signs a message: HMAC-SHA256 over its id, time and body. Throws `USAGE` for an invalid secret. */
export function signWebhook(message: WebhookMessage, secret: string): WebhookHeaders {
  const { id, timestamp } = message;
  const signature = signatureOf(message, webhookKey(secret)).toString("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}

/**
 * Verifies a received message: its signature over exactly these bytes, and that its time is within five minutes of
 * `nowMs`. A receiver must also ignore an id that it has seen. Throws `USAGE` for an invalid secret.
 */
export function verifyWebhook(
  headers: ReceivedHeaders,
  body: string,
  secret: string,
  nowMs: number = Date.now(),
): VerifiedMessage {
  const key = webhookKey(secret);
  const [id = "", time = "", signatures = ""] = (
    ["webhook-id", "webhook-timestamp", "webhook-signature"] as const
  ).map((name) => headerOf(headers, name) ?? "");
  const isSigned = id !== "" && id.length <= MAX_ID && /^\d{1,12}$/.test(time) && signatures !== "";
  if (!isSigned) return { kind: "unsigned" };
  const message = { id, timestamp: Number(time), body };
  const expected = signatureOf({ ...message, time }, key);
  // Several signatures stand beside each other while a secret is being replaced.
  const isGenuine = signatures
    .split(" ", MAX_SIGNATURES)
    .some((one) => one.startsWith("v1,") && isSame(Buffer.from(one.slice(3), "base64"), expected));
  if (!isGenuine) return { kind: "forged" };
  const isOld = Math.abs(nowMs / 1000 - message.timestamp) > TOLERANCE_S;
  return isOld ? { kind: "old" } : { kind: "verified", ...message };
}

const MAX_ID = 256;
const MAX_SIGNATURES = 8;

function signatureOf(
  { id, timestamp, body, time = String(timestamp) }: WebhookMessage & { readonly time?: string },
  key: Buffer,
): Buffer {
  return createHmac("sha256", key).update(`${id}.${time}.${body}`).digest();
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function headerOf(headers: ReceivedHeaders, name: string): string | null {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === "string" ? value : null;
}

function isHeaders(headers: ReceivedHeaders): headers is Pick<Headers, "get"> {
  return typeof headers["get"] === "function";
}
