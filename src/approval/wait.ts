import { z } from "zod";
import { type ApprovalSection, OnTimeout, WaitStyle } from "../policy/approval-section.ts";

/**
 * How a call waits for its answer. `timeoutMs` null: for ever. When the time is over, `error` fails the call with
 * `APPROVAL_TIMEOUT`, `deny` rejects the request, and `wait` continues to wait. `block` holds the call; `suspend` ends
 * it with the id of its request, under which it can be called again once there is an answer.
 */
export const Wait = z
  .strictObject({ timeoutMs: z.number().positive().nullable(), onTimeout: OnTimeout, style: WaitStyle })
  .readonly();
export type Wait = z.infer<typeof Wait>;

/** The given options, else the config's. Calls that suspend without them keep their request for `keep`, for days. */
export function waitOf(
  given: Partial<Wait>,
  approval: Pick<ApprovalSection, "timeout" | "on_timeout" | "wait" | "keep">,
): Wait {
  const { style = approval.wait, onTimeout = approval.on_timeout } = given;
  const isKept = style === "suspend" && onTimeout === undefined;
  const { timeoutMs = isKept ? approval.keep : approval.timeout } = given;
  return { timeoutMs, onTimeout: onTimeout ?? "error", style };
}

/** The deadline of a new request in milliseconds since 1970; null for never. */
export function deadlineOf({ timeoutMs, onTimeout }: Wait, now: number): number | null {
  return timeoutMs === null || onTimeout === "wait" ? null : now + timeoutMs;
}
