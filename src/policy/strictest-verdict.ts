import { isAsStrict } from "./action.ts";
import {
  answerByRemembered,
  type MemorySettings,
  memoryFor,
  type RememberedAnswers,
  type RememberedCall,
} from "./remembered.ts";
import type { RuleHit } from "./rule-hit.ts";
import { answerByMode, hasApproval, type Verdict } from "./verdict.ts";

/** The verdict of one set of rules on a call, before remembered answers, and the settings that apply with the rules. */
export interface JudgedByRules extends Pick<MemorySettings, "operator" | "mode"> {
  readonly judged: Verdict;
}

/** A call as remembered answers and modes see it. */
export interface AnswerableCall
  extends Pick<RememberedCall, "key" | "coverable">,
    Omit<MemorySettings, "operator" | "mode"> {
  /** True if the person who could be asked has typed the call. */
  readonly isCallersOwn: boolean;
}

/**
 * The strictest verdict of all sets of rules that apply, each after the remembered answers and its mode. `obstacle`:
 * why no answer to this call can be kept for the project; null if one can.
 */
export function strictestAnswer(
  sets: readonly JudgedByRules[],
  { key, coverable, isCallersOwn, ...settings }: AnswerableCall,
  memory: RememberedAnswers,
): { readonly verdict: Verdict; readonly obstacle: string | null } {
  const answers = sets.map(({ judged, operator, mode }) => {
    const { obstacle, ...heard } = memoryFor(judged, coverable, { ...settings, operator, mode });
    const remembered = answerByRemembered(judged, { key, coverable, ...heard }, memory);
    return { verdict: answerByMode(remembered, mode, isCallersOwn), obstacle };
  });
  return {
    verdict: answers.map(({ verdict }) => verdict).reduce(strictestVerdict),
    obstacle: answers.find(({ obstacle }) => obstacle !== null)?.obstacle ?? null,
  };
}

/**
 * The verdict of two policies that both apply: the stricter action, a person if either demands one, and the access of
 * an approved call only if both approve it. Never looser than either. The use of a remembered answer is counted once: of
 * two, that of the session, which alone may be for some calls only.
 */
export function strictestVerdict(a: Verdict, b: Verdict): Verdict {
  const [decisive, other] = isAsStrict(a.action, b.action) ? [a, b] : [b, a];
  const { action, reason } = decisive;
  const isApproved = hasApproval(a) && hasApproval(b);
  const hits = [...decisive.hits, ...other.hits.filter((hit) => !isAmong(decisive.hits, hit))];
  const used = [a, b].flatMap(({ remembered = null }) => remembered ?? []);
  const remembered = used.find(({ of }) => of === "session") ?? used[0] ?? null;
  return {
    action,
    ...(remembered === null || action === "ask" ? {} : { remembered }),
    demandsPerson: action === "ask" && (a.demandsPerson || b.demandsPerson),
    hits: isApproved ? hits : hits.filter((hit) => !hasApproval({ ...decisive, hits: [hit] })),
    reason,
  };
}

function isAmong(hits: readonly RuleHit[], { layer, rule, action }: RuleHit): boolean {
  return hits.some((one) => one.layer === layer && one.rule === rule && one.action === action);
}
