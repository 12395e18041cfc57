import { type CallOrigin, changedParts, printChanged } from "../policy/bound-call.ts";
import { denied } from "../policy/not-run.ts";
import type { EarlierRequest } from "../policy/request.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Broker } from "./broker.ts";
import { requestsOf } from "./call-requests.ts";
import { rejected } from "./factories.ts";
import type { CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import { NOBODY } from "./nobody.ts";

/** The asking process's share in the run of a request; null if there is none, or the request is about another tool. */
export async function originOfRequest(
  broker: Broker,
  approvalId: string,
  { tool, agent }: Pick<CallIdentity, "tool" | "agent">,
): Promise<CallOrigin | null> {
  const request = (await broker.find(approvalId))?.request;
  if (request?.tool !== tool || request.agent !== agent) return null;
  return (await broker.belongings(approvalId))?.bound?.origin ?? null;
}

/** The same of the last request about a call that a framework repeats. */
export async function originOfRepeated(
  broker: Broker,
  call: CallIdentity,
  decided: DecidedCall,
  toolCallId: string,
): Promise<CallOrigin | null> {
  const { same, other } = await requestsOf(broker, call, decided, toolCallId);
  // A call that is the same here needs no other plan.
  return same !== null || other === null ? null : originOfRequest(broker, other.request.approvalId, call);
}

/** An earlier request about a call, and the parts that have changed since; null if it has ended. */
export async function earlierRequest(
  broker: Broker,
  { request: { approvalId } }: Pick<StoredRequest, "request">,
  decided: DecidedCall,
): Promise<EarlierRequest | null> {
  const kept = await broker.belongings(approvalId);
  if (kept === null) return null;
  return { approvalId, changed: changedParts(kept.bound?.parts ?? [], decided.bound?.parts ?? []) };
}

/** The same, before another request takes its place: it is dismissed, because an answer could not be used. */
export async function replaceRequest(
  broker: Broker,
  stored: StoredRequest,
  decided: DecidedCall,
): Promise<EarlierRequest | null> {
  const earlier = await earlierRequest(broker, stored, decided);
  if (earlier !== null && stored.status === "pending")
    await dismiss(broker, stored, `the call has changed: ${printChanged(earlier.changed)}`);
  return earlier;
}

/** Closes the request about a call that the rules allow now. */
export async function dismissAllowed(
  broker: Broker,
  call: CallIdentity,
  decided: DecidedCall,
  toolCallId: string | null,
): Promise<void> {
  if (toolCallId === null) return;
  const { same, other } = await requestsOf(broker, call, decided, toolCallId);
  const last = same ?? other;
  if (last?.status === "pending")
    await dismiss(broker, last, "the rules allow the call now, so no answer is needed");
}

async function dismiss(broker: Broker, { request }: StoredRequest, why: string): Promise<void> {
  await broker.decide(request.approvalId, rejected(NOBODY, why), NOBODY);
}

/** The denial of a call without a request of its own; `earlier` is the one before it changed. */
export function notAskedAbout(earlier: EarlierRequest | null): GateStop {
  const why = earlier === null ? "it has changed since, or was never asked about" : changedSince(earlier);
  return denied("approval", `no request exists for exactly this call: ${why}`);
}

/** The denial of a call that changed each time after its approval. */
export function keptChanging(earlier: EarlierRequest | null): GateStop {
  const what = earlier === null ? "" : `: ${printChanged(earlier.changed)}`;
  return denied("facts", `the call kept changing while it waited for an answer${what}`);
}

/** Why an earlier request can't be used: ``it has changed since request 1a2b3c4d (the program `bin/tool`)``. */
export function changedSince({ approvalId, changed }: EarlierRequest): string {
  return `it has changed since request ${approvalId.slice(0, 8)} (${printChanged(changed)})`;
}
