import { columns } from "../channel/columns.ts";
import { wholeFieldRows } from "../channel/field-rows.ts";
import type { Ink } from "../channel/ink.ts";
import {
  boundFields,
  type Field,
  type PreviewState,
  ruleFields,
  viewFields,
} from "../channel/request-text.ts";
import { timeLeft as timeLeftInWords } from "../channel/time-left.ts";
import { columnsOf } from "../channel/visible-unit.ts";
import { visible } from "../errors.ts";
import type { ApprovalEvent } from "../event/event.ts";
import { printChanged } from "../policy/bound-call.ts";
import type { Scope } from "../policy/decision.ts";
import type { ApprovalRequest, EarlierRequest } from "../policy/request.ts";
import { reviewInWords } from "../policy/review-words.ts";
import { whyNotOffered } from "../policy/why-not-offered.ts";
import type { StoredRequest } from "../store/store.ts";
import { SHORT, startsIn } from "./hanging.ts";

const FEWEST_OF_A_FOLDER = 20;
const WIDTH = 100;
const CUT = "…";

/** The width of a terminal, or null, and the colours. */
export interface TextLayout {
  readonly width: number | null;
  readonly ink: Ink;
}

/** The requests of a project first, then the others, each in their own order. */
export function ownFirst(requests: readonly ApprovalRequest[], project: string): readonly ApprovalRequest[] {
  const isOwn = (request: ApprovalRequest): boolean => request.project === project;
  return [...requests.filter(isOwn), ...requests.filter((request) => !isOwn(request))];
}

/** The folder of a request's project, for messages. */
export function projectOf({ project }: ApprovalRequest): string {
  return project === undefined ? "an unknown folder" : visible(project);
}

/** Pending requests, one row each. No row is wider than the terminal: a wrapped row could pass for another request. */
export function listRows(
  requests: readonly ApprovalRequest[],
  aliveRuns: ReadonlySet<string>,
  now: number,
  { width, ink }: TextLayout,
): readonly string[] {
  const folders = [...new Set(requests.map(projectOf))];
  const sessions = new Set(requests.map(({ sessionId }) => sessionId));
  // If two shortened folders are equal, all are printed in full.
  const isClear = new Set(folders.map((folder) => endOf(folder, width))).size === folders.length;
  const rows = requests.map((request) => [
    request.approvalId.slice(0, SHORT),
    isClear ? endOf(projectOf(request), width) : projectOf(request),
    timeLeft(request, now),
    request.review?.verdict === "deny" ? "denied by the reviewer" : stateOfCaller(request, aliveRuns),
    startFolder(request),
    // On a terminal there is little room, and one session needs no name.
    width !== null && sessions.size === 1 ? "" : `session ${request.sessionId.slice(0, SHORT)}`,
    request.earlier === undefined ? "" : `asked again: ${printChanged(request.earlier.changed)} changed`,
    request.agent === null ? request.tool : `${request.tool} (${request.agent})`,
    request.description,
  ]);
  const used = rows.map((row) => row.filter((_, at) => rows.some((other) => other[at] !== "")));
  return columns(used).map((row) => startsIn(ink.bold, inWidth(row, width)));
}

/** A request in a few fields, each text whole and under a label of ours. */
export function briefLines(request: ApprovalRequest, ink: Ink): readonly string[] {
  const { approvalId, sessionId, agent, tool, description, reason, folder } = request;
  const fields = [
    field("request", approvalId),
    field("project", request.project ?? "an unknown folder"),
    ...(folder === undefined ? [] : [field("starts in", folder)]),
    field("session", sessionId),
    ...(agent === null ? [] : [field("agent", agent)]),
    field("tool", tool),
    field("would do", description),
    field("because", reason),
  ];
  return fields.flatMap((one) => wholeFieldRows(one, WIDTH, ink));
}

/** A suspended call waits for no process: it is resumed. */
function stateOfCaller({ waits, runId }: ApprovalRequest, aliveRuns: ReadonlySet<string>): string {
  if (waits === false) return "suspended";
  return aliveRuns.has(runId) ? "" : "its process is gone";
}

/** The folder that a call starts in, if it is not that of its project. */
function startFolder({ folder, project }: ApprovalRequest): string {
  if (folder === undefined || folder === project) return "";
  const isBelow = project !== undefined && folder.startsWith(`${project}/`);
  return `in ${isBelow ? folder.slice(project.length + 1) : folder}`;
}

/** All details of a request: its outcome, the program, its access, and the reason for the request. */
export function requestLines(
  stored: StoredRequest,
  look: PreviewState,
  now: number,
  ink: Ink,
): readonly string[] {
  const { request } = stored;
  const head: readonly Field[] = [
    field("request", request.approvalId),
    field("state", stateOf(stored, now)),
    field("asked by", `run ${request.runId}, session ${request.sessionId}`),
    ...(request.client === undefined ? [] : [field("client", request.client)]),
    ...(request.groupId === null ? [] : [field("group", request.groupId)]),
    ...(request.folder === undefined ? [] : [field("starts in", request.folder)]),
    ...(request.earlier === undefined ? [] : [field("asked again", againOf(request.earlier))]),
  ];
  const fields = [
    ...head,
    ...viewFields(request, look, ink),
    ...notOfferedFields(request),
    ...ruleFields(request),
    ...boundFields(request),
  ];
  return fields.flatMap((one) => wholeFieldRows(one, WIDTH, ink));
}

/** Why no answer for more than this call is offered. That for the project is told with the offers. */
function notOfferedFields(request: ApprovalRequest): readonly Field[] {
  const [session, similar] = [whyNotOffered(request, "session"), whyNotOffered(request, "similar")];
  if (session !== null) return [field("only for this call", session)];
  return similar === null ? [] : [field("not for similar calls", similar)];
}

function againOf({ approvalId, changed }: EarlierRequest): string {
  return `instead of request ${approvalId}: ${printChanged(changed)} changed`;
}

export function eventLine(event: ApprovalEvent, { width, ink }: TextLayout): string {
  const [what, about, words] = inShort(event, width);
  const cells = [event.at.slice(11, 19), what, about.slice(0, SHORT), words];
  return startsIn(ink.dim, inWidth(columns([cells])[0] ?? "", width));
}

function endOf(folder: string, width: number | null): string {
  if (width === null) return folder;
  const room = Math.max(FEWEST_OF_A_FOLDER, Math.floor(width / 3));
  if (columnsOf(folder) <= room) return folder;
  const characters = [...folder.slice(-4 * room)];
  while (columnsOf(`${CUT}${characters.join("")}`) > room) characters.shift();
  return `${CUT}${characters.join("")}`;
}

function inWidth(row: string, width: number | null): string {
  if (width === null || columnsOf(row) <= width) return row;
  const characters = [...row.slice(0, 4 * width)];
  while (columnsOf(`${characters.join("")}${CUT}`) > width) characters.pop();
  return `${characters.join("")}${CUT}`;
}

function inShort(
  event: ApprovalEvent,
  width: number | null,
): readonly [what: string, about: string, words: string] {
  switch (event.type) {
    case "approval.requested":
      return [
        "asked",
        event.request.approvalId,
        `${endOf(projectOf(event.request), width)}  ${event.request.tool}: ${event.request.description}`,
      ];
    case "approval.resolved": {
      const note = event.note === null ? "" : `: ${event.note}`;
      const scope = event.scope === null ? "" : SCOPES[event.scope];
      return [event.approved ? "approved" : "rejected", event.approvalId, `by ${event.by}${scope}${note}`];
    }
    case "approval.expired":
      return ["expired", event.approvalId, "no answer in time"];
    case "approval.abandoned":
      return ["abandoned", event.approvalId, "its process stopped responding"];
    case "approval.ignored":
      return ["ignored", event.approvalId, `an answer by ${event.by}: ${event.because}`];
    case "approval.failed":
      return ["not asked", event.approvalId, event.reason];
    case "approval.reviewed":
      return ["reviewed", event.approvalId, reviewInWords(event.review)];
    case "approval.auto":
      return [event.approved ? "approved" : "denied", "", event.by];
    case "grant.saved":
      return [
        event.isRejection === true ? "rejected" : event.of === "project" ? "kept" : "granted",
        event.grantId,
        `${event.covers}, by ${event.by}`,
      ];
    case "grant.revoked":
      return ["revoked", event.grantId, `by ${event.by}`];
  }
}

const SCOPES = {
  once: "",
  session: ", for its session",
  similar: ", with similar calls",
  project: ", for its project",
} as const satisfies Record<Scope, string>;

function stateOf({ request, status, decision }: StoredRequest, now: number): string {
  if (status === "pending") return `pending, ${timeLeft(request, now)}`;
  if (decision === null || decision.status === "expired") return status;
  const note = decision.note === undefined ? "" : `: ${decision.note}`;
  return `${status}; ${decision.status} by ${decision.by}${note}`;
}

function timeLeft({ expiresAt }: ApprovalRequest, now: number): string {
  return expiresAt === null ? "no end" : `${timeLeftInWords(expiresAt, now)} left`;
}

function field(label: string, text: string): Field {
  return { label, text, manner: "line" };
}
