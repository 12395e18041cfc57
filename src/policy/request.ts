import { z } from "zod";
import { CallPart } from "./bound-call.ts";
import { JsonData } from "./json-data.ts";
import { Redactions } from "./redactions.ts";
import { ReviewRecord } from "./review-record.ts";
import { Risk } from "./risk.ts";
import { RuleHit } from "./rule-hit.ts";
import { ScopeOffer } from "./scope-offer.ts";

const Texts = z.array(z.string()).readonly();

/** The profile that an approved call would run under, in words. */
export const GrantedView = z
  .strictObject({
    digest: z.string().describe("SHA-256 of the profile, in hex"),
    write: Texts.describe("the writable paths"),
    read: Texts.describe("the readable paths"),
    runtimes: Texts.describe("names of the runtimes whose folders are readable"),
    network: z.string().describe("the network access"),
    devices: Texts.exactOptional().describe("access to devices of the machine, if any"),
    limits: Texts.describe("the limits of the call"),
    shortfall: Texts.describe("access that the call requested and does not get"),
  })
  .readonly();
export type GrantedView = z.infer<typeof GrantedView>;

/** An earlier request about the same call, which can't be used because the call has changed since. */
export const EarlierRequest = z
  .strictObject({
    approvalId: z.string().describe("the id of the earlier request"),
    changed: z.array(CallPart).readonly().describe("the parts of the call that have changed since"),
  })
  .readonly();
export type EarlierRequest = z.infer<typeof EarlierRequest>;

/**
 * The request that people answer: one call, as it would run. Arguments and texts are bounded, with secrets hidden. They
 * may contain control characters: a channel makes them visible first. Made frozen by `createApprovalRequest`.
 */
export const ApprovalRequest = z
  .strictObject({
    approvalId: z.string().describe("the id of the request"),
    runId: z.string().describe("the id of the supervisor's run"),
    sessionId: z.string().describe("the id of the session"),
    callId: z.string().describe("the id of the call"),
    project: z.string().optional().describe("the folder of the config, or where the supervisor was started"),
    client: z.string().optional().describe("the name of the token's holder, for clients counted together"),
    groupId: z.string().nullable().describe("shared by calls of one turn: one answer can cover them all"),
    tool: z.string().describe("the name of the tool"),
    agent: z.string().nullable().describe("the name of the agent"),
    risk: Risk.nullable().describe("the risk of the tool; null if unknown"),
    description: z.string().describe("the effect of the call, as its tool describes it"),
    folder: z.string().exactOptional().describe("the folder that the call starts in, if it starts a program"),
    waits: z
      .boolean()
      .exactOptional()
      .describe("true if a process waits for the answer, false if it may come later"),
    earlier: EarlierRequest.exactOptional().describe("the request that this one replaces, if any"),
    reason: z.string().describe("why approval is needed: the words of the rule that decided"),
    demandsPerson: z.boolean().describe("true if no program and no remembered approval may answer"),
    why: z.array(RuleHit).readonly().describe("every rule that applied"),
    safeArgs: JsonData.describe("the arguments, bounded, with secrets hidden"),
    redactions: Redactions.describe("the omissions in `safeArgs`"),
    argsHash: z.string().describe("SHA-256 of the call; an approval holds for nothing else"),
    cacheKey: z.string().describe("SHA-256 of the calls that an approval for the session covers"),
    covers: z.string().nullable().describe("the same in words; null if an approval can't be remembered"),
    review: ReviewRecord.exactOptional().describe("the review by a program, if one was tried"),
    offers: z
      .array(ScopeOffer)
      .readonly()
      .exactOptional()
      .describe("approvals of more than this very call that may be given; absent without any"),
    notOffered: z
      .string()
      .exactOptional()
      .describe("why no approval for the project may be given, if it seems fit"),
    granted: GrantedView.nullable().describe("the access of the approved call; null without its own sandbox"),
    createdAt: z.number().describe("milliseconds since 1970"),
    expiresAt: z.number().nullable().describe("milliseconds since 1970; null if it never expires"),
  })
  .readonly();
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;
