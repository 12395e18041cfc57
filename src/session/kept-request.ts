import type { Broker } from "../approval/broker.ts";
import { approvalOf } from "../approval/not-run.ts";
import { waitOf } from "../approval/wait.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { NotRun } from "../policy/not-run.ts";
import type { RequestStatus, StoredRequest } from "../store/store.ts";

/** A request and the data to make its call: null if it is settled, or if only its caller can make the call. */
export interface KeptRequest {
  readonly stored: StoredRequest;
  readonly call: KeptCall | null;
}

/** The state of a request that only its caller can run. Throws `USAGE` if it is approved. */
export function notRunByCaller(stored: StoredRequest, approval: ApprovalSection): NotRun {
  const found = approvalOf(stored, waitOf({}, approval).onTimeout);
  if (found.kind !== "approved") return found;
  throw new CofferdamError("USAGE", "this call reads a stream that only its caller has", {
    hint: "call it again with this `approvalId`",
  });
}

/** The request of an id. Throws `USAGE` if it is unknown or was removed. */
export async function keptRequest(broker: Broker, approvalId: string): Promise<KeptRequest> {
  const stored = await broker.find(approvalId);
  if (stored === null) throw unknown(`unknown request ${visible(approvalId)}`);
  return { stored, call: await broker.callOf(approvalId) };
}

/**
 * The request of an id, or of the beginning of one. Requests of the given status come before others. Throws `USAGE`,
 * with the matching ids if there are several.
 */
export async function requestNamed(
  broker: Broker,
  named: string,
  status: RequestStatus,
): Promise<StoredRequest> {
  const exact = await broker.find(named);
  if (exact !== null) return exact;
  const found = await Promise.all((await idsBeginning(broker, named, status)).map((id) => broker.find(id)));
  const matching = found.filter((one) => one !== null);
  const wanted = matching.filter((one) => one.status === status);
  const [only, ...others] = wanted.length > 0 ? wanted : matching;
  if (only === undefined) throw unknown(`unknown request ${visible(named)}`);
  if (others.length === 0) return only;
  const ids = [only, ...others].map(({ request }) => request.approvalId).join(", ");
  throw unknown(`several requests begin with ${visible(named)}: ${ids}`);
}

/** The ids of pending requests; if none of the status begins so, also of others as far back as events are kept. */
async function idsBeginning(
  broker: Broker,
  named: string,
  status: RequestStatus,
): Promise<readonly string[]> {
  if (named === "") return [];
  const pending = (await broker.pending()).map(({ approvalId }) => approvalId);
  const begun = pending.filter((id) => id.startsWith(named));
  if (status === "pending" && begun.length > 0) return begun;
  const ids = new Set(pending);
  const last = await broker.lastSeq();
  for await (const event of last < 0 ? [] : broker.events({ runId: null })) {
    if (event.type === "approval.requested") ids.add(event.request.approvalId);
    if (event.seq >= last) break;
  }
  return [...ids].filter((id) => id.startsWith(named));
}

function unknown(message: string): CofferdamError {
  return new CofferdamError("USAGE", message, {
    hint: "list unanswered requests with `cofferdam approvals list`",
  });
}
