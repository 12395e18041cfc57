import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { canonicalHost } from "../../profile/host-name.ts";
import { isAddress } from "../../profile/host-rule.ts";

/** The maximum length of a URL: most servers reject longer ones too. */
export const MAX_URL_LENGTH = 8192;

/** The address of a page, in the one spelling that is shown, judged and fetched. */
export interface PageAddress {
  /** The fetched URL, without user, password and fragment. */
  readonly href: string;
  readonly protocol: "http:" | "https:";
  /** A name in lower case without a final dot, or an address in canonical text: the spelling of `HostRule`. */
  readonly host: string;
  readonly port: number;
}

/** The schema of a text of at most `length` characters that `read` parses: its `CofferdamError` is an issue. */
export function readText(length: number, read: (text: string) => string): z.ZodType<string, string> {
  return z
    .string()
    .min(1)
    .max(length)
    .transform((text, context) => {
      try {
        return read(text);
      } catch (error) {
        if (!(error instanceof CofferdamError)) throw error;
        context.addIssue({ code: "custom", message: error.message });
        return z.NEVER;
      }
    });
}

/** Parses a URL as the WHATWG standard does (https://url.spec.whatwg.org), relative to `base`. Throws `USAGE`. */
export function pageAddress(text: string, base?: string): PageAddress {
  if (text.length > MAX_URL_LENGTH) throw refused("the URL", `has more than ${MAX_URL_LENGTH} characters`);
  const url = URL.parse(text, base);
  if (url === null) throw refused(visible(text), "is not a URL");
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:")
    throw refused(visible(text), "is neither http nor https");
  if (url.username !== "" || url.password !== "")
    throw refused("the URL", "contains a user name or a password, which are never sent");
  const host = hostOf(url.hostname, text);
  url.hash = "";
  // The judged name is also the name in the request to the server.
  url.hostname = host.includes(":") ? `[${host}]` : host;
  const port = url.port === "" ? DEFAULT_PORTS[protocol] : Number(url.port);
  if (port === 0) throw refused(visible(text), "has a port outside 1 to 65535");
  return { href: url.href, protocol, host, port };
}

const DEFAULT_PORTS = { "http:": 80, "https:": 443 } as const;

/** The default ports of pages. */
export const PAGE_PORTS: readonly number[] = [443, 80];

/** The host as people name it: with its port if that is not a default port. */
export function printHost({ host, port }: Pick<PageAddress, "host" | "port">): string {
  const bare = host.includes(":") ? `[${host}]` : host;
  return PAGE_PORTS.includes(port) ? bare : `${bare}:${port}`;
}

/** A domain as host rules spell it; international names in `xn--` form. Throws `USAGE` for anything but one name. */
export function domainName(text: string): string {
  if (/[\s:/?#@\\%[\]*]/u.test(text)) throw refused(visible(text), "is not one domain name");
  const url = URL.parse(`https://${text}/`);
  if (url === null || url.hostname === "") throw refused(visible(text), "is not a domain name");
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
 * Why a host can't be on the public internet: it is a single label, or under a name for private use (RFC 6761, RFC 6762
 * with its appendix G, RFC 8375, RFC 9476; ICANN's `.internal`). Null for a possible name.
 */
export function whyNotPublic(host: string): string | null {
  if (isAddress(host)) return null;
  const labels = host.split(".");
  if (labels.length === 1) return "a name of one word exists only on the local network";
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
