import { MAX_RECORDED } from "../event/bounded.ts";
import type { Trail } from "../journal/trail.ts";
import { hideInWords, redact } from "../policy/redact.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import type { ProgramOutcome } from "./outcome.ts";
import { type Prepared, printShortfalls } from "./prepare.ts";
import type { Unstartable } from "./start-fault.ts";

/** What is to run, as it came, and again where a person put something else in its place. */
export function tellReceived({ tool, input, use, caller, agent }: Call, trail: Trail): void {
  const words = hideInWords(wordsOf(input), MAX_RECORDED);
  trail.record({
    type: "call.received",
    tool,
    words,
    safeArgs: use === null ? null : redact(use.args).safeArgs,
    cwd: input.cwd ?? ".",
    caller,
    agent,
  });
}

/** What was decided about it. */
export function tellPrepared(trail: Trail, { verdict, unasked, onYes, argsHash }: Prepared): void {
  trail.record({
    type: "call.prepared",
    argsHash,
    unasked: unasked.digest,
    onYes: onYes.digest,
    shortfall: [...printShortfalls(onYes)],
  });
  trail.judged(verdict);
}

/** It was denied, and that is written down. */
export function endDenied(
  trail: Trail,
  code: Extract<ProgramOutcome, { kind: "denied" }>["code"],
  reason: string,
  hint: string,
): ProgramOutcome {
  trail.ended("denied", { reason: `${code}: ${reason}` });
  return { kind: "denied", code, reason, hint };
}

/** Its program can't be started, and that is written down. */
export function endNotFound({ reason, hint }: Unstartable, trail: Trail): ProgramOutcome {
  trail.ended("failed", { code: 127, reason });
  return { kind: "not-found", code: 127, reason, hint };
}
