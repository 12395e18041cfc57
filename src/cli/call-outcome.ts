import type { Outcome } from "../decide/outcome.ts";
import { visible } from "../errors.ts";
import type { SignalScope } from "./ending.ts";
import { reportFailure, reportThree } from "./failure.ts";
import { exitOf, outcomeJson, reportOutcome } from "./outcome-text.ts";
import type { Print } from "./print.ts";
import { KeptOutput, type ToolOutput } from "./tool-output.ts";

/** Prints the outcome of a call of any tool, and returns its exit status. */
export async function reportCall(
  outcome: Outcome,
  output: KeptOutput | ToolOutput,
  json: boolean,
  ending: SignalScope,
  print: Print,
): Promise<number> {
  if ("value" in outcome || "error" in outcome) return reportValue(outcome, json, print);
  if (output instanceof KeptOutput) print.json(outcomeJson(outcome, output, ending.status() ?? undefined));
  else {
    await output.finish();
    reportOutcome(outcome, print);
    reportDenials(outcome, print);
  }
  return exitOf(outcome);
}

function reportValue(
  outcome: Extract<Outcome, { readonly value: unknown } | { readonly error: unknown }>,
  json: boolean,
  print: Print,
): number {
  if (outcome.kind === "failed") {
    const { error } = outcome;
    return reportFailure(print, error, json);
  }
  const { kind, value, receipt, durationMs } = outcome;
  if (json) print.json({ outcome: { kind, durationMs, value }, exit: 0, receipt });
  else print.json(value ?? null);
  return 0;
}

/** Prints all denials but the first, which is already the reason. */
function reportDenials(outcome: Outcome, print: Print): void {
  if (outcome.kind !== "denied") return;
  for (const { operation, target, because, remedy } of outcome.denials?.slice(1) ?? [])
    reportThree(print, `denied to ${operation} ${visible(target)}: ${because}`, null, remedy);
}
