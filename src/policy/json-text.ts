/** What is wrong with a JSON text, in words, and the index at which. */
export interface JsonFault {
  readonly what: string;
  readonly index: number;
}

/** What the grammar (RFC 8259) lets stand next. */
type Next = "value" | "first item" | "first key" | "key" | "colon" | "more" | "nothing";
/** An open object is the set of its keys so far. */
type Open = Set<string> | "list";

interface Token {
  readonly kind: "{" | "}" | "[" | "]" | "," | ":" | "text" | "word" | "end" | "none";
  readonly end: number;
}

/**
 * The first fault of a text that should be JSON: where it leaves the grammar, or where an object has a key for the
 * second time, however that is escaped. Null when there is none. Reads without recursion, so that no nesting is too
 * deep for it.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: Open[] = [];
  let next: Next | null = "value";
  let index = 0;
  while (next !== "nothing") {
    index = blanksEnd(text, index);
    const token = tokenAt(text, index);
    const keys = open.at(-1);
    if (token.kind === "text" && keys instanceof Set && (next === "key" || next === "first key")) {
      const key = String(JSON.parse(text.slice(index, token.end)));
      if (keys.has(key)) return { what: `the key ${JSON.stringify(key)} stands there twice`, index };
      keys.add(key);
    }
    next = after(next, token.kind, open);
    if (next === null && token.kind === "end") return { what: "the text ends too early", index };
    if (next === null)
      return { what: `not JSON from ${JSON.stringify(text.slice(index, index + 20))} on`, index };
    index = token.end;
  }
  return null;
}

/** What may stand behind a token, null when it is out of place. Opens and closes what it stands in. */
function after(next: Next, kind: Token["kind"], open: Open[]): Next | null {
  const isObject = open.at(-1) instanceof Set;
  switch (next) {
    case "nothing":
      return null;
    case "colon":
      return kind === ":" ? "value" : null;
    case "more":
      if (open.length === 0) return kind === "end" ? "nothing" : null;
      if (kind === ",") return isObject ? "key" : "value";
      return kind === (isObject ? "}" : "]") ? close(open) : null;
    case "first key":
    case "key":
      if (kind === "}" && next === "first key") return close(open);
      return kind === "text" ? "colon" : null;
    case "first item":
    case "value":
      if (kind === "]" && next === "first item") return close(open);
      if (kind === "{") open.push(new Set());
      if (kind === "[") open.push("list");
      if (kind === "{" || kind === "[") return kind === "{" ? "first key" : "first item";
      return kind === "text" || kind === "word" ? "more" : null;
  }
}

function close(open: Open[]): Next {
  open.pop();
  return "more";
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
    case '"': {
      const end = textEnd(text, index);
      return end === null ? { kind: "none", end: index } : { kind: "text", end };
    }
    default: {
      const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
      word.lastIndex = index;
      return word.test(text) ? { kind: "word", end: word.lastIndex } : { kind: "none", end: index };
    }
  }
}

/** The index behind the closing quote of the text at `start`; null when it has none or holds what it may not. */
function textEnd(text: string, start: number): number | null {
  // Goes from one character that matters to the next, so that a long text costs no stack.
  const special = /["\\]|[^ -\u{10ffff}]/gu;
  const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
  special.lastIndex = start + 1;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    if (found[0] === '"') return special.lastIndex;
    escaped.lastIndex = found.index;
    if (!escaped.test(text)) return null;
    special.lastIndex = escaped.lastIndex;
  }
  return null;
}

function blanksEnd(text: string, index: number): number {
  const blanks = /[^\t\n\r ]|$/g;
  blanks.lastIndex = index;
  return blanks.exec(text)?.index ?? text.length;
}
