import { Hono } from "hono";
import type { Broker } from "../approval/broker.ts";
import { assertOptions } from "../policy/options.ts";
import { APP_OPTIONS, type ApprovalAppOptions } from "./app-options.ts";
import { Approvers } from "./approvers.ts";
import { Buckets } from "./buckets.ts";
import { connectionOf, Entrance, type HttpConnection, unrouted } from "./entrance.ts";
import { EventStream, type EventStreamOptions } from "./event-stream.ts";
import { OriginGuard } from "./guard.ts";
import { type Handle, handlers } from "./handlers.ts";
import { mounted } from "./mount.ts";
import { pageFile } from "./page.ts";
import { type HttpRefusal, refusalOf } from "./refusal.ts";
import { RefusalLog, type RefusedRequest } from "./refusal-log.ts";
import { ROUTES, type Route } from "./routes.ts";

/** The routes and the inbox, for any server. */
export interface ApprovalApp extends Disposable {
  /**
   * Answers a request. A Node server passes `{ incoming, outgoing }` as `env`, as `@hono/node-server` does. With it,
   * refusals name the address, and a client of the event stream that is too slow loses its connection.
   */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** @internal Records a refusal by the server itself, before there was a request. */
  note(refused: RefusedRequest, refusal: HttpRefusal): void;
  /** Closes the app, as `using` does at the end of a scope. */
  close(): void;
}

/** The first part of every route's path. */
const TAKEN = new Set(Object.values<Route>(ROUTES).map(({ path }) => path.replace(/(.)\/.*/, "$1")));
const CLOCK = { now: Date.now } as const;
/** More answers than a person gives. */
const ANSWERS = { atOnce: 200, perSecond: 20 } as const;
/** A person mistypes a token only once or twice. */
const TRIES = { atOnce: 10, perSecond: 0.1 } as const;

/**
 * The approvals of a broker over HTTP, for existing servers: routes, an event stream, and the inbox at `/`. It works
 * until it is disposed of. Throws `USAGE` for unknown options.
 */
export function approvalApp(broker: Broker, options: ApprovalAppOptions): ApprovalApp {
  assertOptions("approvalApp", APP_OPTIONS, options);
  const { approvers, hosts, origins = [], mounts = [] } = options;
  const { recorder = null, host = CLOCK, answerRate = ANSWERS } = options;
  const log = new RefusalLog(recorder);
  const events = new EventStream(broker, streamOptions(options));
  const entrance = new Entrance({
    guard: new OriginGuard({ hosts, origins }),
    approvers: new Approvers(approvers),
    mounts: mounted(mounts, approvers, TAKEN),
    tries: new Buckets(TRIES),
    log,
  });
  const does = handlers({ broker, events, answers: new Buckets(answerRate), now: () => host.now() });
  const routes = routed(entrance, does);
  const close = (): void => {
    events[Symbol.dispose]();
    log[Symbol.dispose]();
  };
  return {
    fetch: async (request, env) => {
      const connection = connectionOf(env);
      const response = await answered(request, connection, entrance, routes);
      entrance.share(request, response);
      return response;
    },
    note: (refused, refusal) => log.note(refused, refusal),
    close,
    [Symbol.dispose]: close,
  };
}

function streamOptions({
  maxSubscribers = 2_000,
  heartbeatMs = 15_000,
  stalledMs = 30_000,
  unsentBytes = 1024 ** 2,
}: ApprovalAppOptions): EventStreamOptions {
  return { maxClients: maxSubscribers, heartbeatMs, stalledMs, maxQueuedBytes: unsentBytes };
}

interface Admitted {
  readonly by: string;
  readonly connection: HttpConnection;
}

type Routes = Hono<{ Bindings: Admitted }>;

async function answered(
  request: Request,
  connection: HttpConnection,
  entrance: Entrance,
  routes: Routes,
): Promise<Response> {
  try {
    const admission = entrance.admit(request, connection);
    if (admission.kind === "answered") return admission.response;
    if (admission.kind === "mounted") {
      const reply = await admission.mount.fetch(request, admission.by);
      if (reply instanceof Response) return reply;
      return entrance.refuse(request, connection.from, reply.refusal, reply.isWritten);
    }
    const file = admission.kind === "open" ? pageFile(new URL(request.url).pathname) : null;
    if (file !== null) return file;
    // A router treats HEAD as a GET whose body is never read, so an event stream would never be released.
    if (request.method === "HEAD")
      return entrance.refuse(request, connection.from, unrouted(new URL(request.url).pathname));
    const by = admission.kind === "open" ? "nobody" : admission.by;
    return await routes.fetch(request, { by, connection });
  } catch (thrown) {
    return entrance.refuse(request, connection.from, refusalOf(thrown));
  }
}

function routed(entrance: Entrance, does: Readonly<Record<string, Handle>>): Routes {
  // Not decoded: a route gets the same path that the entrance checked.
  const routes: Routes = new Hono({ getPath: ({ url }) => new URL(url).pathname });
  for (const [name, { method, path }] of Object.entries<Route>(ROUTES)) {
    const handle = does[name];
    if (handle === undefined) continue;
    routes.on(method.toUpperCase(), path, async ({ req, env: { by, connection } }) => {
      const { destroy, from } = connection;
      const reply = await handle({ request: req.raw, id: req.param("id") ?? "", by, destroy });
      if (reply instanceof Response) return reply;
      return entrance.refuse(req.raw, from, reply.refusal, reply.isWritten);
    });
  }
  routes.notFound(({ req, env }) => entrance.refuse(req.raw, env.connection.from, unrouted(req.path)));
  routes.onError((thrown, { req, env }) => entrance.refuse(req.raw, env.connection.from, refusalOf(thrown)));
  return routes;
}
