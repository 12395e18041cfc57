import { visible } from "../errors.ts";

/** A fault of a JSON text: its description and its index. */
export interface JsonFault {
  readonly what: string;
  readonly index: number;
  /** True if it may be valid JSON that exceeds a limit or has a forbidden name. */
  readonly mayBeJson: boolean;
}

/** The value of a JSON text, or its first fault. */
export type JsonRead =
  | { readonly kind: "value"; readonly value: unknown }
  | ({ readonly kind: "fault" } & JsonFault);

/** The limits for a text, and the conversion of its numbers. */
export interface JsonReading {
  readonly deep: number;
  /** Maximum of values in all, with names of members. */
  readonly values: number;
  readonly number?: (written: string) => unknown;
  readonly forbidden?: string;
}

/** The token that the grammar (RFC 8259) allows next. */
type Next = "value" | "first item" | "first key" | "key" | "colon" | "more" | "nothing";

/** An open list, or an open object with its members so far and the key of the next one. */
type Open =
  | { readonly kind: "list"; readonly items: unknown[] }
  | { readonly kind: "object"; readonly members: Record<string, unknown>; key: string };

interface Token {
  readonly kind: "{" | "}" | "[" | "]" | "," | ":" | "text" | "word" | "end" | "none";
  readonly end: number;
}

/** Maximum of tokens between two steps, and of characters of one text. */
const MAX_STEP_TOKENS = 10_000;
const MAX_STEP_TEXT = 1024 ** 2;

/** Parses a JSON text, or returns its first fault. In short steps, and without recursion: no nesting is too deep. */
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
    const wrong = tree.handle(token.kind, read, isKey);
    if (wrong !== null) return { kind: "fault", index, ...wrong };
    index = token.end;
  }
  return { kind: "value", value: tree.value };
}

function fault(what: string, index: number): JsonRead {
  return { kind: "fault", what, index, mayBeJson: false };
}

class Tree {
  readonly #reading: JsonReading;
  readonly #open: Open[] = [];
  #values = 0;
  /** The whole value, once nothing is open. */
  value: unknown;

  constructor(reading: JsonReading) {
    this.#reading = reading;
  }

  get within(): Open | undefined {
    return this.#open.at(-1);
  }

  /** Adds a token that the grammar allows here, a text in unescaped form. Returns its fault, or null. */
  handle(kind: Token["kind"], read: string, isKey: boolean): Omit<JsonFault, "index"> | null {
    const { deep, values, number = Number } = this.#reading;
    if (STARTS_VALUE.has(kind)) this.#values += 1;
    if (this.#values > values)
      return { what: `it has more than ${values.toLocaleString("en")} values`, mayBeJson: true };
    if (kind === "{" || kind === "[") {
      if (this.#open.length === deep)
        return { what: `it is nested more than ${deep} levels deep`, mayBeJson: true };
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
      return { what: `the key ${JSON.stringify(key.slice(0, 100))} occurs twice`, mayBeJson: false };
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

/** Members are defined, as JSON.parse does: an assignment of `__proto__` would set the prototype. */
const OWN = { writable: true, enumerable: true, configurable: true } as const;
const STARTS_VALUE: ReadonlySet<Token["kind"]> = new Set(["{", "[", "text", "word"]);
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** The token allowed after this one; null if this one is out of place. */
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

/** The text that begins at `start`, up to its closing quote; none if it has no end or holds forbidden characters. */
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

/** The end of a part of a text, moved to the start of an escape that it would cut. */
function beforeEscape(text: string, start: number, end: number): number {
  const last = text.lastIndexOf("\\", end - 1);
  let first = last;
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  // The second backslash of a pair ends an escape.
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

/** Maximum of UTF-16 units encoded in one piece: scanning bytes is several times faster than scanning units. */
const MAX_ENCODED = 64 * 1024;
/** A shorter text is scanned without encoding. */
const MAX_SHORT = 256;

/** The size of a text as JSON, in bytes of UTF-8, with its quotes; for more than `max`, any number above it. */
export function jsonBytes(text: string, max: number): number {
  if (text.length > max) return text.length;
  let bytes = 2;
  if (text.length <= MAX_SHORT) {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      // Half of a surrogate pair is two of its four bytes.
      const isHalf = code >= 0xd8_00 && code < 0xe0_00;
      bytes += code < 0x80 ? 1 + (LONGER[code] ?? 0) : code < 0x8_00 || isHalf ? 2 : 3;
    }
    return bytes;
  }
  for (let at = 0; at < text.length && bytes <= max; at += MAX_ENCODED) {
    const part = Buffer.from(text.slice(at, at + MAX_ENCODED));
    bytes += part.length;
    for (let index = 0; index < part.length; index += 1) bytes += LONGER[part[index] ?? 0] ?? 0;
  }
  return bytes;
}

/** Extra bytes of each byte as JSON: `\n`, `\u001b`, `\"`. */
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
