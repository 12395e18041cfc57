import type { ApprovalEvent } from "../event/event.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** A request for approval, as event streams of agents report it. */
export interface ApprovalRequestEvent {
  readonly request_id: string;
  readonly tool_name: string;
  /** The arguments in a form safe to show. */
  readonly arguments: Json;
  readonly risk_level: string;
  readonly agent_name: string;
}

/** The answer. It always follows a request with the same id. */
export interface ApprovalResultEvent {
  readonly request_id: string;
  readonly tool_name: string;
  readonly decision: "approved" | "denied" | "approved_always";
  readonly reason: string;
}

/** An event of a stream by its name, as a server-sent event has it. */
export type StreamEvent =
  | { readonly name: "ApprovalRequestEvent"; readonly data: ApprovalRequestEvent }
  | { readonly name: "ApprovalResultEvent"; readonly data: ApprovalResultEvent };

/**
 * The stream form of an event; null for those that streams omit: decisions by rules and grants, and answers without
 * effect.
 */
export function streamView(event: ApprovalEvent): StreamEvent | null {
  switch (event.type) {
    case "approval.requested":
      return requestView(event.request);
    case "approval.resolved": {
      const decision = !event.approved
        ? "denied"
        : event.scope === "session"
          ? "approved_always"
          : "approved";
      return resultEvent(event.approvalId, event.tool, decision, event.note ?? "");
    }
    case "approval.expired":
      return resultEvent(event.approvalId, event.tool, "denied", "the request was not answered in time");
    case "approval.auto":
    case "approval.reviewed":
    case "approval.ignored":
    case "approval.failed":
    case "approval.abandoned":
    case "grant.saved":
    case "grant.revoked":
      return null;
  }
}

/** The stream form of a request, also of one that was made before the stream began. */
export function requestView({ approvalId, tool, safeArgs, risk, agent }: ApprovalRequest): StreamEvent {
  const data = {
    request_id: approvalId,
    tool_name: tool,
    arguments: safeArgs,
    risk_level: risk ?? "",
    agent_name: agent ?? "",
  };
  return { name: "ApprovalRequestEvent", data };
}

/** One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function sseFrame({ name, data }: StreamEvent): string {
  return `event: ${name}\n${sseData(data)}\n`;
}

/** A value as the data of a server-sent event: one line, also for parsers that treat U+2028 and U+2029 as line ends. */
export function sseData(value: unknown): string {
  const escaped = JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return `data: ${escaped}\n`;
}

function resultEvent(
  request_id: string,
  tool_name: string,
  decision: ApprovalResultEvent["decision"],
  reason: string,
): StreamEvent {
  return { name: "ApprovalResultEvent", data: { request_id, tool_name, decision, reason } };
}
