import type { Scope, ScopeLimits } from "./decision.ts";
import type { ApprovalRequest } from "./request.ts";
import type { ScopeOffer } from "./scope-offer.ts";

/** The answers beyond this call that channels offer besides yes, yes for the session, and no. */
export type ScopeChoiceName =
  | "similar"
  | "similar-timed"
  | "similar-counted"
  | "session-timed"
  | "session-counted"
  | "project"
  | "rejected";

/** An answer for more than this call, as a person reads and gives it. */
export interface ScopeChoice {
  readonly name: ScopeChoiceName;
  /** The answer in a few words: `similar calls, for 15 minutes`. */
  readonly label: string;
  /** The calls that it covers, in words. */
  readonly covers: string;
  /** The recorded calls that it would have let pass, and those that it would not; empty if it covers only this call. */
  readonly past: readonly string[];
  /** Null: it rejects the call for the session. */
  readonly yes: { readonly scope: Scope; readonly limits?: ScopeLimits } | null;
}

/** The limits that channels offer. Others can be given by `cofferdam approvals approve`. */
const TIMED = { minutes: 15 } as const;
const COUNTED = { uses: 5 } as const;
const FOR_A_TIME = `for ${TIMED.minutes} minutes`;
const FOR_SOME_CALLS = `for ${COUNTED.uses} more calls`;

/** The answers for more than this call that a request offers. */
export function scopeChoices({ covers, offers = [], description }: ApprovalRequest): readonly ScopeChoice[] {
  const exact = (name: ScopeChoiceName, how: string, limits: ScopeLimits): readonly ScopeChoice[] =>
    covers === null
      ? []
      : [{ name, label: `this call, ${how}`, covers, past: [], yes: { scope: "session", limits } }];
  const offered = (
    name: ScopeChoiceName,
    label: string,
    offer: ScopeOffer,
    limits?: ScopeLimits,
  ): ScopeChoice => ({
    name,
    label,
    covers: offer.covers,
    past: pastOf(offer),
    yes: { scope: offer.scope, ...(limits === undefined ? {} : { limits }) },
  });
  return [
    ...exact("session-timed", FOR_A_TIME, TIMED),
    ...exact("session-counted", FOR_SOME_CALLS, COUNTED),
    ...offers.flatMap((offer) =>
      offer.scope === "similar"
        ? [
            offered("similar", "similar calls, for this session", offer),
            offered("similar-timed", `similar calls, ${FOR_A_TIME}`, offer, TIMED),
            offered("similar-counted", `similar calls, ${FOR_SOME_CALLS}`, offer, COUNTED),
          ]
        : [offered("project", "in this project from now on", offer)],
    ),
    { name: "rejected", label: "no, for this session", covers: covers ?? description, past: [], yes: null },
  ];
}

/** The past of an offer in words: `would have let pass 2 of 5 recorded calls: …`. */
export function pastOf({ passed, asked }: Pick<ScopeOffer, "passed" | "asked">): readonly string[] {
  const all = passed.count + asked.count;
  if (all === 0) return ["no calls are recorded to compare it with"];
  const listed = ({ count, calls }: ScopeOffer["passed"]): string =>
    `${calls.join("; ")}${count > calls.length ? "; …" : ""}`;
  return [
    `would have let pass ${passed.count} of ${all} recorded calls${passed.count === 0 ? "" : `: ${listed(passed)}`}`,
    ...(asked.count === 0 ? [] : [`would not have let pass: ${listed(asked)}`]),
  ];
}
