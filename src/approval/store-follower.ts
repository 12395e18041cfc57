import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../store/store.ts";
import type { ApprovalLog } from "./approval-log.ts";
import type { PendingRequests } from "./pending-requests.ts";

/** The pause after a failed read of the store. */
const PAUSE_MS = 500;

/** Brings answers and requests of every run to calls and handlers here. Once it resolves, it misses no later event. */
export async function followStore(
  log: ApprovalLog,
  pending: PendingRequests,
  signal: AbortSignal,
): Promise<void> {
  const follow = async (from: number): Promise<void> => {
    for (let after: number | null = from; !signal.aborted; ) {
      try {
        after ??= await catchUp(log.store, pending);
        for await (const event of log.events({ after, runId: null, signal })) {
          after = event.seq;
          if (event.type === "approval.requested") await pending.adopt(event.request);
          if (event.type === "approval.resolved" || event.type === "approval.expired")
            await pending.applyRemote(event.approvalId);
          if (event.type === "grant.saved") void pending.settle();
        }
        return;
      } catch {
        after = null;
        await pause(PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  };
  void follow(await log.store.lastSeq());
}

/** Reads the state of all requests, as events may be gone. Returns the event to continue after. */
async function catchUp(store: Store, pending: PendingRequests): Promise<number> {
  const after = await store.lastSeq();
  for (const { request } of pending.all()) await pending.applyRemote(request.approvalId);
  for (const request of await store.pending()) await pending.adopt(request);
  return after;
}
