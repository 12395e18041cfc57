/** Words that name a secret, joined; `apikey` also stands for `api_key`, `api-key` and `apiKey`. */
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
/** A quick check, since most names are harmless: each of the words, joined or split, contains one of these. */
const HINT = /key|tok|sec|pass|auth|coo|ses|bea|cre|pwd/i;

/** Only the beginning and the end of a longer name are checked. */
const MAX_NAME = 1_000;

/**
 * True for the name of a secret: one of its parts, or two neighbours joined, is one of the words or its plural. Parts
 * end at `_`, `-`, `.`, blanks, digits and camelCase humps: `accessToken`, `X-Api-Key` and `sessions_2` name secrets,
 * `tokenizer` and `secretary` do not.
 */
export function isSecretName(name: string): boolean {
  const near = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME / 2)} ${name.slice(-MAX_NAME / 2)}` : name;
  if (!HINT.test(near)) return false;
  const parts = partsOf(near);
  return parts.some((part, index) => isWord(part) || isWord(part + (parts[index + 1] ?? "")));
}

/** True for a name of a number of tokens, as models count them: a number under it is not a secret. */
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
