import type { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import { inTime } from "../host/in-time.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { StoredRequest } from "../store/store.ts";
import { type AnswerOutcome, answer, answerSeveral, decisionOf, storedDecision } from "./answers.ts";
import { readBody, readQuery } from "./body.ts";
import type { Buckets } from "./buckets.ts";
import { printEventId } from "./event-id.ts";
import type { EventStream } from "./event-stream.ts";
import { HEADERS, jsonResponse } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { type HttpRefusal, refusal } from "./refusal.ts";
import { ROUTES, type RouteName } from "./routes.ts";
import { wholeGrantId, wholeRequestId } from "./short-id.ts";

/** A request that was admitted. */
export interface AdmittedRequest {
  readonly request: Request;
  /** The value of `:id` in the path. */
  readonly id: string;
  readonly by: string;
  readonly destroy: (() => void) | null;
}

/** An answer, or its refusal; `isWritten` if that is recorded already. */
export type HandlerReply = Response | { readonly refusal: HttpRefusal; readonly isWritten: boolean };

/** Answers the requests of one route. */
export type Handle = (ask: AdmittedRequest) => Promise<HandlerReply>;

export interface HandlerOptions {
  readonly broker: Broker;
  readonly events: EventStream;
  readonly answers: Buckets;
  readonly now: () => number;
}

export function handlers(options: HandlerOptions): Readonly<Record<RouteName, Handle>> {
  const { broker } = options;
  // It never changes, and takes a moment to make.
  let description: ReturnType<typeof openApi> | null = null;
  return {
    listApprovals: (ask) => list(options, ask),
    answerSeveral: changing(options, ROUTES.answerSeveral.body, async (body, { by }) =>
      jsonResponse(200, { answered: await answerSeveral(broker, body, by) }),
    ),
    showApproval: async ({ id }) => show(options, await wholeRequestId(broker, id)),
    answer: changing(options, ROUTES.answer.body, async (body, { id, by }) => {
      const decision = decisionOf(body, by);
      const outcome = await answer(broker, await wholeRequestId(broker, id), decision, by);
      return replyTo(outcome, (stored) => ({
        status: stored?.status ?? null,
        decision: storedDecision(stored?.decision ?? null),
      }));
    }),
    answerShortly: changing(options, ROUTES.answerShortly.body, async (body, { id, by }) => {
      const decision = decisionOf(body, by);
      const outcome = await answer(broker, await wholeRequestId(broker, id), decision, by);
      return replyTo(outcome, () => ({ status: "ok" }));
    }),
    listGrants: async () => jsonResponse(200, { grants: await broker.grants(null) }),
    revokeGrant: async ({ id, by }) => {
      const tooMany = tooManyOf(options, by);
      if (tooMany !== null) return refused(tooMany);
      if (await broker.revoke(await wholeGrantId(broker, id), by))
        return jsonResponse(200, { revoked: true });
      return refused(refusal("GRANT_UNKNOWN"));
    },
    followEvents: (ask) => follow(options, ask),
    health: async () => jsonResponse(200, { status: "ok" }),
    describe: async () => {
      description ??= openApi();
      return jsonResponse(200, description);
    },
  };
}

function changing<Schema extends z.ZodType>(
  options: HandlerOptions,
  schema: Schema,
  change: (body: z.output<Schema>, ask: AdmittedRequest) => Promise<HandlerReply>,
): Handle {
  return async (ask) => {
    const tooMany = tooManyOf(options, ask.by);
    if (tooMany !== null) return refused(tooMany);
    const read = await readBody(ask.request, schema);
    return read.kind === "refused" ? refused(read.refusal) : change(read.data, ask);
  };
}

function tooManyOf({ answers }: HandlerOptions, by: string): HttpRefusal | null {
  const seconds = answers.take(by);
  if (seconds === null) return null;
  return refusal("ANSWERS_TOO_MANY", { headers: { "retry-after": String(seconds) } });
}

async function list({ broker, now }: HandlerOptions, { request }: AdmittedRequest): Promise<HandlerReply> {
  const read = readQuery(request.url, ROUTES.listApprovals.query);
  if (read.kind === "refused") return refused(read.refusal);
  const { run, session, group } = read.data;
  // The number comes before the requests: a request between the two appears twice, and none is missing.
  const [storeId, seq] = [await broker.storeId(), await broker.lastSeq()];
  const pending = await broker.pending({
    ...(run === undefined ? {} : { runId: run }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(group === undefined ? {} : { groupId: group }),
  });
  return jsonResponse(200, { now: now(), storeId, seq, lastEventId: printEventId(storeId, seq), pending });
}

async function show({ broker, now }: HandlerOptions, id: string): Promise<HandlerReply> {
  const stored = await broker.find(id);
  if (stored === null) return refused(refusal("REQUEST_UNKNOWN"));
  const look = stored.status === "pending" ? await lookAt(broker, id) : NOTHING;
  const { request, status, decision } = stored;
  return jsonResponse(200, { now: now(), request, status, decision: storedDecision(decision), ...look });
}

interface Look {
  readonly presentation: Presentation | null;
  readonly isPresentationLost: boolean;
}

const NOTHING: Look = { presentation: null, isPresentationLost: false };
const LOST: Look = { presentation: null, isPresentationLost: true };
/** Maximum time to make a preview; after that it counts as lost. */
const PICTURE_MS = 10_000;

async function lookAt(broker: Broker, id: string): Promise<Look> {
  try {
    const made = broker.present(id).then((presentation) => ({ ...NOTHING, presentation }));
    return (await inTime(made, PICTURE_MS)) ?? LOST;
  } catch {
    // Its arguments can still be shown.
    return LOST;
  }
}

const STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  // A buffering proxy would hold events back.
  "x-accel-buffering": "no",
} as const;

async function follow(
  { events }: HandlerOptions,
  { request, destroy }: AdmittedRequest,
): Promise<HandlerReply> {
  const read = readQuery(request.url, ROUTES.followEvents.query);
  if (read.kind === "refused") return refused(read.refusal);
  const { view = "envelope", run = null, session = null, after = null } = read.data;
  const lastId = request.headers.get("last-event-id") ?? after;
  const body = await events.follow({ view, runId: run, sessionId: session }, lastId, destroy);
  if (body === null) return refused(refusal("SUBSCRIBERS_TOO_MANY", { headers: { "retry-after": "10" } }));
  return new Response(body, { headers: { ...HEADERS, ...STREAM } });
}

function replyTo(outcome: AnswerOutcome, say: (stored: StoredRequest | null) => unknown): HandlerReply {
  if (outcome.kind === "accepted") return jsonResponse(200, say(outcome.stored));
  // The broker has recorded that an answer came too late, or for no request.
  return { refusal: outcome.refusal, isWritten: true };
}

function refused(why: HttpRefusal): HandlerReply {
  return { refusal: why, isWritten: false };
}
