import { CofferdamError, escapeInvisible } from "../../errors.ts";

/** Why a call of the Bot API came to nothing. */
export interface Failure {
  /** What Telegram answered, as an HTTP status; null where it could not be reached, or answered nothing that is an answer. */
  readonly code: number | null;
  readonly description: string;
  /** So many seconds it wants to be left alone. */
  readonly retryAfterS: number | null;
}

/** What came of one call of the Bot API. */
export type Said<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly failure: Failure };

/** A failure of the way there, not of Telegram. */
export function unreachable(description: string): Failure {
  return { code: null, description, retryAfterS: null };
}

/** True where the same call may succeed later. */
export function isPassing({ code }: Failure): boolean {
  return code === null || code === 429 || code >= 500;
}

/** True where Telegram does not know the bot: a malformed token is not found, a well-formed one not authorized. */
export function isUnknownBot({ code }: Failure): boolean {
  return code === 401 || code === 404;
}

/** A failure as people read it. Nothing that came from the network is in it as it is, and never the token. */
export function channelClosed(what: string, failure: Failure, token: string): CofferdamError {
  const reason = withoutToken(failure.description, token);
  const hint = hintFor(failure);
  return new CofferdamError("CHANNEL_CLOSED", `${what}: ${reason}`, hint === null ? {} : { hint });
}

/** A text made visible and cut, without the token: the token is all it takes to be the bot. */
export function withoutToken(text: string, token: string): string {
  const secret = token.slice(token.indexOf(":") + 1);
  const safe = text.replaceAll(secret, "[hidden]").replaceAll(encodeURIComponent(secret), "[hidden]");
  return escapeInvisible(safe.slice(0, MOST_CHARACTERS));
}

/** More of what Telegram says is left out. */
const MOST_CHARACTERS = 300;

function hintFor(failure: Failure): string | null {
  if (isUnknownBot(failure)) return "check the token: it is what @BotFather gave for the bot";
  if (failure.code === 403) return "let the bot into the chat, or start it there: people can shut it out";
  if (failure.code === 409)
    return "one process alone may listen as a bot: end the other, delete its webhook, or use a bot of its own";
  return null;
}
