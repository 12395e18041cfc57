import { otherChanges } from "../call/receipt.ts";
import type { ProgramOutcome } from "../decide/outcome.ts";
import type { ReachedLimit, Unprotected } from "../decide/receipt.ts";
import { CofferdamError, ERRORS, escapeInvisible, visible } from "../errors.ts";
import { type Denial, deniedAct } from "../policy/denial.ts";
import { mayDo, reportAppeared } from "./appeared-text.ts";
import { reportFailure, reportThree } from "./failure.ts";
import type { Print } from "./print.ts";
import type { KeptOutput } from "./tool-output.ts";

/** The exit status for an outcome: the program's own, or that of the reason why it did not run. */
export function exitOf(outcome: ProgramOutcome): number {
  switch (outcome.kind) {
    case "failed":
      return "code" in outcome ? outcome.code : exitOfError(outcome.error);
    case "done":
    case "not-found":
      return outcome.code;
    case "timed-out":
      return ERRORS.WALL_TIME.exit;
    case "pending":
    case "denied":
      return ERRORS[outcome.code].exit;
  }
}

function exitOfError(error: unknown): number {
  return ERRORS[error instanceof CofferdamError ? error.code : "INTERNAL"].exit;
}

/** Prints what the program's own output does not show; mostly nothing. */
export function reportOutcome(outcome: ProgramOutcome, print: Print): void {
  switch (outcome.kind) {
    case "denied":
      reportThree(print, `denied: ${outcome.reason}`, null, outcome.hint);
      return;
    case "pending": {
      const { approvalId: id, reason } = outcome;
      // The beginning of an id is enough for both commands.
      const begin = id.slice(0, 8);
      const hint = `run \`cofferdam approvals approve ${begin}\`, then \`cofferdam resume ${begin}\``;
      reportThree(print, `waiting for approval ${id}: ${reason}`, null, hint);
      return;
    }
    case "not-found":
      reportThree(print, outcome.reason, null, outcome.hint);
      return;
    case "timed-out":
      reportThree(
        print,
        "time limit exceeded: the command was stopped",
        null,
        "raise `sandbox.limits.wall`, or the lower limit of a profile",
      );
      break;
    case "failed":
      if ("error" in outcome) {
        reportFailure(print, outcome.error);
        return;
      }
      break;
    case "done":
  }
  for (const limit of outcome.receipt.limitsReached) {
    const { name, what } = REACHED[limit];
    reportThree(print, what, null, `raise \`sandbox.limits.${name}\`, or the lower limit of a profile`);
  }
  const dropped = outcome.stdout.droppedBytes + outcome.stderr.droppedBytes;
  if (dropped > 0)
    reportThree(print, `${dropped} bytes of output were dropped`, null, "raise `sandbox.limits.output`");
  for (const stream of ["stdout", "stderr"] as const) reportTail(stream, outcome[stream].tail, print);
  reportDenials(outcome.denials ?? [], print);
  for (const path of outcome.receipt.uncovered)
    reportThree(
      print,
      `while the command ran, ${visible(path)} was replaced on the host and became readable in the sandbox`,
      null,
      "a command that was still running was stopped; assume that it has read the file",
    );
  reportUnprotected(outcome.receipt.unprotected, print);
  for (const change of otherChanges(outcome.receipt))
    reportThree(
      print,
      `while the command ran, ${change}`,
      null,
      "run it again when nothing else changes these files",
    );
  reportAppeared(outcome.receipt.appeared, print);
}

/** Prints, for a command that a person ended, the files it made that other programs may obey. */
export function reportMade(outcome: ProgramOutcome, print: Print): void {
  if (!("receipt" in outcome)) return;
  reportUnprotected(outcome.receipt.unprotected, print);
  reportAppeared(outcome.receipt.appeared, print);
}

/** A remedy that several denials share is printed once, after the last of them. */
function reportDenials(denials: readonly Denial[], print: Print): void {
  for (const [at, denial] of denials.entries()) {
    const { remedy } = denial;
    const isLast = denials[at + 1]?.remedy !== remedy;
    reportThree(print, deniedAct(denial), null, isLast ? remedy : null);
  }
}

function reportUnprotected(unprotected: readonly Unprotected[], print: Print): void {
  for (const { path, runs } of unprotected)
    reportThree(
      print,
      `while the command ran, ${visible(path)} was replaced on the host and lost its protection: the command could write it afterwards${runs.length === 0 ? "" : `; ${mayDo(runs)} there`}`,
      null,
      "review it before you or any program uses it",
    );
}

/** Limits as a config names them, and the kernel's action. */
const REACHED = {
  memoryBytes: {
    name: "memory",
    what: "memory limit exceeded: the kernel ended processes of the command",
  },
  processes: {
    name: "processes",
    what: "process limit reached: the command could not start more processes",
  },
  cpuSeconds: {
    name: "cpu",
    what: "CPU time limit exceeded: the kernel ended a process of the command",
  },
} as const satisfies Record<ReachedLimit, { readonly name: string; readonly what: string }>;

/** Maximum number of last lines of dropped output, and how much of each line's end. */
const MAX_LINES = 10;
const MAX_LINE_LENGTH = 160;

function reportTail(stream: "stdout" | "stderr", tail: Buffer, print: Print): void {
  if (tail.length === 0 || tail.includes(0)) return;
  const lines = tail.toString("utf8").trimEnd().split("\n").slice(-MAX_LINES);
  print.talk(print.talkInk.dim(`  the last lines of ${stream}:`));
  for (const line of lines) {
    const mark = line.length > MAX_LINE_LENGTH ? "…" : "";
    print.talk(`  ${mark}${escapeInvisible(line.slice(-MAX_LINE_LENGTH))}`);
  }
}

/** An outcome as JSON: the result of the call, its output, its receipt, and the exit status of this process. */
export function outcomeJson(outcome: ProgramOutcome, output: KeptOutput, exit = exitOf(outcome)): unknown {
  if (!("receipt" in outcome)) {
    return { outcome, exit };
  }
  const { kind, code, durationMs, receipt, stdout, stderr } = outcome;
  return {
    outcome: { kind, code, durationMs, ...denialsOf(outcome) },
    exit,
    stdout: output.kept("stdout", stdout),
    stderr: output.kept("stderr", stderr),
    receipt,
  };
}

function denialsOf(outcome: ProgramOutcome): { readonly denials?: readonly Denial[] } {
  return "denials" in outcome && outcome.denials !== undefined ? { denials: outcome.denials } : {};
}
