import { CofferdamError, type ErrorCode } from "../../errors.ts";
import { ApprovalPendingError } from "../../policy/approval-error.ts";
import type { NotRun } from "../../policy/not-run.ts";

/** The error for a call that did not run, for callers without outcomes. */
export function stoppedError(tool: string, stopped: NotRun): CofferdamError {
  const { code, reason, hint } = stopped;
  return stopped.kind === "pending"
    ? new ApprovalPendingError(tool, reason, stopped.approvalId, { hint })
    : new CofferdamError(code, reason, { hint });
}

/** The result of `work`, or null if it throws an error with this code. */
export async function unless<Value>(code: ErrorCode, work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CofferdamError && cause.code === code) return null;
    throw cause;
  }
}

/** The result of `work`. If an abort makes it throw, the signal's reason is thrown. */
export async function unlessAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause;
  }
}
