import { RecentMap } from "../host/recent-map.ts";
import { otherTurns } from "../host/turns.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { printSize } from "../profile/quantity.ts";
import type { Belongings, Store } from "../store/store.ts";
import type { PendingBounds, PendingRequest } from "./pending-request.ts";

/** Maximum stored by a supervisor, as a multiple of the maximum of one session. */
const SESSIONS_WORTH = 4;
/** Maximum of requests whose size is remembered; the oldest is measured again. */
const MAX_MEASURED = 10_000;
/** Maximum size of one request as JSON, in bytes: this process does nothing else while the store takes it in. */
const MAX_REQUEST_BYTES = 14 * 1024 ** 2;

/** Admits waiting requests. A client outlives a process, so its requests are counted in the store; a session's here. */
export class RequestAdmission {
  readonly #store: Store;
  /** Bytes of requests of clients, by id; measured once. */
  readonly #sizes = new RecentMap<string, number>(MAX_MEASURED);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Counts the bytes of a request among `all` of this process, or returns why it may not wait. One at a time. */
  async admit(
    pending: PendingRequest,
    belongings: Belongings,
    all: readonly PendingRequest[],
  ): Promise<string | null> {
    const { request, options } = pending;
    const { bounds } = options;
    if (bounds === undefined) return null;
    const bytes = jsonSize([request, belongings], MAX_REQUEST_BYTES);
    await otherTurns(bytes);
    const sum = (others: readonly PendingRequest[]) =>
      others.reduce((total, one) => total + one.bytes, bytes);
    const ofSession = all.filter((one) => one.request.sessionId === request.sessionId);
    const reason =
      tooLarge("one request", bytes, MAX_REQUEST_BYTES) ??
      tooLarge("the pending requests of this session", sum(ofSession), bounds.maxPendingBytes) ??
      tooLarge(
        "the pending requests of this supervisor",
        sum(all),
        SESSIONS_WORTH * bounds.maxPendingBytes,
      ) ??
      (await this.#whyClientIsFull(request, bytes, bounds));
    if (reason === null) pending.bytes = bytes;
    return reason;
  }

  async #whyClientIsFull(
    { approvalId, client, project }: ApprovalRequest,
    bytes: number,
    { maxPending, maxPendingBytes }: PendingBounds,
  ): Promise<string | null> {
    if (client === undefined) return null;
    const waiting = await this.#store.pending();
    const others = waiting.filter((one) => one.client === client && one.project === project);
    if (maxPending !== null && others.length >= maxPending)
      return `${maxPending} requests of this client already wait for an answer`;
    let total = bytes;
    for (const other of others) {
      const { approvalId: id } = other;
      const measure = async () => jsonSize([other, await this.#store.belongings(id)], MAX_REQUEST_BYTES);
      const size = this.#sizes.get(id) ?? (await measure());
      this.#sizes.set(id, size);
      total += size;
    }
    this.#sizes.set(approvalId, bytes);
    return tooLarge("the pending requests of this client", total, maxPendingBytes);
  }
}

function tooLarge(what: string, bytes: number, max: number): string | null {
  return bytes > max ? `${what} would take more than ${printSize(max)}` : null;
}
