/** A text for canonical JSON, different for different texts: half characters (bytes that are not UTF-8) are escaped. */
export function spelledOut(text: string): string {
  return text.isWellFormed() && !text.startsWith('"') ? text : JSON.stringify(text);
}

/** The JSON text of our own value, with half characters escaped: parsers need not accept them (RFC 8259, 8.2). */
export function jsonText(value: unknown, indent: 0 | 2 = 0): string {
  const text: string = JSON.stringify(value, null, indent);
  // Matches a half character as `JSON.stringify` writes it, and texts that look like one.
  return text.includes("\\ud") ? JSON.stringify(value, wholeText, indent) : text;
}

function wholeText(_key: string, value: unknown): unknown {
  return typeof value === "string" && !value.isWellFormed() ? spelledOut(value) : value;
}
