/**
 * The strings on the line of a key, in a table or (null) before the first one: all of `node = "20"`, `node = ["20",
 * "18"]` and `node = { version = "20" }`. It reads the TOML that version managers write; anything else is no string.
 */
export function tomlStrings(text: string, table: string | null, key: string): readonly string[] {
  let at: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^[\]]+?)\s*\]\s*(#.*)?$/.exec(line);
    if (header !== null) at = header[1] ?? null;
    const pair = /^\s*(?:"([^"]+)"|([\w-]+))\s*=\s*(.*)$/.exec(line);
    if (pair === null || at !== table || (pair[1] ?? pair[2]) !== key) continue;
    return [...(pair[3] ?? "").matchAll(/"([^"\\]*)"|'([^']*)'|#.*/g)].flatMap(
      (match) => match[1] ?? match[2] ?? [],
    );
  }
  return [];
}
