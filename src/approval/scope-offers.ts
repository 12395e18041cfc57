import { type CallCover, coverInWords, coversCall } from "../policy/cover.ts";
import type { Decision, ScopeLimits } from "../policy/decision.ts";
import { coversRecorded } from "../policy/recorded-call.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { MAX_NAMED_CALLS, type ScopeOffer } from "../policy/scope-offer.ts";
import type { GateOptions } from "./gate-options.ts";
import type { DecidedCall } from "./gate-result.ts";
import type { GivenRule } from "./memory.ts";
import type { AskedRecord } from "./recorded-calls.ts";

/** The characters of a recorded call that are shown. */
const MAX_SHOWN = 120;

type Offered = Pick<ApprovalRequest, "offers" | "notOffered">;

/**
 * The approvals of more than this very call that a request offers, with what each would have let pass before. A cover of
 * a call that a person rejected is not offered.
 */
export async function offersFor(
  { verdict, generalised }: DecidedCall,
  covers: string | null,
  { broker, sessionGrants, keptRules = false, project }: GateOptions,
): Promise<Offered> {
  if (generalised === undefined || covers === null || verdict.demandsPerson) return {};
  const similar = sessionGrants ? generalised.similar() : null;
  const { keeper } = broker.memory;
  const kept = keptRules && keeper !== null ? (keeper.read().problem ?? generalised.project()) : null;
  const covered = [
    ...(similar === null ? [] : [{ scope: "similar" as const, cover: similar }]),
    ...(kept === null || typeof kept === "string" ? [] : [{ scope: "project" as const, cover: kept }]),
  ];
  const recorded = covered.length === 0 ? [] : await broker.memory.recorded.of(project);
  const offers = covered.flatMap(({ scope, cover }) => offerOf(scope, cover, recorded) ?? []);
  const isRefused =
    typeof kept === "object" && kept !== null && !offers.some(({ scope }) => scope === "project");
  const notOffered = isRefused ? "it would cover a call that a person rejected" : kept;
  return {
    ...(offers.length === 0 ? {} : { offers }),
    ...(typeof notOffered === "string" ? { notOffered } : {}),
  };
}

function offerOf(
  scope: ScopeOffer["scope"],
  cover: CallCover,
  recorded: readonly AskedRecord[],
): ScopeOffer | null {
  const { passed = [], asked = [] } = Object.groupBy(recorded, (one) =>
    coversRecorded(cover, one) ? "passed" : "asked",
  );
  if (passed.some(({ answer }) => answer === "no")) return null;
  return { scope, covers: coverInWords(cover), cover, passed: counted(passed), asked: counted(asked) };
}

function counted(calls: readonly AskedRecord[]): ScopeOffer["passed"] {
  const texts = [...new Set(calls.map(({ description }) => description.slice(0, MAX_SHOWN)))];
  return { count: calls.length, calls: texts.slice(0, MAX_NAMED_CALLS) };
}

type Approved = Extract<Decision, { readonly status: "approved" }>;

/** Remembers an approval that was given for more than this call, if the call is still as it was shown. */
export async function rememberApproval(
  { request, decision }: { readonly request: ApprovalRequest; readonly decision: Approved },
  { grantKey, generalised }: DecidedCall,
  { broker, host, sessionId, project, sessionGrants, keptRules = false }: GateOptions,
): Promise<void> {
  const { scope, by, limits = {}, editedInput } = decision;
  // Only the shown call is remembered: no edited input, and no payload that has changed since.
  if (scope === "once" || editedInput !== undefined || grantKey.cacheKey !== request.cacheKey) return;
  const now = host.now();
  const id = host.id();
  const { tool, covers } = request;
  const common = { grantId: id, sessionId, tool, by, grantedAt: now, ...endOf(limits, now) };
  if (scope === "session") {
    if (covers !== null && sessionGrants)
      await broker.saveGrant({ kind: "call", ...common, key: grantKey, covers });
    return;
  }
  const offer = request.offers?.find((one) => one.scope === scope);
  if (offer === undefined || generalised === undefined || !coversCall(offer.cover, generalised.call)) return;
  if (scope === "similar" && sessionGrants)
    await broker.saveGrant({
      kind: "cover",
      ...common,
      cover: offer.cover,
      covers: offer.covers,
      granted: grantKey.granted,
    });
  if (scope === "project" && keptRules) {
    const { until = null, maxUses = null } = endOf(limits, now);
    const { agent, approvalId } = request;
    const recorded = await broker.memory.recorded.of(project);
    const from = [approvalId];
    const rule = { id, cover: offer.cover, covers: offer.covers, agent, by, at: now, from, until, maxUses };
    await broker.memory.keep({ ...rule, ...examplesOf(offer.cover, recorded) }, sessionId);
  }
}

/** Recorded calls as examples of a rule: some that it covers, and some that a person rejected. */
export function examplesOf(
  cover: CallCover,
  recorded: readonly AskedRecord[],
): Pick<GivenRule, "match" | "notMatch"> {
  const some = (calls: readonly AskedRecord[]): readonly string[] =>
    [...new Set(calls.map(({ text }) => text))].slice(0, MAX_NAMED_CALLS);
  return {
    match: some(recorded.filter((one) => one.answer === "yes" && coversRecorded(cover, one))),
    notMatch: some(recorded.filter((one) => one.answer === "no" && !coversRecorded(cover, one))),
  };
}

function endOf({ minutes, uses }: ScopeLimits, now: number) {
  return {
    ...(minutes === undefined ? {} : { until: now + minutes * 60_000 }),
    ...(uses === undefined ? {} : { maxUses: uses }),
  };
}
