import type { ShellOutputResult } from "@openai/agents";
import { z } from "zod";
import { besideOutput, toolResult } from "../../call/tool-result.ts";
import type { Outcome } from "../../decide/outcome.ts";
import { outcomeText } from "./gated-calls.ts";

/** Status of a command that did not run: a shell's status for one that it may not run (POSIX, XCU 2.8.2). */
const NOT_RUN = 126;

const Ran = z.object({
  status: z.number(),
  timed_out: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  denials: z.array(z.object({ remedy: z.string() })),
});

/** The outcome of one command for the SDK's shell, in at most `max` characters; null means no maximum. */
export function shellOutput(outcome: Outcome, max: number | null): ShellOutputResult {
  const result = toolResult(outcome);
  const ran = result.type === "success" ? Ran.safeParse(result.output).data : undefined;
  if (ran === undefined) {
    const exitCode = outcome.kind === "not-found" ? outcome.code : NOT_RUN;
    return { ...bounded("", outcomeText(outcome), max), outcome: { type: "exit", exitCode } };
  }
  const remedies = ran.denials.map(({ remedy }) => `What would help: ${remedy}\n`).join("");
  return {
    ...bounded(ran.stdout, `${ran.stderr}${remedies}${besideOutput(outcome) ?? ""}`, max),
    outcome: ran.timed_out ? { type: "timeout" } : { type: "exit", exitCode: ran.status },
  };
}

/** Both texts within the maximum. If they are too long, stderr gets half of it, or what stdout leaves. */
function bounded(
  stdout: string,
  stderr: string,
  max: number | null,
): Pick<ShellOutputResult, "stdout" | "stderr"> {
  if (max === null) return { stdout, stderr };
  const maxErr = Math.max(Math.floor(max / 2), max - stdout.length);
  const err = start(stderr, maxErr);
  return { stdout: start(stdout, max - err.length), stderr: err };
}

/** The start of a text, without half a character at its end. */
function start(text: string, max: number): string {
  const cut = text.slice(0, max);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}
