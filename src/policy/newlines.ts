const NEWLINE = 10;
/** How many UTF-16 units are encoded at once: to look at bytes is several times quicker than to look at units. */
const MAX_ENCODED = 64 * 1024;

/** How many newlines a text has. */
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
