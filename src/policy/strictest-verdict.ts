import { isAsStrict } from "./action.ts";
import type { RuleHit } from "./rule-hit.ts";
import { hasApproval, type Verdict } from "./verdict.ts";

/**
 * The verdict of two policies that both apply: the stricter action, a person if either demands one, and the access of
 * an approved call only if both approve it. Never looser than either.
 */
export function strictestVerdict(a: Verdict, b: Verdict): Verdict {
  const [decisive, other] = isAsStrict(a.action, b.action) ? [a, b] : [b, a];
  const { action, reason } = decisive;
  const isApproved = hasApproval(a) && hasApproval(b);
  const hits = [...decisive.hits, ...other.hits.filter((hit) => !isAmong(decisive.hits, hit))];
  return {
    action,
    demandsPerson: action === "ask" && (a.demandsPerson || b.demandsPerson),
    hits: isApproved ? hits : hits.filter((hit) => !hasApproval({ ...decisive, hits: [hit] })),
    reason,
  };
}

function isAmong(hits: readonly RuleHit[], { layer, rule, action }: RuleHit): boolean {
  return hits.some((one) => one.layer === layer && one.rule === rule && one.action === action);
}
