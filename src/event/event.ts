import { z } from "zod";
import { JsonData } from "../policy/json-data.ts";
import { RuleHit } from "../policy/rule-hit.ts";
import {
  ApprovalAbandoned,
  ApprovalAuto,
  ApprovalExpired,
  ApprovalFailed,
  ApprovalIgnored,
  ApprovalRequested,
  ApprovalResolved,
  GrantRevoked,
  GrantSaved,
} from "./approval-event.ts";

const Standing = z.strictObject({
  kind: z.enum(["enforced", "tighter", "partial", "absent"]),
  reason: z.string().optional(),
});
const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** What every event carries: its place in the run, when, and which call it is about. Times are ISO 8601 in UTC. */
const envelope = {
  version: z.literal(1),
  seq: z.int().nonnegative(),
  at: z.iso.datetime(),
  runId: z.string(),
  sessionId: z.string(),
  callId: z.string().nullable(),
};

/**
 * The first line of a file that goes on with a record: no step of the run, and so with the place and time of the event
 * that comes next. Only journals that write files make it.
 */
const JournalContinued = z.strictObject({
  type: z.literal("journal.continued"),
  /** Which file of the record it begins; the first is 1. */
  segment: z.int().min(2),
  /** How many lines stand before it, in all files. */
  lines: z.int().nonnegative(),
  /** The hash of the last of them. */
  previous: Digest,
  /** The config of the sessions in it, as `session.started` says it. */
  config: z.string().nullable(),
});

const moved = {
  connections: z.int().nonnegative(),
  sentBytes: z.int().nonnegative(),
  receivedBytes: z.int().nonnegative(),
};

/**
 * Every event there is. Values of environment variables never stand in one, only their names; what a program read or
 * wrote stands as sizes.
 */
export const Event = z.discriminatedUnion("type", [
  z.strictObject({
    ...envelope,
    type: z.literal("session.started"),
    config: z.string().nullable(),
    ceiling: z.array(z.string()),
    mode: z.string(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.received"),
    tool: z.string(),
    words: z.array(z.string()),
    /** Of a tool that takes data in place of words; bounded, with secrets hidden. */
    safeArgs: JsonData.nullable(),
    cwd: z.string(),
    caller: z.enum(["agent", "person"]),
    agent: z.string().nullable(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.prepared"),
    argsHash: Digest,
    unasked: Digest,
    onYes: Digest,
    shortfall: z.array(z.string()),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.judged"),
    action: z.enum(["allow", "ask", "deny"]),
    reason: z.string(),
    hits: z.array(RuleHit),
  }),
  ApprovalRequested.extend(envelope),
  ApprovalResolved.extend(envelope),
  ApprovalExpired.extend(envelope),
  ApprovalAuto.extend(envelope),
  ApprovalIgnored.extend(envelope),
  ApprovalFailed.extend(envelope),
  ApprovalAbandoned.extend(envelope),
  GrantSaved.extend(envelope),
  GrantRevoked.extend(envelope),
  z.strictObject({
    ...envelope,
    type: z.literal("call.planned"),
    backend: z.string(),
    granted: Digest,
    env: z.array(z.string()),
    /** The ports of this machine's loopback that lead in; left out where none does. */
    ports: z.array(z.int()).exactOptional(),
    placeholders: z.array(z.string()),
    approximations: z.array(z.string()),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("walls.proven"),
    backend: z.string(),
    standings: z.record(z.string(), Standing),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("network.amended"),
    /** A host that the call may reach besides those that are listed, and who said so. */
    host: z.string(),
    port: z.int(),
    by: z.string(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("network.refused"),
    /** What was asked for, the first time; null where nothing could be read. */
    host: z.string().nullable(),
    port: z.int().nullable(),
    because: z.string(),
    reason: z.string(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("network.used"),
    /** What went to and from each host, most of them first; what is not named stands in `others`. */
    hosts: z.array(
      z.strictObject({ host: z.string(), port: z.int(), by: z.string().exactOptional(), ...moved }),
    ),
    others: z.strictObject(moved).nullable(),
    /** How often something was refused. */
    refusals: z.int().nonnegative(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.appeared"),
    /** What came to be while the call ran, and other programs may obey. */
    paths: z.array(z.string()),
    /** What git may run of it by itself. */
    runs: z.array(z.string()),
    /** Why that is not known; null where it is. */
    unknown: z.string().nullable(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.quarantined"),
    /** What was taken away because hosts execute it, and under which id it is kept. */
    quarantineId: z.string(),
    items: z.array(
      z.strictObject({
        path: z.string(),
        by: z.string(),
        when: z.string(),
        /** Where it is: `aside` is in its folder, under another name, and `live` could not be moved. */
        state: z.enum(["taken", "aside", "gone", "live"]),
        aside: z.string().nullable(),
        problem: z.string().nullable(),
      }),
    ),
    /** How many more there are. */
    more: z.int().nonnegative(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.restored"),
    quarantineId: z.string(),
    paths: z.array(z.string()),
    more: z.int().nonnegative(),
    /** Who said so. */
    by: z.string(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("http.refused"),
    method: z.string(),
    /** Without its query. */
    path: z.string(),
    status: z.int(),
    why: z.string(),
    /** Whose connection it was: an address; null for a unix socket. */
    from: z.string().nullable(),
    /** How many refusals this stands for: more than one where too many came in a minute, of which it tells the last. */
    times: z.int().positive(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("mcp.refused"),
    /** Which MCP server's. */
    server: z.string(),
    /** What did not pass, such as a tool of its list or a message. */
    what: z.string(),
    because: z.string(),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal("call.ended"),
    /** `cleared`: it was asked whether it may be made, and it may; nothing was run. */
    outcome: z.enum(["done", "failed", "denied", "timed-out", "pending", "cleared"]),
    code: z.int().nullable(),
    reason: z.string().nullable(),
    durationMs: z.number().nonnegative(),
    stdoutBytes: z.int().nonnegative(),
    stderrBytes: z.int().nonnegative(),
  }),
  JournalContinued.extend(envelope),
]);
export type Event = z.infer<typeof Event>;

/** An event as the one who reports it knows it: without the envelope. */
export type EventBody = Event extends infer One
  ? One extends Event
    ? Omit<One, keyof typeof envelope>
    : never
  : never;

/** Every event about approvals and grants: what a broker tells its subscribers. */
export type ApprovalEvent = Extract<Event, { readonly type: `approval.${string}` | `grant.${string}` }>;

/** What a broker reports about approvals and grants. */
export type ApprovalBody = Extract<EventBody, { readonly type: `approval.${string}` | `grant.${string}` }>;

/** An event about approvals before it has a number: a store numbers what all its runs tell, in one order. */
export type ApprovalNews = ApprovalEvent extends infer One
  ? One extends ApprovalEvent
    ? Omit<One, "seq">
    : never
  : never;

/** True for an event that subscribers of a broker are told. */
export function isApprovalEvent(event: Event): event is ApprovalEvent {
  return event.type.startsWith("approval.") || event.type.startsWith("grant.");
}
