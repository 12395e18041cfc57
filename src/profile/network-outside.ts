import { ANY_HOST, type ConnectTarget, type HostRule, isAddress, nameCovers } from "./host-rule.ts";
import { coveringNames, type Network, reaches } from "./network.ts";

/**
 * A target that `a` reaches and `b` does not, or null. Rules tell targets apart only by names, tails, ports, addresses,
 * and whether a hello names another host, so testing one of each kind tests all.
 */
export function networkOutside(a: Network, b: Network): ConnectTarget | "host" | null {
  if (a === "none" || b === "host" || a === b) return null;
  if (a === "host") return "host";
  const rules = [...rulesOf(a), ...rulesOf(b)];
  const proxies = proxiesIn(a, b);
  for (const target of targetsOf(a === "open" ? [EVERY_PUBLIC] : a.hosts, rules))
    for (const way of [target, ...proxies.map((proxy) => ({ ...target, address: target.host, proxy }))])
      for (const said of [way, { ...way, serverName: ELSEWHERE }])
        if (reaches(a, said) && !reaches(b, said)) return said;
  return null;
}

function proxiesIn(a: Network, b: Network): readonly string[] {
  const listed = [a, b].map((one) => (typeof one === "string" ? undefined : one.proxies));
  if (listed[0] === undefined) return [];
  const named = listed.flatMap((one) => (one === undefined || one === "any" ? [] : one));
  return [...new Set([...named, ANOTHER_PROXY])];
}

/** A proxy that no list contains, since no host is at this port. */
const ANOTHER_PROXY = "http://witness.example:0";

const EVERY_PUBLIC: HostRule = { name: ANY_HOST, port: null, private: false };

/** A server name that no host has, since a name has no space. */
const ELSEWHERE = "another name";

/** One target of every kind that the rules can tell apart, among those that `hosts` could reach. */
function* targetsOf(hosts: readonly HostRule[], rules: readonly HostRule[]): Generator<ConnectTarget> {
  const listed = [...new Set(rules.map(({ name, at }) => at ?? name))].filter(isAddress);
  const addresses = [unlistedAddress(rules, 23), unlistedAddress(rules, 10), ...listed];
  for (const rule of hosts) {
    const related = [rule, ...rules].filter(
      ({ name }) => isAddress(name) || nameCovers(rule.name, name) || nameCovers(name, rule.name),
    );
    const ports = rule.port === null ? distinctPorts(related) : [rule.port];
    // A proxy can be asked for an address as well, and an unlisted one is a kind of its own.
    const bare = rule.name === ANY_HOST ? addresses : [];
    for (const host of new Set([...related.map(({ name }) => oneHost(name, rules)), ...bare])) {
      if (!nameCovers(rule.name, host)) continue;
      for (const port of ports) {
        for (const address of isAddress(host) ? [host] : addresses) yield { host, address, port };
      }
    }
  }
}

/** The host of a rule; for a wildcard, one that it covers and no narrower rule does. */
function oneHost(name: string, rules: readonly HostRule[]): string {
  if (name === ANY_HOST) return unlistedName(rules);
  if (!name.startsWith("*.")) return name;
  const names = new Set(rules.map((rule) => rule.name));
  return firstOf(
    (count) => `witness-${count}${name.slice(1)}`,
    (host) => !names.has(host),
  );
}

function distinctPorts(rules: readonly HostRule[]): readonly number[] {
  const ports = new Set(rules.flatMap((rule) => rule.port ?? []));
  return [
    ...ports,
    firstOf(
      (count) => (count === 0 ? 443 : 39_999 + count),
      (port) => !ports.has(port),
    ),
  ];
}

function unlistedName(rules: readonly HostRule[]): string {
  const names = new Set(rules.map((rule) => rule.name));
  return firstOf(
    (count) => `witness.example-${count}`,
    (host) => coveringNames(host).every((name) => name === ANY_HOST || !names.has(name)),
  );
}

/** An address of the block that is in no rule. The first byte 10 is private, and 23 is public. */
function unlistedAddress(rules: readonly HostRule[], firstByte: number): string {
  const names = new Set(rules.map(({ name, at }) => at ?? name));
  return firstOf(
    (count) => `${firstByte}.${count >> 8}.${count & 255}.1`,
    (address) => !names.has(address),
  );
}

function firstOf<Value>(make: (count: number) => Value, accepts: (value: Value) => boolean): Value {
  for (let count = 0; ; count += 1) {
    const value = make(count);
    if (accepts(value)) return value;
  }
}

function rulesOf(network: Network): readonly HostRule[] {
  return typeof network === "string" ? [] : [...network.hosts, ...network.never];
}
