import { CofferdamError, visible } from "../errors.ts";
import { canonicalHost } from "./host-name.ts";

/** A proxy for other hosts. `url` is its one spelling, without credentials, which printing the object never shows. */
export class UpstreamProxy {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly #credentials: string | null;

  constructor(host: string, port: number, isSecure: boolean, credentials: string | null) {
    this.host = host;
    this.port = port;
    this.isSecure = isSecure;
    this.url = `${isSecure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
    this.#credentials = credentials;
  }

  get hasCredentials(): boolean {
    return this.#credentials !== null;
  }

  /** The headers with the credentials (RFC 9110, section 11.7.2): names and values in turn. */
  authorization(): readonly string[] {
    if (this.#credentials === null) return [];
    return ["Proxy-Authorization", `Basic ${Buffer.from(this.#credentials).toString("base64")}`];
  }

  /** True if bytes show the credentials, as sent or as written. */
  showsCredentialsIn(bytes: Buffer): boolean {
    return this.#shown().some((one) => bytes.includes(one));
  }

  /** The number of bytes at the end that may begin the credentials. */
  credentialsBegunIn(bytes: Buffer): number {
    return Math.max(0, ...this.#shown().map((one) => lengthBegun(bytes, one)));
  }

  #shown(): readonly Buffer[] {
    if (this.#credentials === null) return [];
    const written = Buffer.from(this.#credentials);
    const sent = written.toString("base64").replace(/=+$/, "");
    return written.length < MIN_SEARCHED ? [Buffer.from(`Basic ${sent}`)] : [written, Buffer.from(sent)];
  }
}

/** Credentials of fewer bytes may be in a page by chance. */
const MIN_SEARCHED = 8;

function lengthBegun(bytes: Buffer, other: Buffer): number {
  for (let length = Math.min(bytes.length, other.length - 1); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(other.subarray(0, length))) return length;
  return 0;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Reads a proxy's URL; `proxy.corp:3128` means `http`. Throws `HOST_INVALID`, without the text: it may have a password.
 */
export function parseProxy(text: string): UpstreamProxy {
  const url = text.length > MAX_URL ? null : URL.parse(text.includes("://") ? text : `http://${text}`);
  const standard = url === null ? undefined : DEFAULT_PORTS[url.protocol];
  if (url === null || standard === undefined) throw refused("is not an `http://` or `https://` URL");
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "")
    throw refused("has text after its host and port");
  const { username, password } = url;
  const credentials = username === "" && password === "" ? null : `${decoded(username)}:${decoded(password)}`;
  const port = url.port === "" ? standard : Number(url.port);
  if (port === 0) throw refused("has a port outside 1 to 65535");
  return new UpstreamProxy(canonicalHost(url.hostname), port, url.protocol === "https:", credentials);
}

const MAX_URL = 1024;

/** A percent-encoded text, or the same text if its encoding is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(what: string): CofferdamError {
  return new CofferdamError("HOST_INVALID", `the proxy's URL ${what}`, {
    hint: "write a URL such as `http://proxy.example.org:3128`",
  });
}

/** The proxies for hosts: `https` for TLS and all else, `http` for plain pages. */
export interface Upstream {
  readonly https: UpstreamProxy | null;
  readonly http: UpstreamProxy | null;
  /** Hosts that are reached without a proxy, as `NO_PROXY` lists them. */
  readonly direct: readonly string[];
}

/** The URLs of its proxies. */
export function proxiesOf({ https, http }: Upstream): readonly string[] {
  return [...new Set([https, http].flatMap((one) => (one === null ? [] : [one.url])))].sort();
}

/** One proxy for all hosts. */
export function onlyBy(proxy: UpstreamProxy): Upstream {
  return { https: proxy, http: proxy, direct: [] };
}

/** Variables that name a proxy, for TLS and for plain pages; programs use the first that is set (curl(1)). */
const FOR_HTTPS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] as const;
const FOR_HTTP = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] as const;

type Env = Readonly<Record<string, string | undefined>>;

function firstSet(env: Env, names: readonly string[]): string | null {
  return names.find((name) => (env[name] ?? "") !== "") ?? null;
}

/** The variable of the environment that names a proxy for TLS, or for plain pages; null if none does. */
export function proxyVariable(env: Env): string | null {
  return firstSet(env, [...FOR_HTTPS, ...FOR_HTTP]);
}

/** The proxies that the environment names; null if there are none. Throws `HOST_INVALID` for an invalid proxy URL. */
export function upstreamFrom(env: Env): Upstream | null {
  const read = (names: readonly string[]): UpstreamProxy | null => {
    const name = firstSet(env, names);
    if (name === null) return null;
    try {
      return parseProxy(env[name] ?? "");
    } catch (cause) {
      const message = cause instanceof CofferdamError ? cause.message : "it can't be read";
      throw new CofferdamError("HOST_INVALID", `the environment variable ${visible(name)}: ${message}`, {
        hint: "set it to a URL such as `http://proxy.example.org:3128`, or name the proxy under `shell.network.proxy`",
        cause,
      });
    }
  };
  const [https, http] = [read(FOR_HTTPS), read(FOR_HTTP)];
  if (https === null && http === null) return null;
  const direct = (env["no_proxy"] ?? env["NO_PROXY"] ?? "").split(",").flatMap((one) => one.trim() || []);
  return { https, http, direct };
}

/** The proxies that a list allows for hosts: any, these, or none if it is left out. */
export type Proxies = "any" | readonly string[];

/** True if this proxy is one of them. */
export function allowsProxy(proxies: Proxies | undefined, url: string): boolean {
  return proxies === "any" || (proxies ?? []).includes(url);
}

/** The proxies that both allow; left out if there are none. */
export function meetProxies(a: Proxies | undefined, b: Proxies | undefined): { readonly proxies?: Proxies } {
  if (a === undefined || b === undefined) return {};
  return normalProxies(a === "any" ? b : b === "any" ? a : a.filter((one) => b.includes(one)));
}

/** The proxies in order, without duplicates. */
export function normalProxies(proxies: Proxies | undefined): { readonly proxies?: Proxies } {
  if (proxies === undefined || proxies.length === 0) return {};
  return { proxies: proxies === "any" ? proxies : [...new Set(proxies)].sort() };
}
