import type { Envelope } from "../approval/envelope.ts";
import type { ShownRequest } from "../http/schemas.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Several } from "./api.ts";

/** How a request ended. */
export interface Ending {
  readonly outcome: "approved" | "rejected" | "expired";
  /** Of a yes: how far it reaches. */
  readonly isForSession: boolean;
  readonly by: string;
  readonly note: string | null;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
}

/** A request that is over. */
export interface Decided {
  readonly request: ApprovalRequest;
  readonly ending: Ending;
}

/** So many of those that are over are kept. */
const MOST_DECIDED = 50;

/** What this page knows: what waits, oldest first, and what was decided since it was opened. */
export class Desk {
  readonly waiting = new Map<string, ApprovalRequest>();
  /** The latest first. */
  readonly decided = new Map<string, Decided>();
  /** Endings of requests that are not known here yet. */
  readonly #early = new Map<string, Ending>();

  /** Puts everything that waits in place of what did; the ids of those that wait no more, and how, nobody said. */
  replace(pending: readonly ApprovalRequest[]): readonly string[] {
    const gone = [...this.waiting.keys()].filter(
      (id) => !pending.some(({ approvalId }) => approvalId === id),
    );
    const kept = gone.flatMap((id) => this.waiting.get(id) ?? []);
    this.waiting.clear();
    // Those stay until it is known what became of them.
    for (const request of [...kept, ...pending]) this.waiting.set(request.approvalId, request);
    return gone;
  }

  /** One more waits. */
  add(request: ApprovalRequest): void {
    const { approvalId } = request;
    const early = this.#early.get(approvalId);
    this.#early.delete(approvalId);
    if (this.decided.has(approvalId) || this.waiting.has(approvalId)) return;
    this.waiting.set(approvalId, request);
    if (early !== undefined) this.end(approvalId, early);
  }

  /** A request is over. What is not known yet is over as soon as it is. */
  end(approvalId: string, ending: Ending): void {
    const request = this.waiting.get(approvalId);
    if (request === undefined) {
      if (!this.decided.has(approvalId)) this.#early.set(approvalId, ending);
      return;
    }
    this.waiting.delete(approvalId);
    const others = [...this.decided].slice(0, MOST_DECIDED - 1);
    this.decided.clear();
    for (const [id, one] of [[approvalId, { request, ending }] as const, ...others])
      this.decided.set(id, one);
  }

  /** A request is not known any more. */
  forget(approvalId: string): void {
    this.waiting.delete(approvalId);
    this.#early.delete(approvalId);
  }

  /** A request that is over, or waits; null for one that is not known. */
  find(approvalId: string): ApprovalRequest | null {
    return this.waiting.get(approvalId) ?? this.decided.get(approvalId)?.request ?? null;
  }

  /** Those that wait of a run, or of one turn in it. */
  idsOf({ runId, groupId }: Several): readonly string[] {
    const all = [...this.waiting.values()].filter(
      (one) => one.runId === runId && (groupId === undefined || one.groupId === groupId),
    );
    return all.map(({ approvalId }) => approvalId);
  }

  /** Those that wait beside one, of its turn or of its run, itself counted. */
  beside({ groupId, runId }: ApprovalRequest): { readonly group: number; readonly run: number } {
    const group = groupId === null ? 0 : this.idsOf({ runId, groupId }).length;
    return { group, run: this.idsOf({ runId }).length };
  }
}

/** How an event says that a request ended; null for one that says no such thing. */
export function endingIn({ type, created_at, payload }: Envelope): Ending | null {
  const at = created_at * 1_000;
  if (type === "approval.expired")
    return { outcome: "expired", isForSession: false, by: "nobody", note: null, at };
  if (type !== "approval.resolved") return null;
  const { approved, remember, by, note } = payload;
  return {
    outcome: approved === true ? "approved" : "rejected",
    isForSession: remember === "session",
    by: typeof by === "string" ? by : "nobody",
    note: typeof note === "string" ? note : null,
    at,
  };
}

/** How a request ended, as the server shows it; null while it waits, or where nobody knows. */
export function endingOf({ decision, now }: Pick<ShownRequest, "decision" | "now">): Ending | null {
  switch (decision?.status) {
    case undefined:
      return null;
    case "expired":
      return { outcome: "expired", isForSession: false, by: "nobody", note: null, at: now };
    case "approved":
    case "rejected": {
      const isForSession = decision.status === "approved" && decision.scope === "session";
      return {
        outcome: decision.status,
        isForSession,
        by: decision.by,
        note: decision.note,
        at: now,
      };
    }
  }
}
