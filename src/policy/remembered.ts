import type { Mode } from "./action.ts";
import type { OperatorApproval } from "./approval-section.ts";
import { type CoverableCall, coversCall } from "./cover.ts";
import { findCoverGrant, findGrant, findRejection, type Grant, type GrantKey } from "./grant.ts";
import type { KeptRule } from "./kept-rule.ts";
import type { RuleHit } from "./rule-hit.ts";
import { answerByGrant, type Verdict } from "./verdict.ts";

/** The answers that people gave for more than one call, and that may hold for this one. */
export interface RememberedAnswers {
  /** Those of the session. */
  readonly grants: readonly Grant[];
  /** Those of the project: active rules only. */
  readonly kept: readonly KeptRule[];
  /** Why the project's could not be read, so that none holds; null if they could. */
  readonly problem: string | null;
}

/** Nothing is remembered. */
export const NOTHING_REMEMBERED: RememberedAnswers = { grants: [], kept: [], problem: null };

/** A call with the facts that remembered answers are compared with. */
export interface RememberedCall {
  readonly key: () => GrantKey;
  /** Null for a call that only its exact grant can answer, such as one with an input stream. */
  readonly coverable: CoverableCall | null;
  /** True if the approvals of the session count; its rejections always do. */
  readonly isInSession: boolean;
  /** True if the answers of the project count, and an approved call has the access of any other. */
  readonly isInProject: boolean;
}

/**
 * The verdict after the answers that are remembered. A rejection of this session denies. An ask that demands no person
 * is then answered by a kept rule of the project, if only defaults ask, or by a grant of the session. No answer lifts a
 * deny. `remembered` of the result names the grant or rule: its use is counted before the call runs.
 */
export function answerByRemembered(given: Verdict, call: RememberedCall, memory: RememberedAnswers): Verdict {
  const { isInSession, isInProject, coverable } = call;
  const { grants, kept, problem } = memory;
  if (given.action === "deny" || (grants.length + kept.length === 0 && problem === null)) return given;
  const no = grants.length === 0 ? null : findRejection(grants, call.key().cacheKey);
  if (no !== null) {
    const reason = `rejected for this session by ${no.by}`;
    const denied = answered(given, { layer: "grant", rule: no.covers, action: "deny", reason });
    return { ...denied, remembered: { of: "session", id: no.grantId, by: no.by } };
  }
  if (given.action === "allow" || given.demandsPerson) return given;
  const isKeptHeard = isInProject && isAskedByDefault(given, coverable);
  const rule = isKeptHeard && coverable !== null ? findKept(kept, coverable) : null;
  if (rule !== null) {
    const reason = `kept for this project by ${rule.by}`;
    const allowed = answered(given, { layer: "kept", rule: rule.covers, action: "allow", reason });
    return { ...allowed, remembered: { of: "project", id: rule.id, by: rule.by } };
  }
  const grant = isInSession && grants.length > 0 ? findApproval(grants, call) : null;
  if (grant !== null) {
    const { grantId: id, by } = grant;
    return { ...answerByGrant(given, grant), remembered: { of: "session", id, by } };
  }
  if (problem === null || !isKeptHeard) return given;
  const unread: RuleHit = { layer: "kept", rule: "file", action: "ask", reason: problem };
  return { ...given, hits: [...given.hits, unread] };
}

function findApproval(grants: readonly Grant[], { key, coverable }: RememberedCall) {
  const exact = findGrant(grants, key());
  return exact ?? (coverable === null ? null : findCoverGrant(grants, coverable, key().granted));
}

/** The kept rule that covers a call. */
export function findKept(rules: readonly KeptRule[], call: CoverableCall): KeptRule | null {
  const isFor = ({ agent }: KeptRule): boolean => agent === null || agent === call.agent;
  return rules.find((rule) => isFor(rule) && coversCall(rule.cover, call)) ?? null;
}

/** True if nothing asks but the default for command lines, or the default for a risk. */
export function isAskedByDefault(
  { hits }: Pick<Verdict, "hits">,
  call: Pick<CoverableCall, "line"> | null,
): boolean {
  const isOfShell = call !== null && call.line !== null;
  const isDefault = ({ layer, rule }: RuleHit): boolean =>
    layer === "risk" || (layer === "tool" && rule === "default" && isOfShell);
  const asking = hits.filter(({ action }) => action === "ask");
  return asking.length > 0 && asking.every(isDefault);
}

function answered(given: Verdict, hit: RuleHit & { readonly reason: string }): Verdict {
  return { ...given, action: hit.action, hits: [...given.hits, hit], reason: hit.reason };
}

/** The settings that decide which remembered answers count. */
export interface MemorySettings {
  /** False: an approval of this call holds once. */
  readonly mayRemember: boolean;
  readonly operator: Pick<OperatorApproval, "sessionGrants" | "keptRules">;
  readonly mode: Mode;
  /** True if an approved call has the access of any other. */
  readonly isSameAccess: boolean;
}

/** The remembered answers that count for a call, and why none can be kept for the project. */
export function memoryFor(
  judged: Verdict,
  call: Pick<CoverableCall, "line"> | null,
  { mayRemember, operator, mode, isSameAccess }: MemorySettings,
): Pick<RememberedCall, "isInSession" | "isInProject"> & { readonly obstacle: string | null } {
  return {
    isInSession: mayRemember && operator.sessionGrants && mode === "interactive",
    isInProject: mayRemember && operator.keptRules && mode !== "strict" && isSameAccess,
    obstacle: !operator.keptRules
      ? "an operator profile permits no kept rules"
      : !isSameAccess
        ? "an approval gives this call more access than a kept rule may give"
        : isAskedByDefault(judged, call)
          ? null
          : "a rule or a check asks about this call, and a kept rule answers only defaults",
  };
}
