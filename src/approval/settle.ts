import type { Decision } from "../policy/decision.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Broker } from "./broker.ts";
import { rejected } from "./factories.ts";
import type { DecidedCall } from "./gate-result.ts";

/**
 * The answer to a waiting request by what people remembered since: a grant approves it once, and one use of it is
 * counted; a rejection of the session rejects it. Null if nothing covers the call, or if it has changed.
 */
export async function rememberedAnswer(
  decideAgain: () => Promise<DecidedCall>,
  asked: Pick<DecidedCall, "argsHash">,
  broker: Broker,
): Promise<Decision | null> {
  const { verdict, argsHash } = await decideAgain();
  const { action, remembered, reason } = verdict;
  if (remembered === undefined || argsHash !== asked.argsHash) return null;
  const { id, by } = remembered;
  if (action === "deny") return rejected(by, "this holds for the whole session");
  if (action !== "allow" || !(await broker.memory.use(remembered))) return null;
  return Object.freeze({ status: "approved", scope: "once", by, note: reason, grantId: id });
}

/** The same for a request that its caller comes back to. */
export async function settleStored(
  stored: StoredRequest,
  decided: DecidedCall,
  broker: Broker,
): Promise<StoredRequest> {
  const { approvalId, argsHash } = stored.request;
  if (stored.status !== "pending") return stored;
  const answer = await rememberedAnswer(() => Promise.resolve(decided), { argsHash }, broker);
  if (answer === null || !("by" in answer)) return stored;
  await broker.decide(approvalId, answer, answer.by);
  return (await broker.find(approvalId)) ?? stored;
}
