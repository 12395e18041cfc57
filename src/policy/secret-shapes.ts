import { isSecretName, isTokenCount } from "./secret-names.ts";

/** A part of a text: from one index up to another. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Apparent secrets in a text, in order and without overlaps. Only the secret itself, not the name before it. A value of
 * `NAME=value` and the like ends before any character that could begin a command or redirection or that separates words
 * (blanks, line ends, `;`, `&`, `|`, `<`, `>`, parentheses, backquotes), quoted or not: otherwise the author of the
 * text could hide a command as a password. So the rest of a password with blanks is shown, and the hidden part may
 * still be one word of a command. Takes time linear in the text.
 */
export function secretsIn(text: string): readonly SecretSpan[] {
  const found = [
    ...SHAPES.flatMap((shape) => endsOf(shape, text)),
    ...assigned(SIGN, text),
    ...assigned(OPTION, text),
  ];
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    if (start === end) continue;
    const last = spans.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}

const BREAK = "(?:\\\\[nr]|[\\r\\n])";
const BASE64 = "[A-Za-z0-9+/=]";

/** A match ends in the secret: its group, or all of it. No match can restart within text that was scanned in vain. */
const SHAPES: readonly RegExp[] = [
  new RegExp(
    `(?<![A-Za-z0-9])(?:${[
      "A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}", // AWS
      "gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}",
      "gl[a-z]{2,5}-[\\w-]{20,}", // GitLab
      "npm_[A-Za-z0-9]{30,}",
      "xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}", // Slack
      "AIza[\\w-]{30,}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}", // Google
      "sk-(?=[A-Za-z_-]{0,80}[0-9])[\\w-]{20,}", // OpenAI and its like
      "(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}", // Stripe
      "(?<![_-])eyJ[\\w-]{8,}\\.[\\w-]+(?:\\.[\\w-]*)*", // JWT
    ].join("|")})`,
    "g",
  ),
  // `https://user:password@host`
  /:\/\/[^\s/?#:@"'`;&|<>()]{0,256}:([^\s/?#"'`;&|<>()]{1,256})(?=@)/g,
  /(?<![\w-])(?:[Bb]earer|BEARER)[ \t]{1,8}(?!tokens?\b|auth)([\w.~+/=-]{6,})/g,
  // Base64: a word of prose has no digit, capital or padding.
  /(?<![\w-])(?:[Bb]asic|BASIC)[ \t]{1,8}(?=[a-z+/]{0,256}[A-Z0-9=])([\w+/=-]{6,})/g,
  // The lines of a PEM private key: long ones and a short last one, so that hardly a line of a script passes for one.
  new RegExp(
    `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----${BREAK}{0,8}(` +
      `(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\\r\\n\\\\]{0,200}${BREAK}{1,8})*` +
      `(?:${BASE64}{16,}(?:${BREAK}{1,8}${BASE64}{16,})*)?` +
      `(?:${BREAK}{0,8}${BASE64}{1,15}(?=(?:${BREAK}{1,8}=[A-Za-z0-9+/]{4})?${BREAK}{0,8}-----END))?)`,
    "g",
  ),
];

function endsOf(shape: RegExp, text: string): readonly SecretSpan[] {
  // Most texts have no match: this check is cheaper than to start collecting.
  if (text.search(shape) < 0) return [];
  return Array.from(text.matchAll(shape), (match) => {
    const end = match.index + match[0].length;
    return { start: end - (match[1] ?? match[0]).length, end };
  });
}

/** `NAME=`, `name: `, `"name": `: the name is matched backwards from the sign, so that nothing is scanned twice. */
const SIGN = /[=:](?<=([\w.-]{1,80})\\?["']?[ \t]{0,8}(?:[=:]|:=))(?![=:])/g;
/** `--name value`, if the value is not an option. */
const OPTION = /(?<![\w-])--?([A-Za-z][\w.-]{0,80})[ \t]{1,8}(?![ \t-])/g;

/** The values assigned to secret names; the inside of a value is not searched again. */
function assigned(pattern: RegExp, text: string): readonly SecretSpan[] {
  if (text.search(pattern) < 0) return [];
  const next = new RegExp(pattern);
  const found: SecretSpan[] = [];
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    const name = match[1] ?? "";
    if (!isSecretName(name)) continue;
    const cookies = /cookies?$/i.test(name) ? cookieValues(text, next.lastIndex) : [];
    const values = cookies.length > 0 ? cookies : valueAt(text, next.lastIndex, name);
    for (const value of values) if (value.isSecret) found.push(value);
    next.lastIndex = values.at(-1)?.end ?? next.lastIndex;
  }
  return found;
}

interface Value extends SecretSpan {
  readonly isSecret: boolean;
}

function valueAt(text: string, from: number, name: string): readonly Value[] {
  const opening = /[ \t]{0,8}(?:(?:Basic|Bearer|Digest|Negotiate|Token)[ \t]{1,8})?(\\?["'])?/iy;
  opening.lastIndex = from;
  const quote = opening.exec(text)?.[1];
  const start = opening.lastIndex;
  const stop = stopOf(quote);
  stop.lastIndex = start;
  const end = stop.exec(text)?.index ?? text.length;
  const value = quote === undefined ? withoutClosing(text.slice(start, end)) : text.slice(start, end);
  const isCall = quote === undefined && text[end] === "(";
  const isCount = isTokenCount(name) && /^\d[\d_,.]*$/.test(value);
  return [{ start, end: start + value.length, isSecret: value !== "" && !isCall && !isCount }];
}

/** The end of a value, for its opening quote if any. */
function stopOf(quote: string | undefined): RegExp {
  switch (quote) {
    case undefined:
      return /[\s"'`;&|<>()]/g;
    case '"':
      return /["\s`;&|<>()]/g;
    case "'":
      return /['\s`;&|<>()]/g;
    default:
      return /["'\\\s`;&|<>()]/g;
  }
}

/** A bare value without trailing commas and closing brackets that it does not open itself. */
function withoutClosing(value: string): string {
  if (!/[,\]}]$/.test(value.slice(-1))) return value;
  const surplus = {
    "]": value.split("]").length - value.split("[").length,
    "}": value.split("}").length - value.split("{").length,
  };
  for (let end = value.length; ; end -= 1) {
    const last = value.charAt(end - 1);
    const isBracket = last === "]" || last === "}";
    if (last !== "," && !(isBracket && surplus[last] > 0)) return value.slice(0, end);
    if (isBracket) surplus[last] -= 1;
  }
}

/** The values of `a=b; c=d`; the names are kept. */
function cookieValues(text: string, from: number): readonly Value[] {
  const pair = /[ \t]{0,8}[\w.%$!*-]{1,128}=([^\s"'`;&|<>()]*);?/y;
  const found: Value[] = [];
  pair.lastIndex = from;
  for (let match = pair.exec(text); match !== null; match = pair.exec(text)) {
    const start = text.indexOf("=", match.index) + 1;
    const end = start + (match[1] ?? "").length;
    found.push({ start, end, isSecret: start < end });
  }
  return found;
}
