/**
 * A text as one that canonical JSON holds, different for different texts: half characters, which stand for bytes that
 * are not UTF-8, are spelled out. A text that looks spelled out already is spelled out again.
 */
export function spelledOut(text: string): string {
  return text.isWellFormed() && !text.startsWith('"') ? text : JSON.stringify(text);
}

/** The JSON text of a value of ours, with half characters spelled out: readers need not take them (RFC 8259, 8.2). */
export function jsonText(value: unknown, indent: 0 | 2 = 0): string {
  const text: string = JSON.stringify(value, null, indent);
  // As `JSON.stringify` writes a half character, and a text that looks so.
  return text.includes("\\ud") ? JSON.stringify(value, wholeText, indent) : text;
}

function wholeText(_key: string, value: unknown): unknown {
  return typeof value === "string" && !value.isWellFormed() ? spelledOut(value) : value;
}
