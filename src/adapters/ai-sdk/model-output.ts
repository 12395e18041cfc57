import type { Tool } from "ai";
import { z } from "zod";
import type { Stopped } from "../../supervisor/outcome.ts";
import { toolResult } from "../../supervisor/tool-result.ts";

/** What the framework tells a model of a result. */
type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** A result of ours. It may have been to a browser and back, so it is read again. */
const Result = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("success"), output: z.unknown() }),
  z.strictObject({ type: z.literal("denied"), output: z.string() }),
  z.strictObject({ type: z.literal("pending"), reason: z.string(), approvalId: z.string() }),
  z.strictObject({ type: z.literal("error"), error: z.string() }),
]);

/** A result as the model reads it: a denial is text and no error, and it reads why. */
export function modelOutput(given: unknown): ModelOutput {
  const result = Result.safeParse(given).data;
  switch (result?.type) {
    case undefined:
      return successOf(given);
    case "success":
      return successOf(result.output);
    case "denied":
      return { type: "text", value: result.output };
    case "pending":
      return { type: "text", value: `Pending: ${result.reason}` };
    case "error":
      return { type: "error-text", value: result.error };
  }
}

/** Why a call will not run and what would help: what a model reads behind "Denied: ", which the framework says by itself. */
export function denialText(denied: Extract<Stopped, { readonly kind: "denied" }>): string {
  const result = toolResult(denied);
  return result.type === "denied" ? result.output.replace(/^Denied: /, "") : denied.reason;
}

function successOf(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  try {
    return { type: "json", value: z.json().parse(JSON.parse(JSON.stringify(output ?? null))) };
  } catch {
    return { type: "error-text", value: "Error: it is done, but what it gave back is no JSON" };
  }
}
