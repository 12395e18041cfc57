import { sha256 } from "../profile/digest.ts";
import { lineCandidate } from "./candidate.ts";
import { type CallCover, coversCall } from "./cover.ts";
import { type RecordedCall, recordedLine } from "./recorded-call.ts";

/** A recorded command line, and the answer of a person. */
export interface AnsweredRecord extends RecordedCall {
  readonly approvalId: string;
  readonly answer: "none" | "yes" | "no";
  /** True if nothing but a default asked about it: no kept rule answers another call. */
  readonly isByDefault: boolean;
}

/** A rule that may be kept, and the recorded calls that it would have let pass. */
export interface SuggestedRule {
  /** The same for the same rule, in any list. */
  readonly id: string;
  readonly cover: CallCover;
  readonly passed: number;
  readonly total: number;
  readonly calls: readonly string[];
  /** The requests that a person approved. */
  readonly from: readonly string[];
}

/**
 * The suggestion with an id; null if there is none, or several. A place in the list would name another one as soon as
 * further calls are asked about.
 */
export function suggestionNamed(all: readonly SuggestedRule[], named: string): SuggestedRule | null {
  const [only, ...others] = all.filter(({ id }) => id === named);
  return only === undefined || others.length > 0 ? null : only;
}

const MAX_NAMED = 5;
const ID_LENGTH = 8;

/**
 * Rules for the command lines that a person approved, those that would have let pass most calls first. A program that
 * only reads gets free arguments if two different calls of it were approved. No rule covers a call that was rejected.
 */
export function suggestRules(calls: readonly AnsweredRecord[]): readonly SuggestedRule[] {
  const lines = calls.filter(({ tool, isByDefault }) => tool === "shell" && isByDefault);
  const approved = lines.filter(({ answer }) => answer === "yes");
  const read = new Map(lines.map((one) => [one, recordedLine(one.text)]));
  const rejected = calls.filter(({ tool, answer }) => tool === "shell" && answer === "no");
  const candidateOf = (one: AnsweredRecord, mayRead: boolean): CallCover | null => {
    const call = read.get(one);
    return call === undefined ? null : lineCandidate(call, { mayRead });
  };
  const wide = Map.groupBy(approved, (one) => JSON.stringify(candidateOf(one, true)));
  const covers = [...wide.values()].flatMap((same) => {
    const isSeveral = new Set(same.map(({ text }) => text)).size > 1;
    return same.flatMap((one) => candidateOf(one, isSeveral) ?? []);
  });
  const distinct = new Map(covers.map((cover) => [JSON.stringify(cover), cover]));
  return [...distinct]
    .flatMap(([text, cover]): readonly SuggestedRule[] => {
      const isCovered = (one: AnsweredRecord): boolean => {
        const call = read.get(one) ?? recordedLine(one.text);
        return coversCall(cover, call);
      };
      if (rejected.some(isCovered)) return [];
      const passed = lines.filter(isCovered);
      return [
        {
          id: sha256(text).slice(0, ID_LENGTH),
          cover,
          passed: passed.length,
          total: lines.length,
          calls: [...new Set(passed.map((one) => one.text))].slice(0, MAX_NAMED),
          from: passed
            .flatMap(({ answer, approvalId }) => (answer === "yes" ? [approvalId] : []))
            .slice(0, 64),
        },
      ];
    })
    .toSorted((a, b) => b.passed - a.passed);
}
