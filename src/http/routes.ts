import { z } from "zod";
import { REFUSALS, type RefusalCode } from "./refusal.ts";
import {
  AcceptedAnswer,
  AnswerBody,
  AnsweredCount,
  AnswersBody,
  GrantList,
  Ok,
  Revoked,
  ShortAnswerBody,
  ShownRequest,
  Snapshot,
  TooLate,
} from "./schemas.ts";

/** A route's answer on success. */
export type Result =
  | { readonly kind: "json"; readonly schema: z.ZodType }
  | { readonly kind: "events" }
  /** Data without a schema of ours. */
  | { readonly kind: "data" };

/** One route: its input, and all its answers. */
export interface Route {
  readonly method: "get" | "post" | "delete";
  /** With `:id` for one part. */
  readonly path: string;
  readonly does: string;
  /** Needs no token. */
  readonly isOpen?: true;
  /** The meaning of `:id`. */
  readonly id?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly result: Result;
  /** Its refusals, besides those of every route. Those in `TOO_LATE` include the earlier answer. */
  readonly refuses: readonly RefusalCode[];
}

const json = (schema: z.ZodType): Result => ({ kind: "json", schema });
const filter = {
  run: z.string().optional().describe("Only requests of this run."),
  session: z.string().optional().describe("Only requests of this session."),
};

/** The meaning of `after` and of the header `Last-Event-ID`. */
export const LAST_EVENT = "The id of the last event that the client has seen.";

const OF_BODIES = ["BODY_TOO_LARGE", "BODY_NOT_JSON", "REQUEST_MALFORMED", "ANSWERS_TOO_MANY"] as const;

const OF_ALL = ["ORIGIN_UNKNOWN", "HOST_UNKNOWN", "URL_TOO_LONG"] as const;
/** The refusals of routes with a token. */
const OF_GUARDED = ["TOKEN_MISSING", "TOKEN_UNKNOWN", "TRIES_TOO_MANY"] as const;

const REQUEST_ID = "The id of a request. Of an unanswered one, its first 8 characters or more are enough.";

/** The refusals that include the earlier answer. */
export const TOO_LATE: Readonly<Partial<Record<RefusalCode, z.ZodType>>> = {
  ANSWERED_ALREADY: TooLate,
  REQUEST_EXPIRED: TooLate,
};

/** All routes by name: the one source of the routing and the description. */
export const ROUTES = {
  listApprovals: {
    method: "get",
    path: "/approvals",
    does: "Lists the unanswered requests, oldest first, and the event after which to follow new ones.",
    query: z.strictObject({
      ...filter,
      group: z.string().optional().describe("Only requests of this group."),
    }),
    result: json(Snapshot),
    refuses: ["REQUEST_MALFORMED"],
  },
  answerSeveral: {
    method: "post",
    path: "/approvals",
    does: "Answers several requests of a run, session or group: rejects all unanswered ones, or approves those that are listed.",
    body: AnswersBody,
    result: json(AnsweredCount),
    refuses: OF_BODIES,
  },
  showApproval: {
    method: "get",
    path: "/approvals/:id",
    does: "Shows a request, its status and its preview.",
    id: REQUEST_ID,
    result: json(ShownRequest),
    refuses: ["REQUEST_UNKNOWN"],
  },
  answer: {
    method: "post",
    path: "/approvals/:id",
    does: "Answers a request. Only the first answer counts.",
    id: REQUEST_ID,
    body: AnswerBody,
    result: json(AcceptedAnswer),
    refuses: [...OF_BODIES, "REQUEST_UNKNOWN", "ANSWERED_ALREADY", "REQUEST_EXPIRED"],
  },
  answerShortly: {
    method: "post",
    path: "/approve/:id",
    does: "Answers a request, in the short form that agents' event streams use.",
    id: REQUEST_ID,
    body: ShortAnswerBody,
    result: json(Ok),
    refuses: [...OF_BODIES, "REQUEST_UNKNOWN", "ANSWERED_ALREADY", "REQUEST_EXPIRED"],
  },
  listGrants: {
    method: "get",
    path: "/grants",
    does: "Lists the grants: approvals for a session.",
    result: json(GrantList),
    refuses: [],
  },
  revokeGrant: {
    method: "delete",
    path: "/grants/:id",
    does: "Revokes a grant.",
    id: "The id of a grant, or its first 8 characters or more.",
    result: json(Revoked),
    refuses: ["GRANT_UNKNOWN", "ANSWERS_TOO_MANY"],
  },
  followEvents: {
    method: "get",
    path: "/events",
    does: "Sends every event about approvals and grants as a server-sent event, with its envelope as data. `Last-Event-ID` or `after` names the last event that the client has seen. If later events are no longer kept, the server sends an event `reset`. With `view=stream`, it sends only requests and results; without a last event, it begins with the unanswered requests.",
    query: z.strictObject({
      ...filter,
      after: z.string().optional().describe(LAST_EVENT),
      view: z.enum(["envelope", "stream"]).optional().describe("The form of the events."),
    }),
    result: { kind: "events" },
    refuses: ["REQUEST_MALFORMED", "SUBSCRIBERS_TOO_MANY"],
  },
  health: {
    method: "get",
    path: "/health",
    does: "Reports that the server is running, and nothing else.",
    isOpen: true,
    result: json(Ok),
    refuses: [],
  },
  describe: {
    method: "get",
    path: "/openapi.json",
    does: "This description.",
    result: { kind: "data" },
    refuses: [],
  },
} as const satisfies Record<string, Route>;

/** The name of a route. */
export type RouteName = keyof typeof ROUTES;

/** The statuses of a route, and the refusals of each. */
export function statusesOf({ isOpen, refuses }: Route): ReadonlyMap<number, readonly RefusalCode[]> {
  return Map.groupBy(
    [...refuses, ...OF_ALL, ...(isOpen === true ? [] : OF_GUARDED)],
    (code) => REFUSALS[code].status,
  );
}
