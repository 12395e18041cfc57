import type { RequestLookup } from "../../approval/handler.ts";
import type { StoredRequest } from "../../store/store.ts";
import { bold, type StyledText } from "../styled-text.ts";
import { EXPIRED, outcomeOf } from "./outcome.ts";
import { idIn } from "./press-data.ts";
import type { ChatQuestion } from "./question.ts";
import { overMessage } from "./question-message.ts";

/** A settled request: the final text of its message, and the answer to later presses. */
export interface Over {
  readonly message: StyledText;
  readonly short: string;
}

const MAX_OVER = 500;

/** The requests that the channel knows, by the key in their buttons. */
export class ChatRecords {
  readonly open = new Map<string, ChatQuestion>();
  readonly #over = new Map<string, Over>();
  readonly #lookups = new Set<RequestLookup>();

  lookIn(requests: RequestLookup): void {
    this.#lookups.add(requests);
  }

  /** Records a settled request and returns its outcome, if known; null if it was left open. */
  async close(question: ChatQuestion, stored: StoredRequest | null, now: number): Promise<Over | null> {
    if (stored?.status === "pending") return null;
    const { lines, short } =
      stored === null
        ? { lines: [[bold("Closed: its outcome is no longer known")]], short: EXPIRED }
        : outcomeOf(stored, now);
    const over = { message: overMessage(question.request, await question.look(), lines), short };
    this.#over.set(question.key, over);
    for (const oldest of this.#over.keys()) {
      if (this.#over.size <= MAX_OVER) break;
      this.#over.delete(oldest);
    }
    return over;
  }

  /** The outcome of a request that is not open here; `waiting` if it is open elsewhere, null if unknown. */
  async find(key: string): Promise<Over | "waiting" | null> {
    const over = this.#over.get(key);
    if (over !== undefined) return over;
    const approvalId = idIn(key);
    if (approvalId === null) return null;
    for (const requests of this.#lookups) {
      const stored = await findIn(requests, approvalId);
      if (stored?.status === "pending") return "waiting";
      if (stored === null) continue;
      const { lines, short } = outcomeOf(stored, null);
      return { message: overMessage(stored.request, { kind: "awaited" }, lines), short };
    }
    return null;
  }
}

/** A store that cannot be read now does not know the request. */
async function findIn(requests: RequestLookup, approvalId: string): Promise<StoredRequest | null> {
  try {
    return await requests.find(approvalId);
  } catch {
    return null;
  }
}
