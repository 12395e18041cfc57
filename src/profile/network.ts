import {
  ANY_HOST,
  addressClass,
  assertPort,
  coversName,
  givesAddress,
  type HostRule,
  isAddress,
  meetRules,
  nameCovers,
  normalRule,
  printHostRule,
  ruleAllows,
  type Target,
} from "./host-rule.ts";

/**
 * What a call may reach: nothing; the listed hosts minus `never`; every public address; or the machine's
 * own network. The first three live in a network of the call's own.
 */
export type Network = "none" | HostList | "open" | "host";

/**
 * Listed hosts. `never` wins over `hosts`; its `private` mark says nothing. With `strictSni` a TLS hello must ask for the
 * very host that was named to the proxy, or for none where that is an address: one server may stand for many names.
 */
export interface HostList {
  readonly hosts: readonly HostRule[];
  readonly never: readonly HostRule[];
  readonly strictSni?: true;
}

/** True when the network lets this target be reached. */
export function reaches(network: Network, target: Target): boolean {
  if (network === "none" || network === "host") return network === "host";
  if (network === "open") return addressClass(target.address) === "public";
  const { hosts, never } = network;
  if (never.some((rule) => bars(rule, target))) return false;
  if (network.strictSni === true && !saysItsHost(target)) return false;
  return hosts.some((rule) => ruleAllows(rule, target));
}

/** True when a hello over TLS, if there is one, asks for the host that the target names. */
export function saysItsHost({ host, serverName }: Target): boolean {
  if (serverName === undefined) return true;
  return serverName === (isAddress(host) ? "" : host);
}

/**
 * True when the name may be reached where it leads to an address that may: for every target of it, `reaches` implies
 * this. An address as a host is all there is to know of it.
 */
export function reachesName(network: Network, host: string, port: number): boolean {
  if (isAddress(host)) return reaches(network, { host, address: host, port });
  if (typeof network === "string") return network !== "none";
  const covers = (rule: HostRule): boolean => coversName(rule, host, port);
  return network.hosts.some(covers) && !network.never.some(covers);
}

/** What both reach: for every target, `reaches(result) = reaches(a) && reaches(b)`. */
export function meetNetworks(a: Network, b: Network): Network {
  if (a === "none" || b === "none") return "none";
  if (a === "host") return b;
  if (b === "host") return a;
  if (a === "open") return b === "open" ? b : publicOnly(b);
  if (b === "open") return publicOnly(a);
  return normalNetwork({
    hosts: meetLists(a.hosts, b.hosts),
    never: [...a.never, ...b.never],
    ...(a.strictSni === true || b.strictSni === true ? { strictSni: true } : {}),
  });
}

/**
 * The one spelling of a network: rules in order, without doubles; an empty list is none, and every public address on every
 * port is open. Throws `HOST_INVALID` for a port that is none.
 */
export function normalNetwork(network: Network): Network {
  if (typeof network === "string") return network;
  for (const rule of [...network.hosts, ...network.never]) assertPort(rule);
  const hosts = dropCovered(network.hosts.map(normalRule));
  if (hosts.length === 0) return "none";
  const never = dropCovered(network.never.map((rule) => ({ ...rule, private: false })));
  const isStrict = network.strictSni === true;
  const [only] = hosts.length === 1 && never.length === 0 && !isStrict ? hosts : [];
  if (only?.name === ANY_HOST && only.port === null && !only.private) return "open";
  return { hosts, never, ...(isStrict ? { strictSni: true } : {}) };
}

/** True when the network lets something of a rule be reached, as far as names tell. */
export function reachesSome(network: Network, rule: HostRule): boolean {
  if (network === "none" || network === "host") return network === "host";
  if (network === "open") return !isAddress(rule.name) || addressClass(rule.name) === "public";
  const isBarred = network.never.some(
    (one) => (one.port === null || one.port === rule.port) && nameCovers(one.name, rule.name),
  );
  return !isBarred && network.hosts.some((one) => meetRules(one, rule) !== null);
}

/** True when a `never` rule forbids the target: by the name asked for or by the address it led to. */
export function bars(rule: HostRule, target: Target): boolean {
  return coversName(rule, target.host, target.port) || coversName(rule, target.address, target.port);
}

/** The part of the list that leads to public addresses. */
function publicOnly(list: HostList): Network {
  const hosts = list.hosts
    .filter((rule) => !isAddress(rule.name) || addressClass(rule.name) === "public")
    .map((rule) => ({ ...rule, private: false }));
  return normalNetwork({ ...list, hosts });
}

/** Rules that can meet have names of which one covers the other, so only such pairs are looked at. */
function meetLists(a: readonly HostRule[], b: readonly HostRule[]): readonly HostRule[] {
  return [...meetCovering(a, b), ...meetCovering(b, a)];
}

function meetCovering(rules: readonly HostRule[], wider: readonly HostRule[]): readonly HostRule[] {
  const listed = Map.groupBy(wider, (rule) => rule.name);
  return rules.flatMap((rule) =>
    coveringNames(rule.name)
      .flatMap((name) => listed.get(name) ?? [])
      .flatMap((other) => meetRules(rule, other) ?? []),
  );
}

/** Every spelling of a rule's name that covers this name: itself, `*`, and `*.` with each tail of what is no address. */
export function coveringNames(name: string): readonly string[] {
  if (name === ANY_HOST) return [name];
  const names = [name, ANY_HOST];
  if (isAddress(name)) return names;
  let dot = name.indexOf(".", name.startsWith("*.") ? 2 : 0);
  for (; dot >= 0; dot = name.indexOf(".", dot + 1)) names.push(`*${name.slice(dot)}`);
  return names;
}

function dropCovered(rules: readonly HostRule[]): readonly HostRule[] {
  const unique = [...new Map(rules.map((rule) => [printHostRule(rule), rule])).entries()];
  const listed = Map.groupBy(
    unique.map(([, rule]) => rule),
    (rule) => rule.name,
  );
  const covered = (rule: HostRule): boolean =>
    coveringNames(rule.name).some((name) =>
      (listed.get(name) ?? []).some((other) => other !== rule && coversRule(other, rule)),
    );
  return unique
    .filter(([, rule]) => !covered(rule))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, rule]) => rule);
}

/** True when `wide`, whose name covers the other's, allows all that the other allows. */
function coversRule(wide: HostRule, rule: HostRule): boolean {
  if (wide.port !== null && wide.port !== rule.port) return false;
  return (wide.private || !rule.private) && givesAddress(wide, rule.name);
}
