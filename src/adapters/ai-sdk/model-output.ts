import type { Tool } from "ai";
import { z } from "zod";
import { resultText, toolResult } from "../../call/tool-result.ts";
import type { NotRun } from "../../policy/not-run.ts";
import { outputText } from "../output-text.ts";

/** A result as the framework passes it to a model. */
type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** A result of ours. It may come back from a browser, so it is parsed again. */
const Result = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("success"), output: z.unknown(), answer: z.string().optional() }),
  z.strictObject({ type: z.literal("denied"), output: z.string() }),
  z.strictObject({ type: z.literal("pending"), reason: z.string(), approvalId: z.string() }),
  z.strictObject({ type: z.literal("error"), error: z.string() }),
]);

/** A result as the model reads it. A denial is text with its reason, and no error. */
export function modelOutput(given: unknown): ModelOutput {
  const result = Result.safeParse(given).data;
  switch (result?.type) {
    case undefined:
      return successOf(given);
    case "success": {
      const { output, answer } = result;
      if (answer === undefined) return successOf(output);
      return { type: "text", value: resultText({ type: "success", output, answer }, outputText) };
    }
    case "denied":
    case "pending":
      return { type: "text", value: resultText(result, outputText) };
    case "error":
      return { type: "error-text", value: result.error };
  }
}

/** The reason of a denial and its hint. The framework puts "Denied: " before it. */
export function denialText(denied: Extract<NotRun, { readonly kind: "denied" }>): string {
  const result = toolResult(denied);
  return result.type === "denied" ? result.output.replace(/^Denied: /, "") : denied.reason;
}

function successOf(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  try {
    return { type: "json", value: z.json().parse(JSON.parse(JSON.stringify(output ?? null))) };
  } catch {
    return { type: "error-text", value: "Error: the call is done, but its result is not JSON" };
  }
}
