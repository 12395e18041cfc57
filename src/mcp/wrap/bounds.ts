/** So many values may stand in one message, and so deep. */
const MOST_VALUES = 200_000;
const MOST_DEEP = 512;

/**
 * Why a JSON text would cost too much to be read; null where it would not. Looks at no more than the marks between values, so
 * that it takes next to nothing itself, and says nothing of whether it is JSON.
 */
export function tooMuch(text: string): string | null {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = textEnd(text, at);
        break;
      case BRACKET:
      case BRACE:
        depth += 1;
        values += 1;
        break;
      case BRACKET_END:
      case BRACE_END:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
    }
    if (depth > MOST_DEEP) return `it is nested deeper than ${MOST_DEEP}`;
    if (values > MOST_VALUES) return `it holds more than ${MOST_VALUES} values`;
  }
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Where the text in quotes that begins here ends, or all does. */
function textEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
