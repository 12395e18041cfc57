import { z } from "zod";
import type { ApprovalHandler } from "../approval/handler.ts";
import { CofferdamError, visible } from "../errors.ts";
import { type ReceivedAnswer, WebhookChannel } from "./webhook/channel.ts";
import { type ReceivedHeaders, webhookKey } from "./webhook/signature.ts";

/** The receiver, the shared secret, and the people who may answer there. */
export interface WebhookOptions {
  /** The URL that gets the messages. Redirects are not followed. */
  readonly url: string;
  /** `whsec_` and 24 to 64 bytes in base64. It signs the messages of both sides; no message has it. */
  readonly secret: string;
  /** The people who may answer, as the receiver names them in `by`. */
  readonly approvers: readonly string[];
  /** Called once for each request that can't be delivered for now, and for answers in replies that do not count. */
  readonly onTrouble?: (error: CofferdamError) => void;
}

/** Sends requests until it is closed, by `close` or by the end of a scope with `await using`. */
export interface WebhookHandler extends ApprovalHandler, Disposable, AsyncDisposable {
  /** Reads a signed answer that the receiver sent to an HTTP server: see `webhookMount` of `cofferdam/http`. */
  read(headers: ReceivedHeaders, body: string): ReceivedAnswer;
  close(): Promise<void>;
}

/**
 * Sends each request to a URL as a signed message (https://www.standardwebhooks.com), again with growing pauses until
 * it is taken, and tells its outcome. Messages hold the arguments with secrets hidden, and never a preview. The answer
 * is a signed `approval.answer`, in the reply or sent to an HTTP server. A request that does not fit its message whole
 * can only be rejected by it. Throws `USAGE` for invalid options.
 */
export function webhookHandler(options: WebhookOptions): WebhookHandler {
  const checked = Options.safeParse(options);
  if (checked.success) {
    webhookKey(checked.data.secret);
    return new WebhookChannel(checked.data, { now: Date.now, secondMs: 1_000, timeoutMs: 10_000 });
  }
  const [issue] = checked.error.issues;
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw new CofferdamError("USAGE", `invalid option ${visible(place ?? "")} of \`webhookHandler\``, {
    hint: "`{ url, secret, approvers: [name, …], onTrouble? }`, with a URL of http or https without a password",
  });
}

const Options = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).refine((url) => !hasPassword(url)),
  secret: z.string(),
  approvers: z.array(z.string().min(1).max(64)).min(1),
  onTrouble: z
    .custom<(error: CofferdamError) => void>((given) => typeof given === "function")
    .default(() => () => undefined),
});

function hasPassword(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}
