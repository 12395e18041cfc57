import { IncomingMessage, ServerResponse } from "node:http";
import { type Approvers, bearerToken } from "./approvers.ts";
import type { Buckets } from "./buckets.ts";
import { crossOriginHeaders, type OriginGuard, preflightHeaders } from "./guard.ts";
import { HEADERS, jsonResponse } from "./headers.ts";
import type { Mounted } from "./mount.ts";
import { isPageFile } from "./page.ts";
import { type HttpRefusal, refusal } from "./refusal.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { ROUTES, type Route } from "./routes.ts";

/** The connection of a request, as far as it is known. */
export interface HttpConnection {
  /** The client's address; null for a unix socket, and if the server does not pass it. */
  readonly from: string | null;
  /** Ends the connection; null if the server does not allow that. */
  readonly destroy: (() => void) | null;
}

export interface EntranceOptions {
  readonly guard: OriginGuard;
  readonly approvers: Approvers;
  readonly mounts: readonly Mounted[];
  readonly tries: Buckets;
  readonly log: RefusalLog;
}

/** Admission of a request: the token's owner, or an immediate answer. */
export type Admission =
  | { readonly kind: "admitted"; readonly by: string }
  /** For another service behind the same checks. */
  | { readonly kind: "mounted"; readonly by: string; readonly mount: Mounted }
  /** No token needed. */
  | { readonly kind: "open" }
  | { readonly kind: "answered"; readonly response: Response };

/** Checks every request before any route does: its host, its origin, its token. The body is not read. */
export class Entrance {
  readonly #options: EntranceOptions;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  admit(request: Request, { from }: HttpConnection): Admission {
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
    if (isPageFile(pathname) || pathname === ROUTES.health.path)
      return method === "GET" || method === "HEAD"
        ? { kind: "open" }
        : this.#answered(this.refuse(request, from, methodUnknown(["GET", "HEAD"])));
    const mount = this.#options.mounts.find(({ path }) => path === pathname);
    if (mount?.known === null) return { kind: "mounted", by: "signed", mount };
    const identity = this.#identify(request, from, mount?.known ?? this.#options.approvers);
    if (typeof identity !== "string") return this.#answered(identity);
    return mount === undefined
      ? { kind: "admitted", by: identity }
      : { kind: "mounted", by: identity, mount };
  }

  /** Refuses a request, and records that unless it is recorded. */
  refuse(request: Request, from: string | null, why: HttpRefusal, isWritten = false): Response {
    if (!isWritten)
      this.#options.log.note({ method: request.method, path: new URL(request.url).pathname, from }, why);
    const { code, message, hint, status, beside, headers } = why;
    return jsonResponse(status, { error: { code, message, hint }, ...beside }, headers);
  }

  /** Lets pages of a listed origin read an answer. */
  share(request: Request, response: Response): void {
    const origin = request.headers.get("origin");
    if (origin === null || !this.#options.guard.isListed(origin)) return;
    for (const [name, value] of Object.entries(crossOriginHeaders(origin))) response.headers.set(name, value);
  }

  #identify(request: Request, from: string | null, known: Approvers): string | Response {
    const { tries } = this.#options;
    const token = bearerToken(request.headers.get("authorization") ?? undefined);
    const by = token === null ? null : known.nameOf(token);
    if (by !== null) return by;
    // Valid tokens always pass: on one machine, all requests come from one address.
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
export function unrouted(pathname: string): HttpRefusal {
  const routes = Object.values<Route>(ROUTES).filter(({ path }) => isOf(pathname, path));
  return routes.length === 0
    ? refusal("ROUTE_UNKNOWN")
    : methodUnknown(routes.map(({ method }) => method.toUpperCase()));
}

/** The connection that a Node server passes with a request, if it does. */
export function connectionOf(env: unknown): HttpConnection {
  if (typeof env !== "object" || env === null) return { from: null, destroy: null };
  const incoming: unknown = "incoming" in env ? env.incoming : null;
  const outgoing: unknown = "outgoing" in env ? env.outgoing : null;
  return {
    from: incoming instanceof IncomingMessage ? (incoming.socket.remoteAddress ?? null) : null,
    destroy: outgoing instanceof ServerResponse ? () => void outgoing.destroy() : null,
  };
}

function methodUnknown(allowed: readonly string[]): HttpRefusal {
  return refusal("METHOD_UNKNOWN", { headers: { allow: allowed.join(", ") } });
}

function isOf(pathname: string, path: string): boolean {
  return new RegExp(`^${path.replace(":id", "[^/]+")}$`).test(pathname);
}
