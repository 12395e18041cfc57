import type { DecideAgain } from "../approval/gate.ts";
import type { ApprovedRun, DecidedCall } from "../approval/gate-result.ts";
import type { NotRun } from "../policy/not-run.ts";
import { hasApproval, type Verdict } from "../policy/verdict.ts";

/** A call whose policy keeps changing while it is decided is given up. */
const MAX_TRIES = 3;

/**
 * The approved call, decided again if the config, an operator profile or trust has changed since its last decision: it
 * runs under the newest policy, or not at all. An approval holds for exactly what was shown, with the access that was
 * shown. Throws the errors of `decideAgain`.
 */
export async function stillApproved<Decided extends DecidedCall>(
  approved: ApprovedRun<Decided>,
  runner: { isCurrent(): boolean },
  decideAgain: DecideAgain<Decided>,
): Promise<ApprovedRun<Decided> | NotRun> {
  let current = approved;
  for (let tries = 0; !runner.isCurrent(); tries += 1) {
    if (tries === MAX_TRIES) return CHANGED;
    const decided = await decideAgain();
    const { verdict } = decided;
    if (verdict.action === "deny")
      return { kind: "denied", code: "APPROVAL_BLOCKED", reason: verdict.reason, hint: BY_A_CHANGE };
    if (decided.argsHash !== approved.decided.argsHash) return CHANGED;
    if (!isStillAllowed(approved, verdict)) return CHANGED;
    const isApproved = approved.approvalId === null ? hasApproval(verdict) : approved.isApproved;
    current = { ...approved, decided, isApproved };
  }
  return current;
}

/**
 * True if a call that was approved may run by a later verdict. If it asks, the question was put, and whoever answered it
 * may still do so. If a remembered answer allows it, the use of that answer was counted.
 */
export function isStillAllowed(
  { approvalId, review, decided }: ApprovedRun<DecidedCall>,
  { action, demandsPerson, remembered }: Verdict,
): boolean {
  const before = decided.verdict;
  if (action === "deny") return false;
  if (action === "ask")
    return approvalId !== null && review === null && (before.demandsPerson || !demandsPerson);
  const isCounted = remembered?.of === before.remembered?.of && remembered?.id === before.remembered?.id;
  return approvalId !== null || remembered === undefined || isCounted;
}

const BY_A_CHANGE = "the config or an operator profile changed just now; change the call, or the rule";

const CHANGED: NotRun = {
  kind: "denied",
  code: "FACTS_UNSTABLE",
  reason: "the config or an operator profile changed right before the start of the call",
  hint: "run it again",
};
