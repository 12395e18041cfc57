/** A tool's output as text. A host function may return a value that is not JSON: then its string form. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    const text: string | undefined = JSON.stringify(output);
    return text ?? "";
  } catch {
    return String(output);
  }
}
