import type { Lookup } from "../../approval/handler.ts";
import type { StoredRequest } from "../../store/store.ts";
import { bold, type StyledText } from "../styled-text.ts";
import { EXPIRED, outcomeOf } from "./outcome.ts";
import { idIn } from "./press-data.ts";
import type { Question } from "./question.ts";
import { overMessage } from "./question-message.ts";

/** A request that is over: what its message says then, and what whoever presses is told. */
export interface Over {
  readonly message: StyledText;
  readonly short: string;
}

/** So many are remembered of those that are over. */
const MOST_OVER = 500;

/** What the channel knows of requests, by what their buttons carry. */
export class Records {
  /** Those that wait for an answer. */
  readonly open = new Map<string, Question>();
  readonly #over = new Map<string, Over>();
  readonly #lookups = new Set<Lookup>();

  /** From now on what is not remembered is looked up here too. */
  lookIn(requests: Lookup): void {
    this.#lookups.add(requests);
  }

  /** A question is over: what became of it, where that is known; null for one that was left open. */
  async close(question: Question, stored: StoredRequest | null, now: number): Promise<Over | null> {
    if (stored?.status === "pending") return null;
    const { lines, short } =
      stored === null
        ? { lines: [[bold("Over: what became of it is not known any more")]], short: EXPIRED }
        : outcomeOf(stored, now);
    const over = { message: overMessage(question.request, await question.look(), lines), short };
    this.#over.set(question.key, over);
    for (const oldest of this.#over.keys()) {
      if (this.#over.size <= MOST_OVER) break;
      this.#over.delete(oldest);
    }
    return over;
  }

  /** What became of a request that is not open here; `waiting` when it is elsewhere, null when nobody knows it. */
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

/** A store that can't be read now knows nothing of it. */
async function findIn(requests: Lookup, approvalId: string): Promise<StoredRequest | null> {
  try {
    return await requests.find(approvalId);
  } catch {
    return null;
  }
}
