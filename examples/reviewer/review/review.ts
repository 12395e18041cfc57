// A reviewer: reads one document from standard input, and prints one answer. It decides by fixed rules.
import { readFileSync } from "node:fs";

/** The parts of the document that these rules read. */
interface ReviewDocument {
  readonly request: { readonly tool: string; readonly input: unknown };
  readonly digest: string;
}

const document: ReviewDocument = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({ digest: document.digest, verdict: verdictOn(document.request) }));

function verdictOn({ tool, input }: ReviewDocument["request"]): "allow_once" | "deny" | "person" {
  if (tool !== "tickets/comment" || typeof input !== "object" || input === null) return "person";
  const { ticket, text } = input as { readonly ticket?: unknown; readonly text?: unknown };
  if (typeof ticket !== "number" || typeof text !== "string") return "person";
  // Only the form of the text counts, never what it says about itself.
  if (/https?:/i.test(text)) return "deny";
  return /^[\x20-\x7e]{1,500}$/.test(text) ? "allow_once" : "person";
}
