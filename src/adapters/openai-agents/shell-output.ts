import type { ShellOutputResult } from "@openai/agents";
import { z } from "zod";
import { quarantinedText, toolResult } from "../../call/tool-result.ts";
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

/** The outcome of one command for the SDK's shell, in at most `most` characters; null means no maximum. */
export function shellOutput(outcome: Outcome, most: number | null): ShellOutputResult {
  const result = toolResult(outcome);
  const ran = result.type === "success" ? Ran.safeParse(result.output).data : undefined;
  if (ran === undefined) {
    const exitCode = outcome.kind === "not-found" ? outcome.code : NOT_RUN;
    return { ...bounded("", outcomeText(outcome), most), outcome: { type: "exit", exitCode } };
  }
  const remedies = ran.denials.map(({ remedy }) => `What would help: ${remedy}\n`).join("");
  return {
    ...bounded(ran.stdout, `${ran.stderr}${remedies}${quarantinedText(outcome) ?? ""}`, most),
    outcome: ran.timed_out ? { type: "timeout" } : { type: "exit", exitCode: ran.status },
  };
}

/** Both texts within the maximum. If they are too long, stderr gets half of it, or what stdout leaves. */
function bounded(
  stdout: string,
  stderr: string,
  most: number | null,
): Pick<ShellOutputResult, "stdout" | "stderr"> {
  if (most === null) return { stdout, stderr };
  const mostErr = Math.max(Math.floor(most / 2), most - stdout.length);
  const err = start(stderr, mostErr);
  return { stdout: start(stdout, most - err.length), stderr: err };
}

/** The start of a text, without half a character at its end. */
function start(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}
