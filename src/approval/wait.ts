import { z } from "zod";
import { type ApprovalSection, OnTimeout, WaitStyle } from "../policy/approval-section.ts";

/**
 * How a call waits for its answer. `timeoutMs` null: for ever. When the time has run out, `error` fails the call with
 * `APPROVAL_TIMEOUT`, `deny` is a no, and `wait` goes on waiting. `block` holds the call; `suspend` ends it with the id of
 * its request, by which it can be called again once there is an answer.
 */
export const Wait = z
  .strictObject({
    timeoutMs: z.number().positive().nullable(),
    onTimeout: OnTimeout,
    style: WaitStyle,
  })
  .readonly();
export type Wait = z.infer<typeof Wait>;

/**
 * How calls wait: what is given, else what the config says. Where neither says what happens at the end, a request that is
 * answered later is kept for days, and a call that stands still fails.
 */
export function waitOf(
  given: Partial<Wait>,
  approval: Pick<ApprovalSection, "timeout" | "on_timeout" | "wait" | "keep">,
): Wait {
  const { style = approval.wait, onTimeout = approval.on_timeout } = given;
  const isKept = style === "suspend" && onTimeout === undefined;
  const { timeoutMs = isKept ? approval.keep : approval.timeout } = given;
  return { timeoutMs, onTimeout: onTimeout ?? "error", style };
}

/** When a request that is made now has had its time; null for never. Milliseconds since 1970. */
export function deadlineOf({ timeoutMs, onTimeout }: Wait, now: number): number | null {
  return timeoutMs === null || onTimeout === "wait" ? null : now + timeoutMs;
}
