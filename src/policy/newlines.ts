const NEWLINE = 10;
/** Maximum of UTF-16 units encoded in one piece: scanning bytes is several times faster than scanning units. */
const MAX_ENCODED = 64 * 1024;

export function newlinesIn(text: string | Uint8Array): number {
  let count = 0;
  if (typeof text === "string") {
    for (let at = 0; at < text.length; at += MAX_ENCODED)
      count += newlinesIn(Buffer.from(text.slice(at, at + MAX_ENCODED)));
  } else {
    for (let at = 0; at < text.length; at += 1) if (text[at] === NEWLINE) count += 1;
  }
  return count;
}
