import { CofferdamError, visible } from "../../errors.ts";
import { canonicalHost } from "../../profile/host-name.ts";
import { isAddress } from "../../profile/host-rule.ts";

/** A longer URL is refused: servers refuse most of those too. */
export const MOST_URL_LENGTH = 8192;

/** A page's place, in the one spelling that is shown, judged and fetched. */
export interface PageAddress {
  /** What is fetched; without user, password and fragment. */
  readonly href: string;
  readonly protocol: "http:" | "https:";
  /** A name in lower case without a final dot, or an address in canonical text: the spelling of `HostRule`. */
  readonly host: string;
  readonly port: number;
}

/**
 * Reads a URL as the WHATWG standard does (https://url.spec.whatwg.org), from `base` where it is relative, so that odd
 * spellings of a host come out as one. Throws `USAGE` for what is no page that can be fetched.
 */
export function pageAddress(text: string, base?: string): PageAddress {
  if (text.length > MOST_URL_LENGTH) throw refused("the URL", `has more than ${MOST_URL_LENGTH} characters`);
  const url = URL.parse(text, base);
  if (url === null) throw refused(visible(text), "is no URL");
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw refused(visible(text), "is neither http nor https");
  if (url.username !== "" || url.password !== "")
    throw refused("the URL", "holds a user or a password, which is never sent");
  const host = hostOf(url.hostname, text);
  url.hash = "";
  // The name as it is judged is also the name that the server is asked for.
  url.hostname = host.includes(":") ? `[${host}]` : host;
  const port = url.port === "" ? DEFAULT_PORTS[protocol] : Number(url.port);
  if (port === 0) throw refused(visible(text), "has a port outside 1 to 65535");
  return { href: url.href, protocol, host, port };
}

const DEFAULT_PORTS = { "http:": 80, "https:": 443 } as const;

/** The ports that pages are at where nobody says another. */
export const PAGE_PORTS: readonly number[] = [443, 80];

/** The host as people name it: with its port where that is not a page's usual one. */
export function printHost({ host, port }: Pick<PageAddress, "host" | "port">): string {
  const bare = host.includes(":") ? `[${host}]` : host;
  return PAGE_PORTS.includes(port) ? bare : `${bare}:${port}`;
}

/**
 * A domain as somebody writes it, in the spelling of a host rule; international names in their `xn--` form. Throws
 * `USAGE` for what is no single name.
 */
export function domainName(text: string): string {
  if (/[\s:/?#@\\%[\]*]/u.test(text)) throw refused(visible(text), "is not one domain name");
  const url = URL.parse(`https://${text}/`);
  if (url === null || url.hostname === "") throw refused(visible(text), "is no domain name");
  return hostOf(url.hostname, text);
}

function hostOf(hostname: string, text: string): string {
  try {
    return canonicalHost(hostname);
  } catch (cause) {
    throw refused(visible(text), "has a host that is neither a name nor an address", cause);
  }
}

/**
 * Why a host can't be one that the public internet has: it has one word alone, or stands under a name for private use
 * (RFC 6761, RFC 6762 with its appendix G, RFC 8375, RFC 9476; ICANN's `.internal`). Null for a name that can.
 */
export function whyNotPublic(host: string): string | null {
  if (isAddress(host)) return null;
  const labels = host.split(".");
  if (labels.length === 1) return "a name of one word is found on the local network alone";
  const found = PRIVATE_NAMES.find((name) => host.endsWith(`.${name}`));
  return found === undefined ? null : `names under \`.${found}\` are for private use`;
}

const PRIVATE_NAMES: readonly string[] = [
  ...["localhost", "local", "internal", "home.arpa", "onion", "alt", "invalid"],
  ...["intranet", "private", "corp", "home", "lan", "localdomain"],
];

function refused(what: string, why: string, cause?: unknown): CofferdamError {
  return new CofferdamError("USAGE", `${what} ${why}`, {
    hint: "write `https://` and the host's name, as in `https://docs.example.org/page`",
    ...(cause === undefined ? {} : { cause }),
  });
}
