import { CofferdamError, visible } from "../errors.ts";
import { canonicalHost } from "./host-name.ts";

/**
 * A proxy that other hosts are reached by. `url` is its one spelling, without user and password: `http://proxy.corp:3128`.
 * Nothing that prints an object shows the credentials.
 */
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

  /** The headers that say who asks (RFC 9110, section 11.7.2): names and values in turn. */
  authorization(): readonly string[] {
    if (this.#credentials === null) return [];
    return ["Proxy-Authorization", `Basic ${Buffer.from(this.#credentials).toString("base64")}`];
  }

  /** True where bytes show the credentials, as they are sent or as they were written. */
  showsCredentialsIn(bytes: Buffer): boolean {
    return this.#shown().some((one) => bytes.includes(one));
  }

  /** The number of bytes at the end that may begin the credentials. */
  credentialsBegunIn(bytes: Buffer): number {
    return Math.max(0, ...this.#shown().map((one) => lengthBegun(bytes, one)));
  }

  /** The texts that are searched for. Short credentials may stand in a page by chance, so only the whole header counts for them. */
  #shown(): readonly Buffer[] {
    if (this.#credentials === null) return [];
    const written = Buffer.from(this.#credentials);
    const sent = written.toString("base64").replace(/=+$/, "");
    return written.length < MIN_SEARCHED ? [Buffer.from(`Basic ${sent}`)] : [written, Buffer.from(sent)];
  }
}

/** Credentials of fewer bytes may stand in a page by chance. */
const MIN_SEARCHED = 8;

/** The length of the longest end of `bytes` that `other` begins with; less than the whole of `other`. */
function lengthBegun(bytes: Buffer, other: Buffer): number {
  for (let length = Math.min(bytes.length, other.length - 1); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(other.subarray(0, length))) return length;
  return 0;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Reads the URL of a proxy; `proxy.corp:3128` is taken for `http`. Throws `HOST_INVALID`, which tells nothing of the text:
 * it may hold a password.
 */
export function parseProxy(text: string): UpstreamProxy {
  const url = text.length > MOST_URL ? null : URL.parse(text.includes("://") ? text : `http://${text}`);
  const standard = url === null ? undefined : DEFAULT_PORTS[url.protocol];
  if (url === null || standard === undefined) throw refused("is no `http://` or `https://` URL");
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "")
    throw refused("has something behind its host and port");
  const { username, password } = url;
  const credentials = username === "" && password === "" ? null : `${decoded(username)}:${decoded(password)}`;
  const port = url.port === "" ? standard : Number(url.port);
  if (port === 0) throw refused("has a port outside 1 to 65535");
  return new UpstreamProxy(canonicalHost(url.hostname), port, url.protocol === "https:", credentials);
}

const MOST_URL = 1024;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(what: string): CofferdamError {
  return new CofferdamError("HOST_INVALID", `the proxy's URL ${what}`, {
    hint: "write `http://proxy.example.org:3128`",
  });
}

/** By which proxies hosts are reached: TLS and all else by `https`, plain pages by `http`. */
export interface Upstream {
  readonly https: UpstreamProxy | null;
  readonly http: UpstreamProxy | null;
  /** Hosts that are reached without one, as `NO_PROXY` lists them. */
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

/** Variables that name a proxy, for TLS and for plain pages; programs obey the first that is set (curl(1)). */
const FOR_HTTPS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] as const;
const FOR_HTTP = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The first of these variables that is set to something. */
function firstSet(env: Env, names: readonly string[]): string | null {
  return names.find((name) => (env[name] ?? "") !== "") ?? null;
}

/** The variable of the environment that names a proxy for TLS, or for plain pages; null where none does. */
export function proxyVariable(env: Env): string | null {
  return firstSet(env, [...FOR_HTTPS, ...FOR_HTTP]);
}

/** What the environment says of proxies; null where it names none. Throws `HOST_INVALID` for a URL that is none of a proxy. */
export function upstreamFrom(env: Env): Upstream | null {
  const read = (names: readonly string[]): UpstreamProxy | null => {
    const name = firstSet(env, names);
    if (name === null) return null;
    try {
      return parseProxy(env[name] ?? "");
    } catch (cause) {
      const message = cause instanceof CofferdamError ? cause.message : "it can't be read";
      throw new CofferdamError("HOST_INVALID", `${visible(name)} of the environment: ${message}`, {
        hint: "set it to `http://proxy.example.org:3128`, or name the proxy under `shell.network.proxy`",
        cause,
      });
    }
  };
  const [https, http] = [read(FOR_HTTPS), read(FOR_HTTP)];
  if (https === null && http === null) return null;
  const direct = (env["no_proxy"] ?? env["NO_PROXY"] ?? "").split(",").flatMap((one) => one.trim() || []);
  return { https, http, direct };
}

/** By which proxies a list lets hosts be reached: whichever, these, or none where it is left out. */
export type Proxies = "any" | readonly string[];

/** True where this proxy is one of them. */
export function allowsProxy(proxies: Proxies | undefined, url: string): boolean {
  return proxies === "any" || (proxies ?? []).includes(url);
}

/** Those of both, or nothing where there is none. */
export function meetProxies(a: Proxies | undefined, b: Proxies | undefined): { readonly proxies?: Proxies } {
  if (a === undefined || b === undefined) return {};
  return normalProxies(a === "any" ? b : b === "any" ? a : a.filter((one) => b.includes(one)));
}

/** In order and without doubles. */
export function normalProxies(proxies: Proxies | undefined): { readonly proxies?: Proxies } {
  if (proxies === undefined || proxies.length === 0) return {};
  return { proxies: proxies === "any" ? proxies : [...new Set(proxies)].sort() };
}
