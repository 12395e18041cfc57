import { type Agent, request } from "node:http";
import { request as requestSecurely, type Agent as SecureAgent } from "node:https";
import { z } from "zod";
import { orNull } from "../../host/or-null.ts";
import { type BotApiResult, unreachable } from "./failure.ts";

export interface LongPollOptions {
  readonly agent: Agent | SecureAgent;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Maximum size of an answer: Telegram sends nothing longer. */
const MAX_BYTES = 16 * 1024 * 1024;

const Answer = z.union([
  z.object({ ok: z.literal(true), result: z.array(z.unknown()) }),
  z.object({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string(),
    parameters: z.object({ retry_after: z.int().positive().optional() }).optional(),
  }),
]);

/** Asks for updates once. Unlike grammY's own call it keeps no process alive: pending requests decide that. */
export async function longPoll(
  url: string,
  payload: Readonly<Record<string, unknown>>,
  options: LongPollOptions,
): Promise<BotApiResult<readonly unknown[]>> {
  let text: string;
  try {
    text = await post(url, JSON.stringify(payload), options);
  } catch (cause) {
    return { ok: false, failure: unreachable(reasonOf(cause)) };
  }
  const answer = Answer.safeParse(orNull((): unknown => JSON.parse(text))).data;
  if (answer === undefined)
    return { ok: false, failure: unreachable("its answer is not valid for the Bot API") };
  if (answer.ok) return answer;
  const { error_code: code, description, parameters } = answer;
  return { ok: false, failure: { code, description, retryAfterS: parameters?.retry_after ?? null } };
}

/** The system's name for a connection's failure. Error texts may hold the URL, and with it the token. */
export function reasonOf(cause: unknown): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null;
  return typeof code === "string" ? `it can't be reached (${code})` : "it can't be reached";
}

function post(url: string, body: string, { agent, timeoutMs, signal }: LongPollOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https:") ? requestSecurely : request;
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asked = send(url, { method: "POST", headers, agent, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) asked.destroy(new Error("the answer is too long"));
        else chunks.push(chunk);
      });
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      response.on("error", reject);
    });
    const timer = setTimeout(() => asked.destroy(new Error("no answer in time")), timeoutMs).unref();
    asked.on("socket", (socket) => socket.unref());
    asked.on("error", reject);
    asked.on("close", () => {
      clearTimeout(timer);
      // If it ended with neither an answer nor an error, the caller must not wait for ever.
      reject(new Error("closed"));
    });
    asked.end(body);
  });
}
