const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The maximum of bytes in one character of UTF-8. */
const MAX_CHARACTER_LENGTH = 4;

/** The bytes as a text; null if they contain NUL or are not UTF-8. If cut, an incomplete last character is left out. */
export function looksLikeText(bytes: Uint8Array, isCut: boolean): string | null {
  if (bytes.includes(0)) return null;
  for (let short = 0; short <= (isCut ? MAX_CHARACTER_LENGTH - 1 : 0); short += 1) {
    const text = decoded(bytes.subarray(0, bytes.length - short));
    if (text !== null) return text;
  }
  return null;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}
