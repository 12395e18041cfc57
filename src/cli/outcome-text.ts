import { ERRORS, escapeInvisible, visible } from "../errors.ts";
import type { Unprotected } from "../supervisor/beside.ts";
import type { Denial } from "../supervisor/denial.ts";
import type { ProgramOutcome } from "../supervisor/outcome.ts";
import { otherChanges, type ReachedLimit } from "../supervisor/receipt.ts";
import { mayDo, tellAppeared } from "./appeared-text.ts";
import { tellThree } from "./failure.ts";
import type { Print } from "./print.ts";
import type { KeptOutput } from "./tool-output.ts";

/** What to do with a call that waits. */
const NEXT = "say yes with `cofferdam approvals approve ID`, then run it with `cofferdam resume ID`";

/** The exit status for an outcome: the program's own, or the one of what kept it from running. */
export function exitOf(outcome: ProgramOutcome): number {
  switch (outcome.kind) {
    case "done":
    case "failed":
    case "not-found":
      return outcome.code;
    case "timed-out":
      return ERRORS.WALL_TIME.exit;
    case "pending":
    case "denied":
      return ERRORS[outcome.code].exit;
  }
}

/** Tells a person what they would not see in the program's own output; mostly nothing. */
export function tellOutcome(outcome: ProgramOutcome, print: Print): void {
  switch (outcome.kind) {
    case "denied":
      tellThree(print, `denied: ${outcome.reason}`, null, outcome.hint);
      return;
    case "pending":
      tellThree(print, `waits for an answer as ${outcome.approvalId}: ${outcome.reason}`, null, NEXT);
      return;
    case "not-found":
      tellThree(print, outcome.reason, null, outcome.hint);
      return;
    case "timed-out":
      tellThree(
        print,
        "the wall time ran out, so the command was ended",
        null,
        "raise `sandbox.limits.wall`, or the profile's that is lower",
      );
      break;
    case "done":
    case "failed":
  }
  for (const limit of outcome.receipt.limitsReached) {
    const { name, what } = REACHED[limit];
    tellThree(print, what, null, `raise \`sandbox.limits.${name}\`, or the profile's that is lower`);
  }
  const dropped = outcome.stdout.droppedBytes + outcome.stderr.droppedBytes;
  if (dropped > 0)
    tellThree(print, `${dropped} bytes of output were dropped`, null, "raise `sandbox.limits.output`");
  for (const stream of ["stdout", "stderr"] as const) tellTail(stream, outcome[stream].tail, print);
  tellDenials(outcome.denials ?? [], print);
  for (const path of outcome.receipt.uncovered)
    tellThree(
      print,
      `while the command ran, ${visible(path)} was replaced on the host and could be read from inside`,
      null,
      "a command that still runs then is ended; take what it did meanwhile as if it had read that",
    );
  tellUnprotected(outcome.receipt.unprotected, print);
  for (const change of otherChanges(outcome.receipt))
    tellThree(
      print,
      `while the command ran, ${change}`,
      null,
      "run it again when nothing else changes these files",
    );
  tellAppeared(outcome.receipt.appeared, print);
}

/** Tells a person who ended a command what it made until then that other programs may obey. */
export function tellMade(outcome: ProgramOutcome, print: Print): void {
  if (!("receipt" in outcome)) return;
  tellUnprotected(outcome.receipt.unprotected, print);
  tellAppeared(outcome.receipt.appeared, print);
}

/** What several have in common as the next thing to do is told once, behind the last of them. */
function tellDenials(denials: readonly Denial[], print: Print): void {
  for (const [at, denial] of denials.entries()) {
    const { operation, target, certainty, because, remedy } = denial;
    const how = certainty === "certain" ? "the walls did not let it" : "perhaps the walls did not let it";
    const isWords = operation === "run" || operation === "trace" || operation === "use";
    const what = isWords ? target : visible(target);
    const isLast = denials[at + 1]?.remedy !== remedy;
    tellThree(print, `${how} ${ACTS[operation]} ${what}: ${because}`, null, isLast ? remedy : null);
  }
}

/** What was not let happen, in words. */
const ACTS: Readonly<Record<Denial["operation"], string>> = {
  read: "read",
  write: "write",
  remove: "remove or move",
  rename: "move or link a file into or out of",
  connect: "connect to",
  run: "run",
  trace: "trace",
  use: "use",
};

function tellUnprotected(unprotected: readonly Unprotected[], print: Print): void {
  for (const { path, runs } of unprotected)
    tellThree(
      print,
      `while the command ran, ${visible(path)} was replaced on the host and lost its protection: the command could write it since${runs.length === 0 ? "" : `; ${mayDo(runs)} there`}`,
      null,
      "look at it before you, or any program, use it",
    );
}

/** Limits as a config names them, and what the kernel did. */
const REACHED = {
  memoryBytes: {
    name: "memory",
    what: "all its processes together reached the limit of memory, so the kernel ended some",
  },
  processes: {
    name: "processes",
    what: "all its processes together reached the limit of processes, so it could start no more",
  },
  cpuSeconds: {
    name: "cpu",
    what: "by its status the processor time of a process ran out, so the kernel ended that",
  },
} as const satisfies Record<ReachedLimit, { readonly name: string; readonly what: string }>;

/** Of what was dropped, the last lines are told, of each its end. */
const MOST_LINES = 10;
const MOST_OF_A_LINE = 160;

function tellTail(stream: "stdout" | "stderr", tail: Buffer, print: Print): void {
  if (tail.length === 0 || tail.includes(0)) return;
  const lines = tail.toString("utf8").trimEnd().split("\n").slice(-MOST_LINES);
  print.talk(print.talkInk.dim(`  the last lines of ${stream}:`));
  for (const line of lines) {
    const mark = line.length > MOST_OF_A_LINE ? "…" : "";
    print.talk(`  ${mark}${escapeInvisible(line.slice(-MOST_OF_A_LINE))}`);
  }
}

/** An outcome as JSON: what became of the call, its output, its receipt, and the status that this process ends with. */
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
