import { columns } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible } from "../errors.ts";
import type { Event } from "../event/event.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { reviewInWords } from "../policy/review-words.ts";
import { hitInWords } from "../policy/rule-hit.ts";
import { printSize } from "../profile/quantity.ts";
import { quote } from "../shell/quote.ts";

/** One run for people: its start time and config, then a line for every event. */
export function journalLines(events: readonly Event[], ink: Ink): readonly string[] {
  const calls = [...new Set(events.flatMap((event) => event.callId ?? []))];
  const tools = new Map<string | null, string>();
  const rows = events.map((event) => {
    if (event.type === "call.received") tools.set(event.callId, event.tool);
    const call =
      calls.length > 1 && event.callId !== null
        ? [`call ${calls.indexOf(event.callId) + 1}`]
        : calls.length > 1
          ? [""]
          : [];
    return [event.at.slice(11, 23), ...call, ...essentials(event, tools.get(event.callId) ?? "shell")];
  });
  const [first] = events;
  if (first === undefined) return [];
  return [
    ink.bold(escapeInvisible(`run ${first.runId}, ${first.at.slice(0, 10)} (UTC)`)),
    ...columns(rows, [ink.dim]),
  ];
}

function essentials(event: Event, tool: string): readonly [string, string] {
  switch (event.type) {
    case "session.started":
      return [
        "session",
        `${event.config ?? "the built-in config"}, under ${event.ceiling.join(", ")}, ${event.mode}`,
      ];
    case "call.received":
      return [
        "call",
        `${event.safeArgs === null ? quote(event.words) : `${event.tool} ${JSON.stringify(event.safeArgs)}`}, by ${callerOf(event)}${event.cwd === "." ? "" : ` in ${event.cwd}`}`,
      ];
    case "call.prepared":
      return [
        "prepared",
        `profile ${short(event.unasked)} without approval, ${short(event.onYes)} with approval${event.shortfall.map((one) => `; ${one}`).join("")}`,
      ];
    case "call.judged":
      return [event.action, `${event.reason} (${event.hits.map((hit) => hitInWords(hit, tool)).join(", ")})`];
    case "approval.requested":
      return ["asked", asked(event.request)];
    case "approval.resolved":
      return [event.approved ? "approved" : "rejected", answer(event)];
    case "approval.expired":
      return ["expired", "no answer in time"];
    case "approval.auto":
      return [event.approved ? "approved" : "rejected", event.by];
    case "approval.reviewed":
      return ["reviewed", `${reviewInWords(event.review)} (${event.review.by.slice(0, 17)})`];
    case "approval.ignored":
      return ["ignored", `an answer by ${event.by}: ${event.because}`];
    case "approval.failed":
      return ["not asked", event.reason];
    case "approval.abandoned":
      return ["abandoned", "its process stopped responding"];
    case "grant.saved":
      return ["granted", `for this session, by ${event.by}: ${event.covers}`];
    case "grant.revoked":
      return ["revoked", `a grant of this session, by ${event.by}`];
    case "call.planned":
      return [
        "planned",
        `${event.backend}, grants ${short(event.granted)}, ${count(event.env.length, "variable")}${event.placeholders.length === 0 ? "" : `, ${count(event.placeholders.length, "placeholder")}`}${portsIn(event.ports)}${event.approximations.map((one) => `; ${one}`).join("")}`,
      ];
    case "walls.proven":
      return ["proven", printEnforcement(event.standings)];
    case "network.amended":
      return ["amended", `may reach ${event.host}:${event.port}, by ${event.by}`];
    case "network.refused":
      return [
        "refused",
        `${event.host === null ? "" : `${event.host}${event.port === null ? "" : `:${event.port}`}: `}${event.reason}`,
      ];
    case "network.used":
      return ["network", used(event)];
    case "call.appeared":
      return ["appeared", appearance(event)];
    case "call.quarantined":
      return ["taken", takenAway(event)];
    case "call.restored":
      return ["restored", `${listed(event.paths, event.more)}, by ${event.by}`];
    case "config.changed":
      return ["config", event.message];
    case "http.refused":
      return ["refused", refusal(event)];
    case "mcp.refused":
      return ["refused", `${event.what} of the MCP server ${event.server}: ${event.because}`];
    case "call.ended":
      return [event.outcome, ending(event)];
    case "journal.continued":
      return ["continued", `in file ${event.segment} of the record, after ${count(event.lines, "line")}`];
  }
}

function appearance({ paths, runs, unknown }: Extract<Event, { readonly type: "call.appeared" }>): string {
  if (unknown !== null) return `unknown: ${unknown}`;
  return `${paths.join(", ")}${runs.length === 0 ? "" : `; git may run ${runs.join(", ")}`}`;
}

function takenAway({ items, more }: Extract<Event, { readonly type: "call.quarantined" }>): string {
  const shown = items.map(({ path, by, when, state, aside, problem }) => {
    const where = {
      taken: null,
      aside: `renamed to ${aside ?? "a name in its folder"}`,
      gone: "gone",
      live: "still there",
    }[state];
    const rest = [where, problem].flatMap((one) => (one === null ? [] : [`, ${one}`]));
    return `${path} (${by}: when ${when})${rest.join("")}`;
  });
  return listed(shown, more);
}

function listed(texts: readonly string[], more: number): string {
  return `${texts.join("; ")}${more === 0 ? "" : `; and ${more} more`}`;
}

function used({ hosts, others, refusals }: Extract<Event, { readonly type: "network.used" }>): string {
  const parts = [
    ...hosts.map(
      (one) =>
        `${one.host}:${one.port}${one.by === undefined ? "" : ` through the proxy ${one.by}`} ${movedBy(one)}`,
    ),
    ...(others === null ? [] : [`others ${movedBy(others)}`]),
    ...(refusals === 0 ? [] : [count(refusals, "refusal")]),
  ];
  return parts.length === 0 ? "no connections" : parts.join(", ");
}

function refusal(event: Extract<Event, { readonly type: "http.refused" }>): string {
  const { method, path, status, why, from, times } = event;
  const whose = from === null ? "" : `, from ${from}`;
  const more = times === 1 ? "" : `; the last of ${times} within a short time`;
  return `${method} ${path}: ${status}, ${why}${whose}${more}`;
}

function movedBy(one: {
  readonly connections: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}): string {
  const { connections, sentBytes, receivedBytes } = one;
  return `${count(connections, "connection")} (${printSize(sentBytes)} sent, ${printSize(receivedBytes)} received)`;
}

function callerOf({ caller, agent }: Extract<Event, { readonly type: "call.received" }>): string {
  if (caller === "person") return "a person";
  return agent === null ? "an agent" : `the agent ${agent}`;
}

function asked({ reason, granted }: ApprovalRequest): string {
  return granted === null ? reason : `${reason}; approval grants ${short(granted.digest)}`;
}

function answer({
  by,
  scope,
  note,
  isEdited,
}: Extract<Event, { readonly type: "approval.resolved" }>): string {
  const parts = [
    by,
    ...(scope === "session" ? ["for this session"] : []),
    ...(isEdited ? ["with edited input"] : []),
    ...(note === null ? [] : [note]),
  ];
  return parts.join(", ");
}

function ending({
  code,
  reason,
  durationMs,
  stdoutBytes,
  stderrBytes,
}: Extract<Event, { readonly type: "call.ended" }>): string {
  const parts = [
    ...(reason === null ? [] : [reason]),
    ...(code === null ? [] : [`status ${code}`]),
    ...(durationMs === 0 ? [] : [`${Math.round(durationMs)} ms`]),
    ...(stdoutBytes === 0 ? [] : [`${count(stdoutBytes, "byte")} on stdout`]),
    ...(stderrBytes === 0 ? [] : [`${count(stderrBytes, "byte")} on stderr`]),
  ];
  return parts.join(", ");
}

function printEnforcement(report: Extract<Event, { readonly type: "walls.proven" }>["standings"]): string {
  const entries = Object.entries(report);
  const enforced = entries.filter(([, enforcement]) => enforcement.kind === "enforced").length;
  const others = entries
    .filter(([, enforcement]) => enforcement.kind !== "enforced")
    .map(([name, enforcement]) => `${name} ${enforcement.kind}`);
  return [`${enforced} of ${entries.length} enforced`, ...others].join(", ");
}

function short(digest: string): string {
  return digest.slice(0, 8);
}

function portsIn(ports: readonly number[] = []): string {
  return ports.length === 0
    ? ""
    : `, reached at ${ports.length === 1 ? "port" : "ports"} ${ports.join(", ")}`;
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
