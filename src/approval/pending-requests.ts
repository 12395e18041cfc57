import { otherTurns } from "../host/turns.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { printSize } from "../profile/quantity.ts";
import type { Belongings, Store } from "../store/store.ts";
import type { PendingBounds, Waiting, WaitingRoom } from "./waiting-room.ts";

/** A supervisor keeps at most so many times what one of its sessions may. */
const SESSIONS_WORTH = 4;
/** So much is kept of one request, in bytes of JSON: everything else in this process waits while the store takes it in. */
const MAX_REQUEST_BYTES = 14 * 1024 ** 2;

/**
 * Decides whether one more request may wait. A session lives in this process: its requests are counted here. A client
 * chooses how many sessions it has, and outlives a process: its requests are counted in the store.
 */
export class PendingRequests {
  readonly #store: Store;
  readonly #room: WaitingRoom;
  /** Bytes that are kept for requests that another process made. */
  #sizes: ReadonlyMap<string, number> = new Map();

  constructor(store: Store, room: WaitingRoom) {
    this.#store = store;
    this.#room = room;
  }

  /** Counts a request in and answers null, or says why there is no room for it. For one request at a time. */
  async admit(waiting: Waiting, belongings: Belongings, bounds: PendingBounds): Promise<string | null> {
    const bytes = sizeOf(waiting.request, belongings);
    await otherTurns(bytes);
    const why =
      (bytes > MAX_REQUEST_BYTES ? tooLarge("one question", MAX_REQUEST_BYTES) : null) ??
      this.#whySessionIsFull(waiting.request, bytes, bounds) ??
      (await this.#whyClientIsFull(waiting, bytes, bounds));
    if (why === null) this.#room.keep(waiting, bytes);
    return why;
  }

  #whySessionIsFull(
    { sessionId }: ApprovalRequest,
    bytes: number,
    { mostPendingBytes: most }: PendingBounds,
  ): string | null {
    if (this.#room.bytesOf(sessionId) + bytes > most) return tooLarge("what waits of this session", most);
    return this.#room.bytes + bytes > SESSIONS_WORTH * most
      ? tooLarge("what waits of this supervisor", SESSIONS_WORTH * most)
      : null;
  }

  async #whyClientIsFull(
    { request }: Waiting,
    bytes: number,
    { mostPending, mostPendingBytes: most }: PendingBounds,
  ): Promise<string | null> {
    const { client, project } = request;
    if (client === undefined) return null;
    const others = (await this.#store.pending()).filter(
      (one) => one.client === client && one.project === project,
    );
    if (mostPending !== null && others.length >= mostPending)
      return `${mostPending} questions of this client wait already`;
    const kept = await this.#bytesOf(others);
    return kept + bytes > most ? tooLarge("what waits of this client", most) : null;
  }

  async #bytesOf(requests: readonly ApprovalRequest[]): Promise<number> {
    const sizes = new Map<string, number>();
    for (const request of requests) {
      const { approvalId } = request;
      const known = this.#room.find(approvalId)?.bytes ?? this.#sizes.get(approvalId);
      sizes.set(approvalId, known ?? sizeOf(request, await this.#store.belongings(approvalId)));
    }
    this.#sizes = sizes;
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }
}

/** What is kept of a request, in bytes of JSON; of one that is too large, more than may be. */
function sizeOf(request: ApprovalRequest, belongings: Belongings | null): number {
  return jsonSize([request, belongings], MAX_REQUEST_BYTES);
}

function tooLarge(what: string, most: number): string {
  return `${what} would take more than ${printSize(most)}`;
}
