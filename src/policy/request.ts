import { z } from "zod";
import { JsonData } from "./json-data.ts";
import { Redactions } from "./redactions.ts";
import { Risk } from "./risk.ts";
import { RuleHit } from "./rule-hit.ts";

/** The profile that a call would run under after a yes, in words. */
export const GrantedView = z
  .strictObject({
    /** SHA-256 of the profile, in hex. */
    digest: z.string(),
    write: z.array(z.string()).readonly(),
    read: z.array(z.string()).readonly(),
    /** Runtimes whose folders can be read, by name. */
    runtimes: z.array(z.string()).readonly(),
    network: z.string(),
    /** What it may do with devices of the machine; left out where it has none. */
    devices: z.array(z.string()).readonly().exactOptional(),
    limits: z.array(z.string()).readonly(),
    /** What the call asked for and does not get. */
    shortfall: z.array(z.string()).readonly(),
  })
  .readonly();
export type GrantedView = z.infer<typeof GrantedView>;

/**
 * What people are asked: one call, as it would run. Arguments and texts are safe to show: bounded, with secrets hidden.
 * Control characters are not: whoever draws a text makes it visible first. Made frozen by `createApprovalRequest`.
 */
export const ApprovalRequest = z
  .strictObject({
    approvalId: z.string(),
    runId: z.string(),
    sessionId: z.string(),
    callId: z.string(),
    /** The folder of the config that it is asked under, or where its supervisor was started. Older records have none. */
    project: z.string().optional(),
    /** Who holds the token that the call came with, by name; only of a client whose sessions are counted together. */
    client: z.string().optional(),
    /** Calls of one turn share it, so that they can be answered in one act. */
    groupId: z.string().nullable(),
    tool: z.string(),
    agent: z.string().nullable(),
    risk: Risk.nullable(),
    /** What the tool says it would do. */
    description: z.string(),
    /** Why this is asked: the words of the rule that decided. */
    reason: z.string(),
    /** Neither a program nor a remembered yes may answer: an operator, or a rule, wants a person. */
    demandsPerson: z.boolean(),
    /** Every rule that spoke. */
    why: z.array(RuleHit).readonly(),
    safeArgs: JsonData,
    redactions: Redactions,
    /** SHA-256 of what exactly would run; an approval holds for nothing else. */
    argsHash: z.string(),
    /** SHA-256 of what a yes for the session would cover. */
    cacheKey: z.string(),
    /** The same in words; null where a yes can't be remembered. */
    covers: z.string().nullable(),
    /** Null for a tool that runs without walls of its own. */
    granted: GrantedView.nullable(),
    /** Milliseconds since 1970. */
    createdAt: z.number(),
    /** Milliseconds since 1970; null when it waits for ever. */
    expiresAt: z.number().nullable(),
  })
  .readonly();
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;
