import type { Broker } from "../approval/broker.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { StoredRequest } from "../store/store.ts";

/** A request, and what it takes to make its call; the latter is null when it is over, or only its caller can make it. */
export interface KeptRequest {
  readonly stored: StoredRequest;
  readonly call: KeptCall | null;
}

/** What was kept under an id. Throws `USAGE` where nothing is, or not any more. */
export async function keptRequest(broker: Broker, approvalId: string): Promise<KeptRequest> {
  const stored = await broker.find(approvalId);
  if (stored === null)
    throw new CofferdamError("USAGE", `there is no request ${visible(approvalId)}`, {
      hint: "see what waits with `cofferdam approvals list`",
    });
  return { stored, call: await broker.callOf(approvalId) };
}
