import type { Decision } from "../../policy/decision.ts";
import type { StoredRequest } from "../../store/store.ts";
import { oneLine, visibleStart } from "../foreign-text.ts";
import { bold, type Line } from "../styled-text.ts";
import { timeText } from "./question-message.ts";

/** So much is repeated of who answered, and of what they said besides. */
const MOST_OF_A_NAME = 120;
const MOST_OF_A_NOTE = 300;

/** What became of a request, for those who were asked. */
export interface Outcome {
  /** For its message. */
  readonly lines: readonly Line[];
  /** For whoever presses later: at most 200 characters (https://core.telegram.org/bots/api#answercallbackquery). */
  readonly short: string;
}

/** What is said to a press about a request that nobody knows, or that nobody answered in time. */
export const EXPIRED = "This approval request has expired.";

/** What became of a request that does not wait any more; `at` is when that was seen, null where it was long before. */
export function outcomeOf({ decision }: StoredRequest, at: number | null): Outcome {
  const when = at === null ? "" : `, ${timeText(at)}`;
  if (decision === null || decision.status === "expired")
    return { lines: [[bold(`Expired${when}: nobody answered in time`)]], short: EXPIRED };
  const { by, note = "" } = decision;
  const why = note === "" ? [] : oneLine("because", note, MOST_OF_A_NOTE).lines;
  if (by === "nobody") return { lines: [[bold(`Over${when}: nobody answered`)], ...why], short: EXPIRED };
  const verb = verbOf(decision);
  return {
    lines: [[bold(`${verb}${when}`)], ...oneLine("by", by, MOST_OF_A_NAME).lines, ...why],
    short: `Answered already: ${verb.toLowerCase()} by ${visibleStart(by, MOST_OF_A_NAME).shown}`,
  };
}

function verbOf(decision: Exclude<Decision, { readonly status: "expired" }>): string {
  if (decision.status === "rejected") return "Rejected";
  return decision.scope === "session" ? "Approved for this session" : "Approved";
}
