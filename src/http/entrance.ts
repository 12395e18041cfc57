import { IncomingMessage, ServerResponse } from "node:http";
import { type Approvers, bearerToken } from "./approvers.ts";
import type { Buckets } from "./buckets.ts";
import { crossOriginHeaders, type Guard, preflightHeaders } from "./guard.ts";
import { HEADERS, jsonResponse } from "./headers.ts";
import type { Mounted } from "./mount.ts";
import { isPageFile } from "./page.ts";
import { type Refusal, refusal } from "./refusal.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { ROUTES, type Route } from "./routes.ts";

/** What is known of where a request came in by. */
export interface Connection {
  /** The address at the other end; null for a unix socket, and where the server does not tell. */
  readonly from: string | null;
  /** Ends it; null where the server does not let us. */
  readonly destroy: (() => void) | null;
}

/** What is asked for at the door. */
export interface EntranceOptions {
  readonly guard: Guard;
  readonly approvers: Approvers;
  readonly mounts: readonly Mounted[];
  /** Of those who have no token that is known. */
  readonly tries: Buckets;
  readonly log: RefusalLog;
}

/** Whether a request may come in: by whom it is, or the answer that it gets at once. */
export type Admission =
  | { readonly kind: "admitted"; readonly by: string }
  /** It is for something else that is served behind this door. */
  | { readonly kind: "mounted"; readonly by: string; readonly mount: Mounted }
  /** It needs no token. */
  | { readonly kind: "open" }
  | { readonly kind: "answered"; readonly response: Response };

/** Looks at every request before any route does: its host, its origin, its token. Nothing of its body is read. */
export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  admit(request: Request, { from }: Connection): Admission {
    const { headers, method, url } = request;
    const origin = headers.get("origin") ?? undefined;
    const knock = { url, host: headers.get("host") ?? undefined, origin };
    const refused = this.#options.guard.refuses(knock);
    if (refused !== null) return this.#answered(this.refuse(request, from, refused));
    if (method === "OPTIONS" && origin !== undefined && this.#options.guard.isListed(origin))
      return this.#answered(
        new Response(null, { status: 204, headers: { ...HEADERS, ...preflightHeaders(origin) } }),
      );
    const { pathname } = new URL(url);
    if (isOpen(pathname))
      return method === "GET" || method === "HEAD"
        ? { kind: "open" }
        : this.#answered(this.refuse(request, from, methodUnknown(["GET", "HEAD"])));
    const mount = this.#options.mounts.find(({ path }) => path === pathname);
    const identity = this.#identify(request, from, mount?.known ?? this.#options.approvers);
    if (typeof identity !== "string") return this.#answered(identity);
    return mount === undefined
      ? { kind: "admitted", by: identity }
      : { kind: "mounted", by: identity, mount };
  }

  /** Refuses a request, and writes that down unless somebody has. */
  refuse(request: Request, from: string | null, why: Refusal, isWritten = false): Response {
    if (!isWritten)
      this.#options.log.note({ method: request.method, path: new URL(request.url).pathname, from }, why);
    const { code, message, hint, status, beside, headers } = why;
    return jsonResponse(status, { error: { code, message, hint }, ...beside }, headers);
  }

  /** What pages of a listed origin may see of an answer. */
  share(request: Request, response: Response): void {
    const origin = request.headers.get("origin");
    if (origin === null || !this.#options.guard.isListed(origin)) return;
    for (const [name, value] of Object.entries(crossOriginHeaders(origin))) response.headers.set(name, value);
  }

  /** Who has the token that came with a request; else how it is refused. */
  #identify(request: Request, from: string | null, known: Approvers): string | Response {
    const { tries } = this.#options;
    const token = bearerToken(request.headers.get("authorization") ?? undefined);
    const by = token === null ? null : known.nameOf(token);
    if (by !== null) return by;
    // Whoever has a token is let in all the same: on one machine, everybody comes from one address.
    const seconds = tries.take(from ?? "");
    if (seconds !== null)
      return this.refuse(
        request,
        from,
        refusal("TRIES_TOO_MANY", { headers: { "retry-after": String(seconds) } }),
      );
    const code = request.headers.has("authorization") ? "TOKEN_UNKNOWN" : "TOKEN_MISSING";
    const headers = { "www-authenticate": 'Bearer realm="cofferdam"' };
    return this.refuse(request, from, refusal(code, { headers }));
  }

  #answered(response: Response): Admission {
    return { kind: "answered", response };
  }
}

/** The refusal of a path that no route has, or none with this method. */
export function unrouted(pathname: string): Refusal {
  const routes = Object.values<Route>(ROUTES).filter(({ path }) => isOf(pathname, path));
  return routes.length === 0
    ? refusal("ROUTE_UNKNOWN")
    : methodUnknown(routes.map(({ method }) => method.toUpperCase()));
}

/** What a server of Node's hands over with a request, where it does. */
export function connectionOf(env: unknown): Connection {
  if (typeof env !== "object" || env === null) return { from: null, destroy: null };
  const incoming: unknown = "incoming" in env ? env.incoming : null;
  const outgoing: unknown = "outgoing" in env ? env.outgoing : null;
  return {
    from: incoming instanceof IncomingMessage ? (incoming.socket.remoteAddress ?? null) : null,
    destroy: outgoing instanceof ServerResponse ? () => void outgoing.destroy() : null,
  };
}

function methodUnknown(allowed: readonly string[]): Refusal {
  return refusal("METHOD_UNKNOWN", { headers: { allow: allowed.join(", ") } });
}

function isOpen(pathname: string): boolean {
  return isPageFile(pathname) || pathname === ROUTES.health.path;
}

function isOf(pathname: string, path: string): boolean {
  return new RegExp(`^${path.replace(":id", "[^/]+")}$`).test(pathname);
}
