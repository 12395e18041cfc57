import { z } from "zod";
import { Scope } from "../policy/decision.ts";
import { JsonData } from "../policy/json-data.ts";
import { ApprovalRequest } from "../policy/request.ts";
import { ReviewRecord } from "../policy/review-record.ts";
import { RuleHit } from "../policy/rule-hit.ts";

const Standing = z.strictObject({
  kind: z.enum(["enforced", "tighter", "partial", "absent"]).describe("how far it is enforced"),
  reason: z.string().optional().describe("why not as planned"),
});
const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const CONFIG = z.string().nullable().describe("the config file; null without one");
const BACKEND = z.string().describe("the kind of sandbox: `bubblewrap` or `seatbelt`");
const QUARANTINE_ID = z.string().describe("the id for `cofferdam quarantine`");
const ARGS_HASH = Digest.describe("SHA-256 of the exact call, with its program, profile and environment");
const APPROVAL_ID = z.string().describe("the id of the request");
const GRANT_ID = z.string().describe("the id of the remembered approval");
const TOOL = z.string().describe("the tool's name");
const REQUEST = { approvalId: APPROVAL_ID, tool: TOOL, argsHash: ARGS_HASH };
const MORE = z.int().nonnegative().describe("the number of further files");

/** The fields of every event: its place in the run, the time, and the call. */
const envelope = {
  version: z.literal(1).describe("the version of this format"),
  seq: z.int().nonnegative().describe("the number of the event in its run, from 0"),
  at: z.iso.datetime().describe("the time in UTC, as ISO 8601"),
  runId: z.string().describe("the id of the supervisor that wrote it"),
  sessionId: z.string().describe("the id of the session, or `none`"),
  callId: z.string().nullable().describe("the id of the call; null if it concerns no single call"),
};

const moved = {
  connections: z.int().nonnegative().describe("the number of connections"),
  sentBytes: z.int().nonnegative().describe("bytes to the host"),
  receivedBytes: z.int().nonnegative().describe("bytes from the host"),
};

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ ...envelope, type: z.literal(type), ...fields });
/** Also an event, with its fields in the order of brokers. */
const brokerEvent = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields, ...envelope });

/**
 * Every event. Values of environment variables are never in one, only their names; file content read or written by a
 * program is given by size.
 */
export const Event = z.discriminatedUnion("type", [
  event("session.started", {
    config: CONFIG,
    ceiling: z.array(z.string()).describe("the operator profiles that apply"),
    mode: z.string().describe("the approval mode: `interactive`, `strict` or `approve_all`"),
  }),
  event("call.received", {
    tool: TOOL,
    words: z.array(z.string()).describe("the words of a command; empty for other tools"),
    safeArgs: JsonData.nullable().describe("the arguments of other tools, bounded and without secrets"),
    cwd: z.string().describe("the folder that the command starts in"),
    caller: z.enum(["agent", "person"]).describe("who made the call"),
    agent: z.string().nullable().describe("the agent's name, if it has one"),
  }),
  event("call.prepared", {
    argsHash: ARGS_HASH,
    unasked: Digest.describe("the digest of its profile without approval"),
    onYes: Digest.describe("the digest of its profile with approval"),
    shortfall: z.array(z.string()).describe("requested access that operator profiles remove"),
  }),
  event("call.judged", {
    action: z.enum(["allow", "ask", "deny"]).describe("the verdict"),
    reason: z.string().describe("the rule that decided, in words"),
    hits: z.array(RuleHit).describe("every rule that applied"),
  }),
  brokerEvent("approval.requested", { request: ApprovalRequest.describe("the request as people see it") }),
  brokerEvent("approval.resolved", {
    ...REQUEST,
    approved: z.boolean().describe("true if it was approved"),
    scope: Scope.nullable().describe("the scope of the answer; null for a rejection of this call only"),
    grantId: z.string().exactOptional().describe("the remembered approval that answered, if one did"),
    by: z.string().describe("who answered; `nobody` without an answer"),
    note: z.string().nullable().describe("the note of that person"),
    isEdited: z.boolean().describe("true if the answer replaces the input; the call is then judged again"),
  }),
  brokerEvent("approval.expired", REQUEST),
  brokerEvent("approval.auto", {
    argsHash: ARGS_HASH,
    approved: z.boolean().describe("true if it was allowed"),
    by: z.string().describe("the rule, grant or mode that decided, in words"),
  }),
  brokerEvent("approval.reviewed", {
    ...REQUEST,
    review: ReviewRecord.describe("the answer of the reviewer, or why there was none"),
  }),
  brokerEvent("approval.ignored", {
    approvalId: APPROVAL_ID,
    by: z.string().describe("who answered"),
    because: z
      .enum(["duplicate", "expired", "unknown", "forbidden"])
      .describe("not the first, too late, to no request, or by a person who may not answer"),
  }),
  brokerEvent("approval.failed", {
    approvalId: APPROVAL_ID,
    reason: z.string().describe("the error of its handler"),
  }),
  brokerEvent("approval.abandoned", REQUEST),
  brokerEvent("grant.saved", {
    grantId: GRANT_ID,
    tool: TOOL,
    cacheKey: z.string().nullable().describe("the hash of the calls that it answers; null for a host"),
    host: z.string().nullable().default(null).describe("the name of an approved host"),
    covers: z.string().describe("the calls that it answers, in words"),
    by: z.string().describe("the author of the approval"),
    of: z.literal("project").exactOptional().describe("present if it holds in this project from now on"),
    isRejection: z.literal(true).exactOptional().describe("present if it rejects these calls"),
    until: z.number().exactOptional().describe("its end, in milliseconds since 1970, if it has one"),
    maxUses: z.number().exactOptional().describe("how many calls it answers, if that is limited"),
  }),
  brokerEvent("grant.revoked", { grantId: GRANT_ID, by: z.string().describe("who revoked it") }),
  event("call.planned", {
    backend: BACKEND,
    granted: Digest.describe("the digest of the profile"),
    env: z.array(z.string()).describe("the names of its environment variables"),
    ports: z.array(z.int()).exactOptional().describe("the ports of this machine that lead in"),
    placeholders: z.array(z.string()).describe("missing protected paths, held by an empty file or folder"),
    approximations: z.array(z.string()).describe("where the sandbox is stricter than the profile, and why"),
  }),
  event("walls.proven", {
    backend: BACKEND,
    standings: z.record(z.string(), Standing).describe("the enforcement of each protection"),
  }),
  event("network.amended", {
    host: z.string().describe("the host that the call may reach as well"),
    port: z.int().describe("its port"),
    by: z.string().describe("the author of the approval"),
  }),
  event("network.refused", {
    host: z.string().nullable().describe("the requested host; null if none could be read"),
    port: z.int().nullable().describe("its port"),
    because: z.string().describe("the kind of reason"),
    reason: z.string().describe("the reason in words"),
  }),
  event("network.used", {
    hosts: z
      .array(
        z.strictObject({
          host: z.string().describe("its name"),
          port: z.int().describe("its port"),
          by: z.string().exactOptional().describe("the upstream proxy by which it was reached, if any"),
          ...moved,
        }),
      )
      .describe("the traffic of each host, most first"),
    others: z.strictObject(moved).nullable().describe("the traffic of further hosts together"),
    refusals: z.int().nonnegative().describe("the number of refusals"),
  }),
  event("call.appeared", {
    paths: z.array(z.string()).describe("their paths"),
    runs: z.array(z.string()).describe("settings by which git may run something in a new repository"),
    unknown: z.string().nullable().describe("why they are unknown; null if they are known"),
  }),
  event("call.quarantined", {
    quarantineId: QUARANTINE_ID,
    items: z
      .array(
        z.strictObject({
          path: z.string().describe("its path"),
          by: z.string().describe("the program that executes it"),
          when: z.string().describe("when that program does"),
          state: z
            .enum(["taken", "aside", "gone", "live"])
            .describe(
              "`taken`: moved; `aside`: renamed in its folder; `gone`: removed meanwhile; `live`: not moved",
            ),
          aside: z.string().nullable().describe("its new path, if it was renamed in its folder"),
          problem: z.string().nullable().describe("why it could not be moved"),
        }),
      )
      .describe("the files"),
    more: MORE,
  }),
  event("call.restored", {
    quarantineId: QUARANTINE_ID,
    paths: z.array(z.string()).describe("their paths"),
    more: MORE,
    by: z.string().describe("the person who kept them"),
  }),
  event("config.changed", {
    effect: z
      .enum(["applied", "restricted", "stopped"])
      .describe(
        "it applies; it is not trusted, and can only restrict the config that was trusted last; or no call runs",
      ),
    config: z.string().nullable().describe("the path of the config; null for the built-in one"),
    message: z.string().describe("what it means for calls"),
    isWider: z.boolean().describe("true if calls may get access that they did not have before"),
    restart: z.array(z.string()).describe("changed settings that only a restart applies"),
  }),
  event("http.refused", {
    method: z.string().describe("its method"),
    path: z.string().describe("its path, without the query"),
    status: z.int().describe("the status of the response"),
    why: z.string().describe("the reason"),
    from: z.string().nullable().describe("the remote address; null for a unix socket"),
    times: z.int().positive().describe("the number of refusals; above one, the details are of the last"),
  }),
  event("mcp.refused", {
    server: z.string().describe("the server's name"),
    what: z.string().describe("the rejected item, such as a tool of its list or a message"),
    because: z.string().describe("the reason"),
  }),
  event("call.ended", {
    outcome: z
      .enum(["done", "failed", "denied", "timed-out", "pending", "cleared"])
      .describe(
        "the outcome; `failed` also for a missing program; `cleared`: the call was only checked, and is allowed",
      ),
    code: z.int().nullable().describe("the exit status of a program"),
    reason: z.string().nullable().describe("why it did not succeed"),
    durationMs: z.number().nonnegative().describe("milliseconds that its program ran"),
    stdoutBytes: z.int().nonnegative().describe("bytes of standard output"),
    stderrBytes: z.int().nonnegative().describe("bytes of standard error"),
  }),
  // The first line of a file that continues a record, with the next event's place and time. Only file journals make it.
  brokerEvent("journal.continued", {
    segment: z.int().min(2).describe("the number of the file; the first is 1"),
    lines: z.int().nonnegative().describe("the number of lines in all files before it"),
    previous: Digest.describe("the hash of the last of them"),
    config: CONFIG,
  }),
]);
export type Event = z.infer<typeof Event>;

/** An event as its reporter knows it: without the envelope. */
export type EventBody = Event extends infer One
  ? One extends Event
    ? Omit<One, "version" | "seq" | "at" | "runId" | "sessionId" | "callId">
    : never
  : never;

/** Every event about approvals and grants, as a broker sends it to its subscribers. */
export type ApprovalEvent = Extract<Event, { readonly type: `approval.${string}` | `grant.${string}` }>;

/** A broker's report about approvals and grants. */
export type ApprovalBody = Extract<EventBody, { readonly type: `approval.${string}` | `grant.${string}` }>;

/** An event about approvals before it has a number: a store numbers those of all its runs, in one order. */
export type ApprovalNews = ApprovalEvent extends infer One
  ? One extends ApprovalEvent
    ? Omit<One, "seq">
    : never
  : never;

/** True for an event that a broker sends to its subscribers. */
export function isApprovalEvent(event: Event): event is ApprovalEvent {
  return event.type.startsWith("approval.") || event.type.startsWith("grant.");
}
