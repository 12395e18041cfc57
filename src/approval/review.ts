import { z } from "zod";
import { type Json, readJson } from "../policy/canonical-json.ts";
import { jsonDigest } from "../policy/json-digest.ts";
import type { GrantedView } from "../policy/request.ts";
import type { ReviewerSettings } from "../policy/reviewer-section.ts";
import type { Risk } from "../policy/risk.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import type { Verdict } from "../policy/verdict.ts";
import { matchesWord } from "../shell/rule.ts";

/** A decided call as a reviewer sees it. Only calls of the host's own tools, and of wrapped servers, have one. */
export interface ReviewSubject {
  /** The input as it would run. */
  readonly input: Json;
  readonly cwd: string;
  /** The words of the programs that it would start. */
  readonly commands: readonly (readonly string[])[];
  readonly risk: Risk | null;
  readonly granted: GrantedView | null;
  /** True if an approval would give the call more access. */
  readonly grantsMore: boolean;
  /** True if nothing of the input is hidden, cut or unknown. */
  readonly isWhole: boolean;
  /** False if the tool asks a person each time. */
  readonly mayRemember: boolean;
}

/** Names a decided call for its review. */
export interface ReviewedCall {
  readonly approvalId: string;
  readonly tool: string;
  readonly agent: string | null;
  readonly verdict: Verdict;
}

/** The number of reviews of a session so far, with this one, and of their answers. */
export interface ReviewCounts {
  readonly reviews: number;
  readonly allowed: number;
  readonly denied: number;
}

/** The one document that a reviewer gets: no transcript, no output of tools, no words of a model beside the input. */
export interface ReviewDocument {
  readonly version: 1;
  readonly request: {
    readonly id: string;
    readonly tool: string;
    readonly risk: Risk | null;
    readonly input: Json;
    readonly cwd: string;
    readonly commands: readonly (readonly string[])[];
    /** Every rule that applied. */
    readonly why: readonly RuleHit[];
    /** The access of the call; null if it runs without a sandbox. */
    readonly granted: { readonly digest: string; readonly shortfall: readonly string[] } | null;
  };
  readonly session: ReviewCounts & { readonly agent: string | null };
  /** SHA-256 of the rest: an answer counts only with it, so that no answer to another request does. */
  readonly digest: string;
}

/** An answer of a reviewer. */
export type ReviewVerdict = "allow_once" | "deny" | "person";

/** The tool's own verdicts, and what they are based on: nothing of a rule, a grant or the access of the call. */
const OWN_VERDICTS: ReadonlySet<string> = new Set(["check", "requirement"]);

/**
 * True if a reviewer may answer the request about a call. It may not if a rule, an operator or the tool demands a person,
 * if an approval gives more access, or if the call is not known whole.
 */
export function isForReviewer(
  { tool, verdict }: Pick<ReviewedCall, "tool" | "verdict">,
  subject: ReviewSubject,
  { only }: Pick<ReviewerSettings, "only">,
): boolean {
  const { grantsMore, isWhole, mayRemember } = subject;
  return (
    verdict.action === "ask" &&
    !verdict.demandsPerson &&
    verdict.hits.every((hit) => hit.action !== "ask" || isDefault(hit)) &&
    !grantsMore &&
    isWhole &&
    mayRemember &&
    only.risk.some((risk) => risk === subject.risk) &&
    only.tools.some((glob) => matchesWord(glob, tool))
  );
}

/** True for an ask that no rule made: it follows from the risk, or from the tool itself. */
function isDefault({ layer, rule }: RuleHit): boolean {
  return layer === "risk" || (layer === "tool" && OWN_VERDICTS.has(rule));
}

/** The document about a call. */
export function reviewDocument(
  { approvalId, tool, agent, verdict }: ReviewedCall,
  { input, cwd, commands, risk, granted }: ReviewSubject,
  counts: ReviewCounts,
): ReviewDocument {
  const rest = {
    version: 1 as const,
    request: {
      id: approvalId,
      tool,
      risk,
      input,
      cwd,
      commands,
      why: verdict.hits.map(({ layer, rule, action, reason }) => ({ layer, rule, action, reason })),
      granted: granted === null ? null : { digest: granted.digest, shortfall: granted.shortfall },
    },
    session: { agent, ...counts },
  };
  return { ...rest, digest: jsonDigest(rest) };
}

/** Maximum of bytes of an answer. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * The verdict of an answer, as JSON text or as data: exactly `{ digest, verdict }`, with the digest of the document and a
 * verdict that the settings allow. Throws for anything else: then there is no review.
 */
export function readReview(
  answer: unknown,
  { digest }: Pick<ReviewDocument, "digest">,
  { may }: Pick<ReviewerSettings, "may">,
): ReviewVerdict {
  if (typeof answer === "string" && Buffer.byteLength(answer) > MAX_ANSWER_BYTES)
    throw new TypeError("its answer is longer than 64 KiB");
  const read = ReviewAnswer.safeParse(asData(answer));
  if (!read.success) throw new TypeError("its answer is not `{ digest, verdict }`");
  const { verdict } = read.data;
  if (read.data.digest !== digest) throw new TypeError("its answer is to another request");
  if (verdict !== "person" && !may.includes(verdict))
    throw new TypeError(`it answered \`${verdict}\`, which its \`may\` does not list`);
  return verdict;
}

const ReviewAnswer = z.strictObject({
  digest: z.string(),
  verdict: z.enum(["allow_once", "deny", "person"]),
});

/** A key that occurs twice is an error: two readers would see two answers. */
function asData(answer: unknown): Json {
  try {
    return readJson(answer);
  } catch (cause) {
    throw new TypeError("its answer is not valid JSON", { cause });
  }
}
