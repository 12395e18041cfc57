/** What a tool gave, as a text. What a function of the host's own gives may be no JSON: it is told as well as can be. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    const text: string | undefined = JSON.stringify(output);
    return text ?? "";
  } catch {
    return String(output);
  }
}
