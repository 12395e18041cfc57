import ipaddr from "ipaddr.js";
import { CofferdamError, visible } from "../errors.ts";

/**
 * One listed host. `name` is a DNS name in lower case without a final dot, `*.` and a name (every name below it, not
 * the name itself), `*` (every name and every address), or one IP address in canonical text. `port` null is every port.
 * `private` lets the name reach private addresses too; a listed address is reached whatever its class. With `at` the
 * name is reached at this one address, whatever its class, and at no other.
 */
export interface HostRule {
  readonly name: string;
  readonly port: number | null;
  readonly private: boolean;
  /** Canonical text; never on a rule whose name is an address. */
  readonly at?: string;
}

/**
 * The class of an address. `public` is routed worldwide; `private` is reached through an entry that says so; `special`
 * is everything else (loopback, link-local, metadata, multicast, reserved, tunnels), reached only if listed itself.
 */
export type AddressClass = "public" | "private" | "special";

/**
 * One connection attempt, in the spelling of `HostRule`. `serverName` is the requested name of a TLS hello, `""` if it
 * requests none; left out without a hello. With `proxy`, which resolves names itself, `address` is the host.
 */
export interface ConnectTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly serverName?: string;
  readonly proxy?: string;
}

/** The name of a rule that covers every name and every address. */
export const ANY_HOST = "*";

/** Metadata services outside the link-local ranges (cloud vendors' own documentation). */
const METADATA = new Set(["fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"]);

/** Reads `name[:port] [private | at address]`; an IPv6 address with a port is in brackets. Throws `HOST_INVALID`. */
export function parseHostRule(text: string): HostRule {
  const parts = RULE.exec(text.trim());
  const written = parts?.[1];
  if (parts === null || written === undefined)
    throw refused(text, "is not `name[:port] [private | at address]`");
  const port = parts[2] === undefined ? null : Number(parts[2]);
  if (port !== null && (port < 1 || port > 65535)) throw refused(text, "has a port outside 1 to 65535");
  const name = parseName(written, text);
  const [, , , isPrivate, at] = parts;
  if (at === undefined) return { name, port, private: isPrivate !== undefined };
  if (isAddress(name)) throw refused(text, "has no name before `at`", "write a name before `at`");
  if (!isAddress(at)) throw refused(text, "has no address after `at`", "write an IP address after `at`");
  return { name, port, private: false, at: canonicalAddress(at) };
}

const RULE = /^(\[[^\]]*\]|[^\s:]+|[0-9a-fA-F:.]+)(?::(\d{1,5}))?(?: +(?:(private)|at +(\S+)))?$/;

/** The rule in its written form. */
export function printHostRule(rule: HostRule): string {
  const name = rule.name.includes(":") && rule.port !== null ? `[${rule.name}]` : rule.name;
  const where = rule.at === undefined ? (rule.private ? " private" : "") : ` at ${rule.at}`;
  return `${name}${rule.port === null ? "" : `:${rule.port}`}${where}`;
}

/** True if the text is one IP address in a usual spelling: four decimal numbers, or IPv6 without a zone. */
export function isAddress(text: string): boolean {
  if (!text.includes(":")) return FOUR_NUMBERS.test(text);
  const end = text.slice(text.lastIndexOf(":") + 1);
  return ipaddr.IPv6.isValid(text) && !text.includes("%") && (!end.includes(".") || FOUR_NUMBERS.test(end));
}

const FOUR_NUMBERS = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}(?<!\.)$/;

/**
 * The class of a canonical address, by ipaddr.js's ranges after the IANA special-purpose registries. IANA assigns
 * public IPv6 addresses from 2000::/3 alone (https://www.iana.org/assignments/ipv6-address-space).
 */
export function addressClass(address: string): AddressClass {
  const parsed = ipaddr.process(address);
  if (METADATA.has(parsed.toString())) return "special";
  switch (parsed.range()) {
    case "unicast":
      return parsed instanceof ipaddr.IPv4 || parsed.match(ASSIGNED, 3) ? "public" : "special";
    case "private":
    case "uniqueLocal":
    case "carrierGradeNat":
      return "private";
    default:
      return "special";
  }
}

const ASSIGNED = ipaddr.IPv6.parse("2000::");

/** One canonical text for an address; a mapped IPv4 address is that IPv4 address. Throws `HOST_INVALID`. */
export function canonicalAddress(address: string): string {
  if (isAddress(address)) return ipaddr.process(address).toString();
  const message = `${visible(address)} is not an address, or has an unusual spelling`;
  throw new CofferdamError("HOST_INVALID", message, {
    hint: "write four decimal numbers, or IPv6 without a zone",
  });
}

/** True if the rule's name and port cover the requested host. */
export function coversName(rule: HostRule, host: string, port: number): boolean {
  return (rule.port === null || rule.port === port) && nameCovers(rule.name, host);
}

/** True if the rule alone allows this target; `listAllows` is for the rules of a list together. */
export function ruleAllows(rule: HostRule, target: ConnectTarget): boolean {
  if (!coversName(rule, target.host, target.port)) return false;
  if (isAddress(rule.name)) return target.address === rule.name;
  return isAddress(target.host) && rule.at !== undefined ? false : leadsTo(rule, target.address);
}

/**
 * True if one rule allows the target, or one the name and one the very address. Such an address could be requested
 * directly anyway, so no further server is reached. The pair only lets a listed name lead to it, which its DNS owner
 * decides.
 */
export function listAllows(rules: readonly HostRule[], target: ConnectTarget): boolean {
  if (rules.some((rule) => ruleAllows(rule, target))) return true;
  return listsAddress(rules, target) && rules.some((rule) => listsName(rule, target.host, target.port));
}

/** True if a rule lists the very address of a target, whether requested directly or by name. */
export function listsAddress(rules: readonly HostRule[], { host, port, address }: ConnectTarget): boolean {
  return rules.some((rule) =>
    rule.at === undefined
      ? coversName(rule, address, port) && rule.name === address
      : rule.at === address && !isAddress(host) && coversName(rule, host, port),
  );
}

/** True if the rule lists the name, at any address: it is no address rule, and names none. */
export function listsName(rule: HostRule, host: string, port: number): boolean {
  return rule.at === undefined && !isAddress(rule.name) && !isAddress(host) && coversName(rule, host, port);
}

/** True if a name that the rule covers may lead to the address, by this rule alone. */
export function leadsTo(rule: HostRule, address: string): boolean {
  if (rule.at !== undefined) return rule.at === address;
  const reached = addressClass(address);
  return reached === "public" || (reached === "private" && rule.private);
}

/** The rule for what both allow, or null: for every target, `ruleAllows(result) = ruleAllows(a) && ruleAllows(b)`. */
export function meetRules(a: HostRule, b: HostRule): HostRule | null {
  if (a.port !== null && b.port !== null && a.port !== b.port) return null;
  const name = nameCovers(a.name, b.name) ? b.name : nameCovers(b.name, a.name) ? a.name : null;
  if (name === null) return null;
  const port = a.port ?? b.port;
  const at = a.at ?? b.at;
  if (at === undefined) {
    if (!givesAddress(a, name) || !givesAddress(b, name)) return null;
    return normalRule({ name, port, private: a.private && b.private });
  }
  return !isAddress(name) && leadsTo(a, at) && leadsTo(b, at) ? { name, port, private: false, at } : null;
}

/** True if the rule, whose name covers the other, lets it be reached where it is an address: `*` lists none itself. */
export function givesAddress(rule: HostRule, name: string): boolean {
  return !isAddress(name) || ruleAllows({ ...rule, port: null }, { host: name, address: name, port: 0 });
}

/** Throws `HOST_INVALID` for an invalid port: the rule would cover nothing, and a `never` would bar nothing. */
export function assertPort({ name, port }: HostRule): void {
  if (port === null || (Number.isInteger(port) && port >= 1 && port <= 65535)) return;
  throw refused(`${name}:${port}`, "has a port outside 1 to 65535", "use `null` for every port");
}

/** A listed address is reached whatever its class, so `private` means nothing there, nor beside `at`. */
export function normalRule(rule: HostRule): HostRule {
  const saysNothing = isAddress(rule.name) || rule.at !== undefined;
  return rule.private && saysNothing ? { ...rule, private: false } : rule;
}

/** True when pattern `wide` covers every name that `name` (a name, address or pattern) covers. */
export function nameCovers(wide: string, name: string): boolean {
  if (wide === name || wide === ANY_HOST) return true;
  return (
    wide.startsWith("*.") && !isAddress(name) && name.endsWith(wide.slice(1)) && name.length > wide.length - 1
  );
}

function parseName(written: string, text: string): string {
  const bare = written.replace(/^\[(.*)\]$/, "$1");
  if (isAddress(bare)) return canonicalAddress(bare);
  const wild = bare.startsWith("*.");
  const name = (wild ? bare.slice(2) : bare).replace(/\.$/, "").toLowerCase();
  if (/[^\p{ASCII}]/u.test(bare)) throw refused(text, "is not ASCII", "write its `xn--` form");
  if (bare === ANY_HOST) return ANY_HOST;
  if (
    !/^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/.test(
      name,
    )
  ) {
    throw refused(text, "is neither a host name nor an address");
  }
  if (/^(0x[0-9a-f]*|\d+)$/.test(name.split(".").at(-1) ?? "")) {
    throw refused(text, "looks like an address in an unusual spelling", "write it as four decimal numbers");
  }
  return wild ? `*.${name}` : name;
}

function refused(
  text: string,
  what: string,
  hint = "write `name`, `name:443`, `*.name` or an address",
): CofferdamError {
  return new CofferdamError("HOST_INVALID", `the host rule ${visible(text)} ${what}`, { hint });
}
