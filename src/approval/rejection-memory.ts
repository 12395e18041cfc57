import { RecentMap } from "../host/recent-map.ts";
import type { Decision } from "../policy/decision.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Broker } from "./broker.ts";
import { NOBODY } from "./nobody.ts";

/** After this many rejections of the same call, no person is asked about it again. */
const MAX_REJECTIONS = 3;
/** Maximum of calls that are remembered as asked, and of requests of each; the oldest is forgotten first. */
const MAX_REMEMBERED = 1_000;

/** The requests of one session that people rejected, or have not answered yet. */
export class RejectionMemory {
  readonly #broker: Pick<Broker, "find">;
  /** Requests by call and id: true for a person's rejection, false if unanswered when last looked up. */
  readonly #asked = new RecentMap<string, RecentMap<string, boolean>>(MAX_REMEMBERED);

  constructor(broker: Pick<Broker, "find">) {
    this.#broker = broker;
  }

  /** Remembers a request about a call; null if it has no answer yet. */
  add(cacheKey: string, approvalId: string, decision: Decision | null): void {
    const isRejected = isRejectedByPerson({ decision });
    if (decision !== null && !isRejected) return;
    const requests = this.#asked.get(cacheKey) ?? new RecentMap<string, boolean>(MAX_REMEMBERED);
    this.#asked.set(cacheKey, requests.set(approvalId, isRejected));
  }

  /** True after enough rejections by people. Requests that were unanswered are looked up: a late rejection counts. */
  async isRejectedOften(cacheKey: string): Promise<boolean> {
    const requests = this.#asked.get(cacheKey) ?? new Map<string, boolean>();
    for (const [approvalId, isRejected] of requests) {
      const stored = isRejected ? null : await this.#broker.find(approvalId);
      if (isRejected || stored?.status === "pending") continue;
      if (isRejectedByPerson(stored)) requests.set(approvalId, true);
      else requests.delete(approvalId);
    }
    return [...requests.values()].filter(Boolean).length >= MAX_REJECTIONS;
  }
}

/** True for a request that a person rejected. */
export function isRejectedByPerson(stored: Pick<StoredRequest, "decision"> | null): boolean {
  return stored?.decision?.status === "rejected" && stored.decision.by !== NOBODY;
}
