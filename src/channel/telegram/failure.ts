import { CofferdamError, escapeInvisible } from "../../errors.ts";

/** The reason why a call of the Bot API failed. */
export interface BotApiFailure {
  /** HTTP status of Telegram's answer; null if it was unreachable or its answer is invalid. */
  readonly code: number | null;
  readonly description: string;
  /** Seconds that Telegram wants no calls for. */
  readonly retryAfterS: number | null;
}

/** The result of one call of the Bot API. */
export type BotApiResult<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly failure: BotApiFailure };

/** A failure of the network, not of Telegram. */
export function unreachable(description: string): BotApiFailure {
  return { code: null, description, retryAfterS: null };
}

/** True if the same call may succeed later. */
export function isPassing({ code }: BotApiFailure): boolean {
  return code === null || code === 429 || code >= 500;
}

/** True if Telegram does not know the bot: a malformed token is not found, a well-formed one not authorized. */
export function isUnknownBot({ code }: BotApiFailure): boolean {
  return code === 401 || code === 404;
}

/** A failure as an error for people. It holds text from the network only in visible form, and never the token. */
export function channelClosed(what: string, failure: BotApiFailure, token: string): CofferdamError {
  const reason = withoutToken(failure.description, token);
  const hint = hintFor(failure);
  return new CofferdamError("CHANNEL_CLOSED", `${what}: ${reason}`, hint === null ? {} : { hint });
}

/** A text made visible and cut, without the token: anybody with the token controls the bot. */
export function withoutToken(text: string, token: string): string {
  const secret = token.slice(token.indexOf(":") + 1);
  const safe = text.replaceAll(secret, "[hidden]").replaceAll(encodeURIComponent(secret), "[hidden]");
  return escapeInvisible(safe.slice(0, MAX_CHARACTERS));
}

const MAX_CHARACTERS = 300;

function hintFor(failure: BotApiFailure): string | null {
  if (isUnknownBot(failure)) return "use the token that @BotFather gave for the bot";
  if (failure.code === 403) return "add the bot to the chat or start it there; it may be blocked";
  if (failure.code === 409)
    return "only one process can listen as a bot: end the other, delete its webhook, or use another bot";
  return null;
}
