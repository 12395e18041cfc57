import type { ApprovalEvent } from "../event/event.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** A person is asked, as event streams of agents tell it. */
export interface ApprovalRequestEvent {
  readonly request_id: string;
  readonly tool_name: string;
  /** As far as they can be shown. */
  readonly arguments: Json;
  readonly risk_level: string;
  readonly agent_name: string;
}

/** What was answered. It always follows a request with the same id. */
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

/** The event as streams tell it; null for one that they don't: what rules and grants decided, and answers that count for nothing. */
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
      return resultEvent(event.approvalId, event.tool, "denied", "nobody answered in time");
    case "approval.auto":
    case "approval.ignored":
    case "approval.failed":
    case "approval.abandoned":
    case "grant.saved":
    case "grant.revoked":
      return null;
  }
}

/** A request as streams tell it, also one that was made before anybody listened. */
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

/** A value as the data of a server-sent event: one line also for those who take U+2028 and U+2029 for ends of lines. */
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
