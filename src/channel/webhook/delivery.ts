import { AnySignal } from "../../host/any-signal.ts";
import { codeOf } from "../../host/system-error.ts";

/** The receiver's reply to one message. */
export type DeliveryResult =
  | { readonly kind: "delivered"; readonly headers: Headers; readonly body: string }
  /** It may be taken later. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterS: number | null }
  /** The receiver wants no more messages. */
  | { readonly kind: "gone" };

/** Maximum bytes of a reply; the rest is not read. */
const MAX_REPLY_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_S = 600;

/**
 * Sends one message, once. A redirect is not followed: its target is not the one that a person named in the config, and
 * would get a signed request. Never rejects.
 */
export async function deliver(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<DeliveryResult> {
  using until = new AnySignal(signal, AbortSignal.timeout(timeoutMs));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: until.signal,
    });
    const text = await headOf(response);
    if (response.ok) return { kind: "delivered", headers: response.headers, body: text };
    if (response.status === 410) return { kind: "gone" };
    const isRedirect = response.status >= 300 && response.status < 400;
    const reason = `the receiver answered with status ${response.status}${isRedirect ? ", and redirects are not followed" : ""}`;
    return { kind: "failed", reason, retryAfterS: retryAfterOf(response) };
  } catch (cause) {
    const isSlow = until.signal.aborted && !signal.aborted;
    const reason = isSlow
      ? "the receiver did not answer in time"
      : `the receiver can't be reached (${reasonOf(cause)})`;
    return { kind: "failed", reason, retryAfterS: null };
  }
}

/** The body of a reply, up to the maximum: a receiver may send without an end. */
async function headOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > MAX_REPLY_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_REPLY_BYTES).toString("utf8");
}

function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) : null;
}

/** The code of a failure: its message may name addresses of the network. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return [codeOf(inner), codeOf(cause)].find((code) => code !== "") ?? "the connection failed";
}
