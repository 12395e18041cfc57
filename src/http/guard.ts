import { type Refusal, refusal } from "./refusal.ts";

/** Where requests may come from. */
export interface GuardOptions {
  /** The names that the server has, as a `Host` header spells them: `127.0.0.1:41234`. */
  readonly hosts: readonly string[];
  /** Origins besides its own whose pages may ask. */
  readonly origins: readonly string[];
}

/** What is looked at before anything else of a request. */
export interface Knock {
  readonly url: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

const LONGEST_URL = 2_048;

/**
 * Keeps out what a page of another origin could send. A page whose name was made to lead here (DNS rebinding) is of the
 * same origin for the browser, and says its own name as `Host`; any other says its own as `Origin`.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  /** The same as addresses spell them: without the port that is usual for their scheme. */
  readonly #authorities: ReadonlySet<string>;
  readonly #own: ReadonlySet<string>;
  readonly #listed: ReadonlySet<string>;

  constructor({ hosts, origins }: GuardOptions) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    // A server before it may speak TLS.
    this.#own = new Set([...this.#hosts].flatMap((host) => [`http://${host}`, `https://${host}`]));
    const urls = [...this.#own].filter((origin) => URL.canParse(origin));
    this.#authorities = new Set(urls.map((origin) => new URL(origin).host));
    this.#listed = new Set(origins);
  }

  /** Why the request is not looked at further; null where it is. */
  refuses({ url, host, origin }: Knock): Refusal | null {
    if (host === undefined || !this.#hosts.has(host.toLowerCase()) || !this.#isOwn(url))
      return refusal("HOST_UNKNOWN");
    if (origin !== undefined && !this.#own.has(origin) && !this.isListed(origin))
      return refusal("ORIGIN_UNKNOWN");
    return url.length > LONGEST_URL ? refusal("URL_TOO_LONG") : null;
  }

  /**
   * True for an address of ours. A target may say whom it is for, and that counts more than `Host`
   * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2); here both must be ours. Nobody is to have a name before `@`.
   */
  #isOwn(url: string): boolean {
    const { host, username, password } = new URL(url);
    return this.#authorities.has(host) && username === "" && password === "";
  }

  /** True for an origin elsewhere that was listed: its pages are told that they may ask. */
  isListed(origin: string): boolean {
    return this.#listed.has(origin);
  }
}

/** What a page of a listed origin is told when its browser asks before it asks (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
export function preflightHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    ...crossOriginHeaders(origin),
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-max-age": "600",
  };
}

/** What an answer to a page of a listed origin carries. No cookies: there are none. */
export function crossOriginHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
    vary: "origin",
  };
}
