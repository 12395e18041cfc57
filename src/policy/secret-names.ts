/** Words that name a secret, in one; `apikey` is also `api_key`, `api-key` and `apiKey`. */
const WORDS: ReadonlySet<string> = new Set([
  "apikey",
  "token",
  "secret",
  "password",
  "authorization",
  "cookie",
  "session",
  "bearer",
  "accesskey",
  "privatekey",
  "passphrase",
  "credential",
  "pwd",
]);
/** A quick look, since most names are harmless: each of the words, its parts apart or not, has one of these in it. */
const HINT = /key|tok|sec|pass|auth|coo|ses|bea|cre|pwd/i;

/** Only the beginning and the end of a longer name are read. */
const MAX_NAME = 1_000;

/**
 * True for a name that says that a secret stands under it: one of its parts, or two neighbours together, is one of the
 * words or the plural of one. Parts end at `_`, `-`, `.`, blanks, digits and where camelCase goes up: `accessToken`,
 * `X-Api-Key` and `sessions_2` name secrets, `tokenizer` and `secretary` do not.
 */
export function isSecretName(name: string): boolean {
  const near = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME / 2)} ${name.slice(-MAX_NAME / 2)}` : name;
  if (!HINT.test(near)) return false;
  const parts = partsOf(near);
  return parts.some((part, index) => isWord(part) || isWord(part + (parts[index + 1] ?? "")));
}

/** True for a name of an amount of tokens, as models count them: a number under it is no secret. */
export function isTokenCount(name: string): boolean {
  return partsOf(name).includes("tokens");
}

function isWord(part: string): boolean {
  return WORDS.has(part) || (part.endsWith("s") && WORDS.has(part.slice(0, -1)));
}

function partsOf(name: string): readonly string[] {
  return name
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .split(/[\s\d_.-]+/);
}
