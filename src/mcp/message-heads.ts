/** The id of a message that could not be parsed, and whether its keys are those of a response. */
export interface MessageHead {
  readonly id: string | number;
  readonly isResponse: boolean;
}

/** Maximum numbers of messages, and of members of all messages, that are read in one text. */
const MAX_MESSAGES = 101;
const MAX_MEMBERS = 10_000;
const STEP_LENGTH = 1024 ** 2;
const MAX_KEY_LENGTH = 64;
const KEY_END = /\s*:/y;
const ID = /\s*(-?\d[\d.eE+-]{0,30}|"(?:[^"\\]|\\.){0,256}")\s*[,}]/y;

/**
 * The heads of the messages in a text that is no valid JSON or costs too much to parse: a single message, or a batch.
 * Leaves out messages without a single readable id. Works in steps, and stores only the keys of each message.
 */
export function* messageHeads(text: string): Generator<void, readonly MessageHead[]> {
  const messages: Map<unknown, unknown>[] = [];
  const level = /^\s*\[/.test(text) ? 2 : 1;
  let depth = 0;
  let members = 0;
  let stepEnd = STEP_LENGTH;
  for (let at = 0; at < text.length && messages.length <= MAX_MESSAGES; at += 1) {
    if (at >= stepEnd) {
      stepEnd = at + STEP_LENGTH;
      yield;
    }
    switch (text.charAt(at)) {
      case "{":
      case "[":
        depth += 1;
        if (depth === level && text[at] === "{") messages.push(new Map());
        break;
      case "}":
      case "]":
        depth = Math.max(0, depth - 1);
        break;
      case '"': {
        const start = at;
        at = stringEnd(text, start);
        const message = messages.at(-1);
        if (depth !== level || message === undefined) break;
        members += 1;
        if (members > MAX_MEMBERS) return [];
        readMember(text, start, at + 1, message);
      }
    }
  }
  return messages.flatMap(headOf);
}

/** Stores the key between two indexes, with its value if it is the only `id`. A string that is no key is ignored. */
function readMember(text: string, start: number, end: number, message: Map<unknown, unknown>): void {
  KEY_END.lastIndex = end;
  if (end - start > MAX_KEY_LENGTH || !KEY_END.test(text)) return;
  const key = parsed(text.slice(start, end));
  ID.lastIndex = KEY_END.lastIndex;
  const isId = key === "id" && !message.has(key);
  message.set(key, isId ? parsed(ID.exec(text)?.[1] ?? "null") : null);
}

function headOf(message: ReadonlyMap<unknown, unknown>): readonly MessageHead[] {
  const has = (name: string): boolean => message.has(name);
  const isResponse = !has("method") && !has("params") && (has("result") || has("error"));
  const id = message.get("id");
  const isId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  return isId ? [{ id, isResponse }] : [];
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

/** The index where the string that begins at `start` ends, or the length of the text. */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
