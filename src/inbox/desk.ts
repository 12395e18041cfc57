import type { Envelope } from "../approval/envelope.ts";
import type { ShownRequest } from "../http/schemas.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Several } from "./api.ts";

/** How a request ended. */
export interface RequestEnding {
  readonly outcome: "approved" | "rejected" | "expired";
  readonly isForSession: boolean;
  readonly by: string;
  readonly note: string | null;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
}

export interface ClosedRequest {
  readonly request: ApprovalRequest;
  readonly ending: RequestEnding;
}

/** Maximum number of closed requests that are kept. */
const MAX_DECIDED = 50;

/** The state of this page: pending requests, oldest first, and requests decided since it was opened. */
export class InboxState {
  readonly waiting = new Map<string, ApprovalRequest>();
  /** Latest first. */
  readonly decided = new Map<string, ClosedRequest>();
  /** Endings of requests that are not known here yet. */
  readonly #early = new Map<string, RequestEnding>();
  readonly #onNew: (request: ApprovalRequest) => void;
  #isFilled = false;

  /** `onNew`: a request came after the page was opened. */
  constructor(onNew: (request: ApprovalRequest) => void = () => undefined) {
    this.#onNew = onNew;
  }

  /** Replaces the pending requests. Returns the ids of those that are no longer pending, with an unknown ending. */
  replace(pending: readonly ApprovalRequest[]): readonly string[] {
    const gone = [...this.waiting.keys()].filter(
      (id) => !pending.some(({ approvalId }) => approvalId === id),
    );
    const fresh = pending.filter(({ approvalId }) => this.find(approvalId) === null);
    const kept = gone.flatMap((id) => this.waiting.get(id) ?? []);
    this.waiting.clear();
    // They stay until their ending is known.
    for (const request of [...kept, ...pending]) this.waiting.set(request.approvalId, request);
    if (this.#isFilled) for (const request of fresh) this.#onNew(request);
    this.#isFilled = true;
    return gone;
  }

  add(request: ApprovalRequest): void {
    const { approvalId } = request;
    const early = this.#early.get(approvalId);
    this.#early.delete(approvalId);
    if (this.decided.has(approvalId) || this.waiting.has(approvalId)) return;
    this.waiting.set(approvalId, request);
    if (early === undefined) this.#onNew(request);
    else this.end(approvalId, early);
  }

  /** Closes a request. The ending of an unknown request is kept until the request is added. */
  end(approvalId: string, ending: RequestEnding): void {
    const request = this.waiting.get(approvalId);
    if (request === undefined) {
      if (!this.decided.has(approvalId)) this.#early.set(approvalId, ending);
      return;
    }
    this.waiting.delete(approvalId);
    const others = [...this.decided].slice(0, MAX_DECIDED - 1);
    this.decided.clear();
    for (const [id, one] of [[approvalId, { request, ending }] as const, ...others])
      this.decided.set(id, one);
  }

  /** Removes a request that the server does not know. */
  forget(approvalId: string): void {
    this.waiting.delete(approvalId);
    this.#early.delete(approvalId);
  }

  find(approvalId: string): ApprovalRequest | null {
    return this.waiting.get(approvalId) ?? this.decided.get(approvalId)?.request ?? null;
  }

  /** The ids of the pending requests of a run, or of one turn in it. */
  idsOf({ runId, groupId }: Several): readonly string[] {
    const all = [...this.waiting.values()].filter(
      (one) => one.runId === runId && (groupId === undefined || one.groupId === groupId),
    );
    return all.map(({ approvalId }) => approvalId);
  }

  /** The numbers of pending requests in the same turn and run, including this one. */
  beside({ groupId, runId }: ApprovalRequest): { readonly group: number; readonly run: number } {
    const group = groupId === null ? 0 : this.idsOf({ runId, groupId }).length;
    return { group, run: this.idsOf({ runId }).length };
  }
}

/** The ending that an event reports; null if it reports none. */
export function endingIn({ type, created_at, payload }: Envelope): RequestEnding | null {
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

/** The ending that the server shows; null while the request is pending or if unknown. */
export function endingOf({ decision, now }: Pick<ShownRequest, "decision" | "now">): RequestEnding | null {
  switch (decision?.status) {
    case undefined:
      return null;
    case "expired":
      return { outcome: "expired", isForSession: false, by: "nobody", note: null, at: now };
    case "approved":
    case "rejected": {
      const isForSession =
        decision.status === "approved" ? decision.scope !== "once" : decision.lasts !== undefined;
      return { outcome: decision.status, isForSession, by: decision.by, note: decision.note, at: now };
    }
  }
}
