import { type Prepared, printShortfalls } from "../decide/prepare.ts";
import { MAX_RECORDED } from "../event/bounded.ts";
import type { CallLog } from "../journal/call-log.ts";
import { hideInWords, redact } from "../policy/redact.ts";
import { type Call, wordsOf } from "../tool/call.ts";

/** Records a call that came in, and again after a person edited its input. */
export function logReceived({ tool, input, use, caller, agent }: Call, log: CallLog): void {
  const words = hideInWords(wordsOf(input), MAX_RECORDED);
  log.record({
    type: "call.received",
    tool,
    words,
    safeArgs: use === null ? null : redact(use.args).safeArgs,
    cwd: input.cwd ?? ".",
    caller,
    agent,
  });
}

/** Records the decision. */
export function logPrepared(
  log: CallLog,
  { verdict, withoutApproval, withApproval, argsHash }: Prepared,
): void {
  log.record({
    type: "call.prepared",
    argsHash,
    unasked: withoutApproval.digest,
    onYes: withApproval.digest,
    shortfall: [...printShortfalls(withApproval)],
  });
  log.judged(verdict);
}
