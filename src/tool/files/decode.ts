const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** No character of UTF-8 has more bytes. */
const MOST_OF_A_CHARACTER = 4;

/**
 * The bytes as a text, or null for what is none: NUL in it, or not UTF-8. Where it was cut, the bytes of the character
 * that the cut went through are left out.
 */
export function looksLikeText(bytes: Uint8Array, isCut: boolean): string | null {
  if (bytes.includes(0)) return null;
  for (let short = 0; short <= (isCut ? MOST_OF_A_CHARACTER - 1 : 0); short += 1) {
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
