/** TEMP */
export function onlyReads(words: readonly string[]): boolean {
  return ["ls", "cat", "grep"].includes(words[0] ?? "");
}
