import type { ShellOutputResult } from "@openai/agents";
import { z } from "zod";
import type { Outcome } from "../../supervisor/outcome.ts";
import { quarantinedText, toolResult } from "../../supervisor/tool-result.ts";
import { told } from "./gated-calls.ts";

/** What a command that did not run ends with: a shell says so of one that it may not run (POSIX, XCU 2.8.2). */
const NOT_RUN = 126;

const Ran = z.object({
  status: z.number(),
  timed_out: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  denials: z.array(z.object({ remedy: z.string() })),
});

/** What became of one command, as the SDK's shell tells it, in at most so many characters: null for any number. */
export function shellOutput(outcome: Outcome, most: number | null): ShellOutputResult {
  const result = toolResult(outcome);
  const ran = result.type === "success" ? Ran.safeParse(result.output).data : undefined;
  if (ran === undefined) {
    const exitCode = outcome.kind === "not-found" ? outcome.code : NOT_RUN;
    return { ...bounded("", told(outcome), most), outcome: { type: "exit", exitCode } };
  }
  const remedies = ran.denials.map(({ remedy }) => `What would help: ${remedy}\n`).join("");
  return {
    ...bounded(ran.stdout, `${ran.stderr}${remedies}${quarantinedText(outcome) ?? ""}`, most),
    outcome: ran.timed_out ? { type: "timeout" } : { type: "exit", exitCode: ran.status },
  };
}

/** Both within the bound: where they are too long, what went wrong has half of it, or what the other leaves. */
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
