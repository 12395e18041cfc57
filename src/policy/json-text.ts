import { visible } from "../errors.ts";

/** What is wrong with a JSON text, in words, and the index at which. */
export interface JsonFault {
  readonly what: string;
  readonly index: number;
  /** True where it may be JSON all the same, but holds more than it may, or what it may not. */
  readonly mayBeJson: boolean;
}

/** What a JSON text says, or the first fault of it. */
export type JsonRead =
  | { readonly kind: "value"; readonly value: unknown }
  | ({ readonly kind: "fault" } & JsonFault);

/** How much a text may hold, and what its numbers are read as. */
export interface JsonReading {
  /** So many lists and objects in one another. */
  readonly deep: number;
  /** So many values in all, names of members counted. */
  readonly values: number;
  /** What a number becomes, by how it is written. */
  readonly number?: (written: string) => unknown;
  /** A name that no member may have. */
  readonly forbidden?: string;
}

/** What the grammar (RFC 8259) lets stand next. */
type Next = "value" | "first item" | "first key" | "key" | "colon" | "more" | "nothing";

/** What was begun: a list, or the members of an object so far and the key of the next one. */
type Open =
  | { readonly kind: "list"; readonly items: unknown[] }
  | { readonly kind: "object"; readonly members: Record<string, unknown>; key: string };

interface Token {
  readonly kind: "{" | "}" | "[" | "]" | "," | ":" | "text" | "word" | "end" | "none";
  readonly end: number;
}

/** So many tokens are read between two steps, and so many characters of one text. */
const MAX_STEP_TOKENS = 10_000;
const MAX_STEP_TEXT = 1024 ** 2;

/**
 * Reads a JSON text, and tells the first fault of what is none: where it leaves the grammar, where an object has a key for
 * the second time, however that is escaped, or where it holds more than it may. Reads without recursion, so that no nesting
 * is too deep for it, and in steps, none of which takes long.
 */
export function* readJsonText(text: string, reading: JsonReading): Generator<void, JsonRead> {
  const tree = new Tree(reading);
  let next: Next | null = "value";
  let tokens = 0;
  for (let index = 0; next !== "nothing"; ) {
    const from = index;
    index = blanksEnd(text, from);
    if (index - from > MAX_STEP_TEXT) yield;
    const token = text.charCodeAt(index) === QUOTE ? yield* textAt(text, index) : tokenAt(text, index);
    tokens += 1;
    if (tokens % MAX_STEP_TOKENS === 0) yield;
    const isKey = next === "key" || next === "first key";
    next = after(next, token.kind, tree.within);
    if (next === null && token.kind === "end") return fault("the text ends too early", index);
    if (next === null)
      return fault(`not JSON from ${JSON.stringify(text.slice(index, index + 20))} on`, index);
    const written = text.slice(index, token.end);
    const read = token.kind === "text" ? yield* unescaped(written) : written;
    const wrong = tree.take(token.kind, read, isKey);
    if (wrong !== null) return { kind: "fault", index, ...wrong };
    index = token.end;
  }
  return { kind: "value", value: tree.value };
}

function fault(what: string, index: number): JsonRead {
  return { kind: "fault", what, index, mayBeJson: false };
}

/** What a text says so far. */
class Tree {
  readonly #reading: JsonReading;
  readonly #open: Open[] = [];
  #values = 0;
  /** What it says in all, once nothing is open. */
  value: unknown;

  constructor(reading: JsonReading) {
    this.#reading = reading;
  }

  /** What the next token stands in. */
  get within(): Open | undefined {
    return this.#open.at(-1);
  }

  /** Takes the next token, which stands at its place, a text as what it says; what is wrong with it all the same, null for nothing. */
  take(kind: Token["kind"], read: string, isKey: boolean): Omit<JsonFault, "index"> | null {
    const { deep, values, number = Number } = this.#reading;
    if (STARTS_VALUE.has(kind)) this.#values += 1;
    if (this.#values > values)
      return { what: `it holds more than ${values.toLocaleString("en")} values in all`, mayBeJson: true };
    if (kind === "{" || kind === "[") {
      if (this.#open.length === deep) return { what: `it stands more than ${deep} deep`, mayBeJson: true };
      this.#open.push(kind === "{" ? { kind: "object", members: {}, key: "" } : { kind: "list", items: [] });
    } else if (kind === "}" || kind === "]") this.#close();
    else if (kind === "word") this.#add(WORDS.has(read) ? WORDS.get(read) : number(read));
    else if (kind === "text") return isKey ? this.#begin(read) : this.#add(read);
    return null;
  }

  #begin(key: string): Omit<JsonFault, "index"> | null {
    const { within } = this;
    if (within?.kind !== "object") return null;
    if (key === this.#reading.forbidden) return { what: `it has a key ${visible(key)}`, mayBeJson: true };
    if (Object.hasOwn(within.members, key))
      return { what: `the key ${JSON.stringify(key)} stands there twice`, mayBeJson: false };
    within.key = key;
    return null;
  }

  #add(value: unknown): null {
    const { within } = this;
    if (within === undefined) this.value = value;
    else if (within.kind === "list") within.items.push(value);
    else if (within.key === "__proto__")
      Object.defineProperty(within.members, "__proto__", { ...OWN, value });
    else within.members[within.key] = value;
    return null;
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed !== undefined) this.#add(closed.kind === "list" ? closed.items : closed.members);
  }
}

/** As JSON.parse makes it: to assign it would set what the object inherits from. */
const OWN = { writable: true, enumerable: true, configurable: true } as const;
const STARTS_VALUE: ReadonlySet<Token["kind"]> = new Set(["{", "[", "text", "word"]);
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** What may stand behind a token, null when it is out of place. */
function after(next: Next, kind: Token["kind"], within: Open | undefined): Next | null {
  switch (next) {
    case "nothing":
      return null;
    case "colon":
      return kind === ":" ? "value" : null;
    case "more":
      if (within === undefined) return kind === "end" ? "nothing" : null;
      if (kind === ",") return within.kind === "object" ? "key" : "value";
      return kind === (within.kind === "object" ? "}" : "]") ? "more" : null;
    case "first key":
    case "key":
      if (kind === "}" && next === "first key") return "more";
      return kind === "text" ? "colon" : null;
    case "first item":
    case "value":
      if (kind === "]" && next === "first item") return "more";
      if (kind === "{" || kind === "[") return kind === "{" ? "first key" : "first item";
      return kind === "text" || kind === "word" ? "more" : null;
  }
}

function tokenAt(text: string, index: number): Token {
  const mark = text.charAt(index);
  switch (mark) {
    case "":
      return { kind: "end", end: index };
    case "{":
    case "}":
    case "[":
    case "]":
    case ",":
    case ":":
      return { kind: mark, end: index + 1 };
    default: {
      WORD.lastIndex = index;
      return WORD.test(text) ? { kind: "word", end: WORD.lastIndex } : { kind: "none", end: index };
    }
  }
}

const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;

/** The text that begins at `start`, up to its closing quote; none where it has no end or holds what it may not. */
function* textAt(text: string, start: number): Generator<void, Token> {
  let stepEnd = start + MAX_STEP_TEXT;
  for (let at = start + 1; at < text.length; at += 1) {
    if (at >= stepEnd) {
      stepEnd = at + MAX_STEP_TEXT;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { kind: "text", end: at + 1 };
    if (code < BLANK) break;
    if (code !== BACKSLASH) continue;
    at += 1;
    const escaped = text.charAt(at);
    if (escaped === "u" ? !isHex(text, at + 1) : !ESCAPED.has(escaped)) break;
  }
  return { kind: "none", end: start };
}

/** What a text in its quotes says. */
function* unescaped(written: string): Generator<void, string> {
  if (written.length <= MAX_STEP_TEXT) return String(JSON.parse(written));
  const parts: string[] = [];
  const last = written.length - 1;
  for (let at = 1; at < last; ) {
    const end = at + MAX_STEP_TEXT < last ? beforeEscape(written, at, at + MAX_STEP_TEXT) : last;
    parts.push(String(JSON.parse(`"${written.slice(at, end)}"`)));
    at = end;
    yield;
  }
  return parts.join("");
}

/** The end of a part of a text, or where the escape begins that it would cut. */
function beforeEscape(text: string, start: number, end: number): number {
  const last = text.lastIndexOf("\\", end - 1);
  let first = last;
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  // The second of two ends an escape.
  if (last < start || (last - first) % 2 === 1) return end;
  return last + (text.charAt(last + 1) === "u" ? 6 : 2) > end ? last : end;
}

function isHex(text: string, start: number): boolean {
  for (let at = start; at < start + 4; at += 1) if (!HEX.has(text.charAt(at))) return false;
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const ESCAPED: ReadonlySet<string> = new Set('"\\/bfnrt');
const HEX: ReadonlySet<string> = new Set("0123456789abcdefABCDEF");

/** So many UTF-16 units are encoded at once: to look at bytes is several times quicker than to look at units. */
const MAX_ENCODED = 64 * 1024;
/** A short text is not encoded for that. */
const MAX_SHORT = 256;

/** The size of a text as JSON, in bytes of UTF-8, its quotes counted; of one that has more than `most`, more than that. */
export function jsonBytes(text: string, most: number): number {
  if (text.length > most) return text.length;
  let bytes = 2;
  if (text.length <= MAX_SHORT) {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      // Half of a pair is two of its four bytes.
      const isHalf = code >= 0xd8_00 && code < 0xe0_00;
      bytes += code < 0x80 ? 1 + (LONGER[code] ?? 0) : code < 0x8_00 || isHalf ? 2 : 3;
    }
    return bytes;
  }
  for (let at = 0; at < text.length && bytes <= most; at += MAX_ENCODED) {
    const part = Buffer.from(text.slice(at, at + MAX_ENCODED));
    bytes += part.length;
    for (let index = 0; index < part.length; index += 1) bytes += LONGER[part[index] ?? 0] ?? 0;
  }
  return bytes;
}

/** How much longer each byte is as JSON: `\n`, `\u001b`, `\"`. */
const LONGER = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE || byte === BACKSLASH) return 1;
  if (byte >= BLANK) return 0;
  return byte >= 8 && byte <= 13 && byte !== 11 ? 1 : 5;
});

function blanksEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== BLANK && code !== 9 && code !== 10 && code !== 13) return at;
  }
  return text.length;
}
