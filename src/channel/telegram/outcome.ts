import type { Decision } from "../../policy/decision.ts";
import type { StoredRequest } from "../../store/store.ts";
import { oneLine, visibleStart } from "../foreign-text.ts";
import { bold, type StyledLine } from "../styled-text.ts";
import { timeText } from "./question-message.ts";

/** Maximum shown of the answerer's name and note. */
const MAX_NAME_LENGTH = 120;
const MAX_NOTE_LENGTH = 300;

/** The outcome of a request, for the people who were asked. */
export interface RequestOutcome {
  readonly lines: readonly StyledLine[];
  /** For later presses: at most 200 characters (https://core.telegram.org/bots/api#answercallbackquery). */
  readonly short: string;
}

/** Answer to a press about a request that is unknown or expired. */
export const EXPIRED = "This approval request has expired.";

/** The outcome of a settled request. `at` is when it was seen, null if that was long ago. */
export function outcomeOf({ decision }: StoredRequest, at: number | null): RequestOutcome {
  const when = at === null ? "" : `, ${timeText(at)}`;
  if (decision === null || decision.status === "expired")
    return { lines: [[bold(`Expired${when}: no answer in time`)]], short: EXPIRED };
  const { by, note = "" } = decision;
  const why = note === "" ? [] : oneLine("because", note, MAX_NOTE_LENGTH).lines;
  if (by === "nobody") return { lines: [[bold(`Closed${when}: no answer`)], ...why], short: EXPIRED };
  const verb = verbOf(decision);
  return {
    lines: [[bold(`${verb}${when}`)], ...oneLine("by", by, MAX_NAME_LENGTH).lines, ...why],
    short: `Answered already: ${verb.toLowerCase()} by ${visibleStart(by, MAX_NAME_LENGTH).shown}`,
  };
}

const SCOPES = {
  session: "Approved for this session",
  similar: "Approved with similar calls",
  project: "Approved for this project",
} as const;

function verbOf(decision: Exclude<Decision, { readonly status: "expired" }>): string {
  if (decision.status === "rejected")
    return decision.scope === undefined ? "Rejected" : "Rejected for this session";
  return { once: "Approved", ...SCOPES }[decision.scope];
}
