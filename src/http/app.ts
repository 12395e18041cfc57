import { Hono } from "hono";
import type { Broker } from "../approval/broker.ts";
import { assertOptions } from "../supervisor/options.ts";
import { APP_OPTIONS, type ApprovalAppOptions } from "./app-options.ts";
import { Approvers } from "./approvers.ts";
import { Buckets } from "./buckets.ts";
import { type Connection, connectionOf, Entrance, unrouted } from "./entrance.ts";
import { Guard } from "./guard.ts";
import { type Handle, handlers } from "./handlers.ts";
import { mounted } from "./mount.ts";
import { pageFile } from "./page.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { RefusalLog, type Refused } from "./refusal-log.ts";
import { ROUTES, type Route } from "./routes.ts";
import { Subscribers, type SubscribersOptions } from "./subscribers.ts";

/** The routes and the inbox, for whoever serves them. */
export interface ApprovalApp extends Disposable {
  /**
   * Answers a request. `env` is what a server of Node's hands over with it (`{ incoming, outgoing }`, as
   * `@hono/node-server` does): by it refusals tell the address, and whoever follows too slowly is cut off.
   */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** Writes down what the server itself refused, before there was a request. */
  note(refused: Refused, refusal: Refusal): void;
}

/** The paths that routes have, by their first part. */
const TAKEN = new Set(Object.values<Route>(ROUTES).map(({ path }) => path.replace(/(.)\/.*/, "$1")));
const CLOCK = { now: Date.now } as const;
/** More answers than a person gives. */
const ANSWERS = { atOnce: 200, perSecond: 20 } as const;
/** A person who mistypes a token does so once or twice. */
const TRIES = { atOnce: 10, perSecond: 0.1 } as const;

/**
 * The approvals of a broker over HTTP, for those who have a server: routes, a stream of events, and the inbox at `/`. Until
 * it is disposed of. Throws `USAGE` for options that there are not.
 */
export function approvalApp(broker: Broker, options: ApprovalAppOptions): ApprovalApp {
  assertOptions("approvalApp", APP_OPTIONS, options);
  const { approvers, hosts, origins = [], mounts = [] } = options;
  const { recorder = null, host = CLOCK, answerRate = ANSWERS } = options;
  const log = new RefusalLog(recorder);
  const subscribers = new Subscribers(broker, patienceOf(options));
  const entrance = new Entrance({
    guard: new Guard({ hosts, origins }),
    approvers: new Approvers(approvers),
    mounts: mounted(mounts, approvers, TAKEN),
    tries: new Buckets(TRIES),
    log,
  });
  const does = handlers({ broker, subscribers, answers: new Buckets(answerRate), now: () => host.now() });
  const routes = routed(entrance, does);
  return {
    fetch: async (request, env) => {
      const connection = connectionOf(env);
      const response = await answered(request, connection, entrance, routes);
      entrance.share(request, response);
      return response;
    },
    note: (refused, refusal) => log.note(refused, refusal),
    [Symbol.dispose]: () => {
      subscribers[Symbol.dispose]();
      log[Symbol.dispose]();
    },
  };
}

function patienceOf({
  mostSubscribers = 2_000,
  heartbeatMs = 15_000,
  stalledMs = 30_000,
  unsentBytes = 1024 ** 2,
}: ApprovalAppOptions): SubscribersOptions {
  return { mostSubscribers, heartbeatMs, stalledMs, unsentBytes };
}

/** What a route is handed besides the request. */
interface Admitted {
  readonly by: string;
  readonly connection: Connection;
}

type Routes = Hono<{ Bindings: Admitted }>;

async function answered(
  request: Request,
  connection: Connection,
  entrance: Entrance,
  routes: Routes,
): Promise<Response> {
  try {
    const admission = entrance.admit(request, connection);
    if (admission.kind === "answered") return admission.response;
    if (admission.kind === "mounted") return await admission.mount.fetch(request, admission.by);
    const file = admission.kind === "open" ? pageFile(new URL(request.url).pathname) : null;
    if (file !== null) return file;
    // A router takes it for a GET whose body nobody reads, and nobody would let go of a stream of events.
    if (request.method === "HEAD")
      return entrance.refuse(request, connection.from, unrouted(new URL(request.url).pathname));
    const by = admission.kind === "open" ? "nobody" : admission.by;
    return await routes.fetch(request, { by, connection });
  } catch (thrown) {
    return entrance.refuse(request, connection.from, refusalOf(thrown));
  }
}

function routed(entrance: Entrance, does: Readonly<Record<string, Handle>>): Routes {
  // As it is spelled: what the entrance looked at is what a route gets.
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
