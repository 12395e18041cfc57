import { z } from "zod";
import { REFUSALS, type RefusalCode } from "./refusal.ts";
import {
  Accepted,
  AnswerBody,
  Answered,
  AnswersBody,
  Grants,
  Ok,
  Revoked,
  ShortAnswerBody,
  ShownRequest,
  Snapshot,
  TooLate,
} from "./schemas.ts";

/** What a route is answered with where all is well. */
export type Result =
  | { readonly kind: "json"; readonly schema: z.ZodType }
  /** Server-sent events. */
  | { readonly kind: "events" }
  /** Data without a schema of ours. */
  | { readonly kind: "data" };

/** One route: what it takes, and every way in which it answers. */
export interface Route {
  readonly method: "get" | "post" | "delete";
  /** With `:id` for a part of it. */
  readonly path: string;
  readonly does: string;
  /** Nobody needs a token for it. */
  readonly isOpen?: true;
  /** What `:id` is. */
  readonly id?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly result: Result;
  /** How it refuses, besides what every route does. Those of `TOO_LATE` say what was answered before. */
  readonly refuses: readonly RefusalCode[];
}

const json = (schema: z.ZodType): Result => ({ kind: "json", schema });
const filter = { run: z.string().optional(), session: z.string().optional() };

/** The refusals that a body brings along. */
const OF_BODIES = ["BODY_TOO_LARGE", "BODY_NOT_JSON", "REQUEST_MALFORMED", "ANSWERS_TOO_MANY"] as const;

/** How any route refuses. */
const OF_ALL = ["ORIGIN_UNKNOWN", "HOST_UNKNOWN", "URL_TOO_LONG"] as const;
/** How one refuses that needs a token. */
const OF_GUARDED = ["TOKEN_MISSING", "TOKEN_UNKNOWN", "TRIES_TOO_MANY"] as const;

/** The refusals that answer with what was answered before. */
export const TOO_LATE: Readonly<Partial<Record<RefusalCode, z.ZodType>>> = {
  ANSWERED_ALREADY: TooLate,
  REQUEST_EXPIRED: TooLate,
};

/** Every route there is, by the name of what it does: the one table that routing and the description are made from. */
export const ROUTES = {
  listApprovals: {
    method: "get",
    path: "/approvals",
    does: "Lists the requests that wait, oldest first, and from which event on to follow what comes.",
    query: z.strictObject({ ...filter, group: z.string().optional() }),
    result: json(Snapshot),
    refuses: ["REQUEST_MALFORMED"],
  },
  answerSeveral: {
    method: "post",
    path: "/approvals",
    does: "Answers all requests of a run, session or group: no to all that wait, yes to those that are named.",
    body: AnswersBody,
    result: json(Answered),
    refuses: OF_BODIES,
  },
  showApproval: {
    method: "get",
    path: "/approvals/:id",
    does: "Shows a request, where it is in its life, and what to look at.",
    id: "The id of a request.",
    result: json(ShownRequest),
    refuses: ["REQUEST_UNKNOWN"],
  },
  answer: {
    method: "post",
    path: "/approvals/:id",
    does: "Answers a request. The first answer counts, whoever gives it.",
    id: "The id of a request.",
    body: AnswerBody,
    result: json(Accepted),
    refuses: [...OF_BODIES, "REQUEST_UNKNOWN", "ANSWERED_ALREADY", "REQUEST_EXPIRED"],
  },
  answerShortly: {
    method: "post",
    path: "/approve/:id",
    does: "The same, as event streams of agents send it.",
    id: "The id of a request.",
    body: ShortAnswerBody,
    result: json(Ok),
    refuses: [...OF_BODIES, "REQUEST_UNKNOWN", "ANSWERED_ALREADY", "REQUEST_EXPIRED"],
  },
  listGrants: {
    method: "get",
    path: "/grants",
    does: "Lists what was said yes to for a session.",
    result: json(Grants),
    refuses: [],
  },
  revokeGrant: {
    method: "delete",
    path: "/grants/:id",
    does: "Takes a yes for a session back.",
    id: "The id of a grant.",
    result: json(Revoked),
    refuses: ["GRANT_UNKNOWN", "ANSWERS_TOO_MANY"],
  },
  followEvents: {
    method: "get",
    path: "/events",
    does: "Every event about approvals and grants, as it comes, each as a server-sent event with its envelope as data. `Last-Event-ID`, or `after`, says which was the last one seen; where those behind it are not kept, an event `reset` says so. With `view=stream` there are requests and results alone, those first that wait where no last one is named.",
    query: z.strictObject({
      ...filter,
      after: z.string().optional(),
      view: z.enum(["envelope", "stream"]).optional(),
    }),
    result: { kind: "events" },
    refuses: ["REQUEST_MALFORMED", "SUBSCRIBERS_TOO_MANY"],
  },
  health: {
    method: "get",
    path: "/health",
    does: "Says that the server is there, and nothing else.",
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

/** The statuses that a route can answer with, and the refusals behind each. */
export function statusesOf({ isOpen, refuses }: Route): ReadonlyMap<number, readonly RefusalCode[]> {
  return Map.groupBy(
    [...refuses, ...OF_ALL, ...(isOpen === true ? [] : OF_GUARDED)],
    (code) => REFUSALS[code].status,
  );
}
