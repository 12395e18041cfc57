import { CofferdamError, type ErrorCode } from "../../errors.ts";
import { ApprovalPendingError } from "../../policy/approval-error.ts";
import type { Stopped } from "../../supervisor/outcome.ts";

/** A call that did not run, for callers that read no outcomes. */
export function stoppedError(tool: string, stopped: Stopped): CofferdamError {
  const { code, reason, hint } = stopped;
  return stopped.kind === "pending"
    ? new ApprovalPendingError(tool, reason, stopped.approvalId, { hint })
    : new CofferdamError(code, reason, { hint });
}

/** What the work gives, or null where it throws this. */
export async function unless<Value>(code: ErrorCode, work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CofferdamError && cause.code === code) return null;
    throw cause;
  }
}

/** What the work gives; where it throws because of the signal, the signal's reason is thrown. */
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
