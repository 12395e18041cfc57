import { visible } from "../errors.ts";
import type { Outcome, ValueOutcome } from "../supervisor/outcome.ts";
import type { Ending } from "./ending.ts";
import { tellFailure, tellThree } from "./failure.ts";
import { exitOf, outcomeJson, tellOutcome } from "./outcome-text.ts";
import type { Print } from "./print.ts";
import { KeptOutput, type ToolOutput } from "./tool-output.ts";

/** Tells what became of a call of any tool, and answers with the exit status for it. */
export async function tellCall(
  outcome: Outcome,
  output: KeptOutput | ToolOutput,
  json: boolean,
  ending: Ending,
  print: Print,
): Promise<number> {
  if (isValue(outcome)) return tellValue(outcome, json, print);
  if (output instanceof KeptOutput) print.json(outcomeJson(outcome, output, ending.status() ?? undefined));
  else {
    await output.finish();
    tellOutcome(outcome, print);
    tellDenials(outcome, print);
  }
  return exitOf(outcome);
}

function isValue(outcome: Outcome): outcome is Extract<ValueOutcome, { readonly kind: "done" | "failed" }> {
  return "value" in outcome || "error" in outcome;
}

/** The value is the result, as JSON; what a tool could not do is told as any other failure. */
function tellValue(
  outcome: Extract<ValueOutcome, { readonly kind: "done" | "failed" }>,
  json: boolean,
  print: Print,
): number {
  if (outcome.kind === "failed") {
    const { error } = outcome;
    return tellFailure(print, error, json);
  }
  const { kind, value, receipt, durationMs } = outcome;
  if (json) print.json({ outcome: { kind, durationMs, value }, exit: 0, receipt });
  else print.json(value ?? null);
  return 0;
}

/** Of several things that were not given, all but the first, which is the reason. */
function tellDenials(outcome: Outcome, print: Print): void {
  if (outcome.kind !== "denied") return;
  for (const { operation, target, because, remedy } of outcome.denials?.slice(1) ?? [])
    tellThree(print, `denied to ${operation} ${visible(target)}: ${because}`, null, remedy);
}
