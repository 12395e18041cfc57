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

/** How calls wait: what is given, else what the config says. */
export function waitOf(
  given: Partial<Wait>,
  approval: Pick<ApprovalSection, "timeout" | "on_timeout" | "wait">,
): Wait {
  const { timeoutMs = approval.timeout, style = approval.wait } = given;
  const otherwise = approval.on_timeout ?? (style === "suspend" ? "wait" : "error");
  return { timeoutMs, onTimeout: given.onTimeout ?? otherwise, style };
}

/** When a request that is made now has had its time; null for never. Milliseconds since 1970. */
export function deadlineOf({ timeoutMs, onTimeout }: Wait, now: number): number | null {
  return timeoutMs === null || onTimeout === "wait" ? null : now + timeoutMs;
}
