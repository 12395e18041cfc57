import { type HttpRefusal, refusal } from "./refusal.ts";

/** The allowed hosts and origins of requests. */
export interface GuardOptions {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** The first checked parts of a request. */
export interface Knock {
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

const LONGEST_URL = 2_048;

/**
 * Refuses requests that a page of another origin could send. After DNS rebinding a page counts as the same origin for
 * the browser, but its `Host` is its own name. Any other page sends its own `Origin`.
 */
export class OriginGuard {
  readonly #hosts: ReadonlySet<string>;
  /** Hosts as URLs spell them: without the default port of their scheme. */
  readonly #authorities: ReadonlySet<string>;
  readonly #own: ReadonlySet<string>;
  readonly #listed: ReadonlySet<string>;

  constructor({ hosts, origins }: GuardOptions) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    // A proxy before this server may speak TLS.
    this.#own = new Set([...this.#hosts].flatMap((host) => [`http://${host}`, `https://${host}`]));
    const urls = [...this.#own].filter((origin) => URL.canParse(origin));
    this.#authorities = new Set(urls.map((origin) => new URL(origin).host));
    this.#listed = new Set(origins);
  }

  /** The refusal of a request, or null. */
  refuses({ url, host, origin }: Knock): HttpRefusal | null {
    if (host === undefined || !this.#hosts.has(host.toLowerCase()) || !this.#isOwn(url))
      return refusal("HOST_UNKNOWN");
    if (origin !== undefined && !this.#own.has(origin) && !this.isListed(origin))
      return refusal("ORIGIN_UNKNOWN");
    return url.length > LONGEST_URL ? refusal("URL_TOO_LONG") : null;
  }

  /**
   * True for an address of ours. A target may name a host, which takes precedence over `Host`
   * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2); both must be ours. Credentials before `@` are refused.
   */
  #isOwn(url: string): boolean {
    const { host, username, password } = new URL(url);
    return this.#authorities.has(host) && username === "" && password === "";
  }

  isListed(origin: string): boolean {
    return this.#listed.has(origin);
  }
}

/** Headers of the answer to a preflight of a listed origin (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
export function preflightHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    ...crossOriginHeaders(origin),
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": "600",
  };
}

/** Headers of an answer to a page of a listed origin. They allow no cookies: there are none. */
export function crossOriginHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
    vary: "origin",
  };
}
