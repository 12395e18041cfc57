import type { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { StoredRequest } from "../store/store.ts";
import { answer, answerSeveral, decisionOf, type Outcome, toldOf } from "./answers.ts";
import { readBody, readQuery } from "./body.ts";
import type { Buckets } from "./buckets.ts";
import { printEventId } from "./event-id.ts";
import { HEADERS, jsonResponse } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { type Refusal, refusal } from "./refusal.ts";
import { ROUTES, type RouteName } from "./routes.ts";
import type { Subscribers } from "./subscribers.ts";

/** A request that was let in. */
export interface Ask {
  readonly request: Request;
  /** What stands for `:id` in the path. */
  readonly id: string;
  /** Who asks. */
  readonly by: string;
  /** Ends the connection, where that can be done. */
  readonly destroy: (() => void) | null;
}

/** An answer, or why there is none; `isWritten` where that is recorded already. */
export type Reply = Response | { readonly refusal: Refusal; readonly isWritten: boolean };

/** Answers what came in by one route. */
export type Handle = (ask: Ask) => Promise<Reply>;

/** What handlers work with. */
export interface HandlerOptions {
  readonly broker: Broker;
  readonly subscribers: Subscribers;
  /** How often somebody may answer. */
  readonly answers: Buckets;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What each route does. */
export function handlers(options: HandlerOptions): Readonly<Record<RouteName, Handle>> {
  const { broker } = options;
  // It is always the same, and takes a moment to make.
  let description: ReturnType<typeof openApi> | null = null;
  return {
    listApprovals: (ask) => list(options, ask),
    answerSeveral: changing(options, ROUTES.answerSeveral.body, async (body, { by }) =>
      jsonResponse(200, { answered: await answerSeveral(broker, body, by) }),
    ),
    showApproval: ({ id }) => show(options, id),
    answer: changing(options, ROUTES.answer.body, async (body, { id, by }) => {
      const outcome = await answer(broker, id, decisionOf(body, by), by);
      return told(outcome, (stored) => ({
        status: stored?.status ?? null,
        decision: toldOf(stored?.decision ?? null),
      }));
    }),
    answerShortly: changing(options, ROUTES.answerShortly.body, async (body, { id, by }) =>
      told(await answer(broker, id, decisionOf(body, by), by), () => ({ status: "ok" })),
    ),
    listGrants: async () => jsonResponse(200, { grants: await broker.grants(null) }),
    revokeGrant: async ({ id, by }) => {
      const tooMany = tooManyOf(options, by);
      if (tooMany !== null) return refused(tooMany);
      if (await broker.revoke(id, by)) return jsonResponse(200, { revoked: true });
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

/** A route that changes something, by what its body says. */
function changing<Schema extends z.ZodType>(
  options: HandlerOptions,
  schema: Schema,
  change: (body: z.output<Schema>, ask: Ask) => Promise<Reply>,
): Handle {
  return async (ask) => {
    const tooMany = tooManyOf(options, ask.by);
    if (tooMany !== null) return refused(tooMany);
    const read = await readBody(ask.request, schema);
    return read.kind === "refused" ? refused(read.refusal) : change(read.data, ask);
  };
}

function tooManyOf({ answers }: HandlerOptions, by: string): Refusal | null {
  const seconds = answers.take(by);
  if (seconds === null) return null;
  return refusal("ANSWERS_TOO_MANY", { headers: { "retry-after": String(seconds) } });
}

async function list({ broker, now }: HandlerOptions, { request }: Ask): Promise<Reply> {
  const read = readQuery(request.url, ROUTES.listApprovals.query);
  if (read.kind === "refused") return refused(read.refusal);
  const { run, session, group } = read.data;
  // The number before the requests: what comes in between is told twice, and nothing is missed.
  const [storeId, seq] = [await broker.storeId(), await broker.lastSeq()];
  const pending = await broker.pending({
    ...(run === undefined ? {} : { runId: run }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(group === undefined ? {} : { groupId: group }),
  });
  return jsonResponse(200, { now: now(), storeId, seq, lastEventId: printEventId(storeId, seq), pending });
}

async function show({ broker, now }: HandlerOptions, id: string): Promise<Reply> {
  const stored = await broker.find(id);
  if (stored === null) return refused(refusal("REQUEST_UNKNOWN"));
  const look = stored.status === "pending" ? await lookAt(broker, id) : NOTHING;
  const { request, status, decision } = stored;
  return jsonResponse(200, { now: now(), request, status, decision: toldOf(decision), ...look });
}

/** What there is to look at. */
interface Look {
  readonly presentation: Presentation | null;
  readonly isPresentationLost: boolean;
}

const NOTHING: Look = { presentation: null, isPresentationLost: false };
const LOST: Look = { presentation: null, isPresentationLost: true };
/** A picture that takes longer is told to be lost. */
const PICTURE_MS = 10_000;

async function lookAt(broker: Broker, id: string): Promise<Look> {
  const { promise, resolve } = Promise.withResolvers<Look>();
  const timer = setTimeout(resolve, PICTURE_MS, LOST);
  try {
    const made = broker.present(id).then((presentation) => ({ ...NOTHING, presentation }));
    return await Promise.race([made, promise]);
  } catch {
    // Its arguments are there to look at.
    return LOST;
  } finally {
    clearTimeout(timer);
  }
}

const STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  // A proxy that gathers what it passes on would hold events back.
  "x-accel-buffering": "no",
} as const;

async function follow({ subscribers }: HandlerOptions, { request, destroy }: Ask): Promise<Reply> {
  const read = readQuery(request.url, ROUTES.followEvents.query);
  if (read.kind === "refused") return refused(read.refusal);
  const { view = "envelope", run = null, session = null, after = null } = read.data;
  const lastId = request.headers.get("last-event-id") ?? after;
  const body = await subscribers.follow({ view, runId: run, sessionId: session }, lastId, destroy);
  if (body === null) return refused(refusal("SUBSCRIBERS_TOO_MANY", { headers: { "retry-after": "10" } }));
  return new Response(body, { headers: { ...HEADERS, ...STREAM } });
}

function told(outcome: Outcome, say: (stored: StoredRequest | null) => unknown): Reply {
  if (outcome.kind === "accepted") return jsonResponse(200, say(outcome.stored));
  // The broker has written down that an answer came too late, or to nothing.
  return { refusal: outcome.refusal, isWritten: true };
}

function refused(why: Refusal): Reply {
  return { refusal: why, isWritten: false };
}
