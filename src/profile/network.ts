import {
  ANY_HOST,
  addressClass,
  assertPort,
  type ConnectTarget,
  coversName,
  type HostRule,
  isAddress,
  leadsTo,
  listAllows,
  listsName,
  meetRules,
  nameCovers,
  normalRule,
  printHostRule,
} from "./host-rule.ts";
import { allowsProxy, meetProxies, normalProxies, type Proxies } from "./upstream.ts";

/** Nothing, the listed hosts, every public address, or (`host`) the machine's own network instead of the call's own. */
export type Network = "none" | HostList | "open" | "host";

/**
 * Listed hosts. `never` wins over `hosts`; its `private` mark means nothing. With `strictSni` a TLS hello must request
 * the host that was named to the proxy, or none if that is an address: one server may serve many names.
 */
export interface HostList {
  readonly hosts: readonly HostRule[];
  readonly never: readonly HostRule[];
  readonly strictSni?: true;
  /** Proxies that may resolve a listed name to any address; none if left out. */
  readonly proxies?: Proxies;
}

/** True when the network lets this target be reached. */
export function reaches(network: Network, target: ConnectTarget): boolean {
  if (network === "none" || network === "host") return network === "host";
  if (target.proxy !== undefined) return network !== "open" && reachesBy(network, target, target.proxy);
  if (network === "open") return addressClass(target.address) === "public";
  const { hosts, never } = network;
  if (never.some((rule) => bars(rule, target))) return false;
  if (network.strictSni === true && !saysItsHost(target)) return false;
  return listAllows(hosts, target);
}

/** Through a proxy the address is unknown, so a list that bars some address bars all names through it on that port. */
function reachesBy(list: HostList, target: ConnectTarget, proxy: string): boolean {
  const { host, port } = target;
  if (!allowsProxy(list.proxies, proxy)) return false;
  if (isAddress(host)) return reaches(list, { ...withoutProxy(target), address: host });
  if (list.never.some((rule) => barsByProxy(rule, host, port))) return false;
  if (list.strictSni === true && !saysItsHost(target)) return false;
  return list.hosts.some((rule) => listsName(rule, host, port));
}

function withoutProxy(target: ConnectTarget): ConnectTarget {
  const { proxy: _, ...direct } = target;
  return direct;
}

/** True if a `never` rule forbids a name that a proxy resolves: by name, or as it may have a forbidden address. */
export function barsByProxy(rule: HostRule, host: string, port: number): boolean {
  return coversName(rule, host, port) || (isAddress(rule.name) && (rule.port ?? port) === port);
}

/** True if a hello over TLS, if there is one, requests the target's host. */
export function saysItsHost({ host, serverName }: ConnectTarget): boolean {
  if (serverName === undefined) return true;
  return serverName === (isAddress(host) ? "" : host);
}

/** True if the name may be reached at an allowed address: `reaches` implies it. For an address this decides alone. */
export function reachesName(network: Network, host: string, port: number): boolean {
  if (isAddress(host)) return reaches(network, { host, address: host, port });
  if (typeof network === "string") return network !== "none";
  const covers = (rule: HostRule): boolean => coversName(rule, host, port);
  return network.hosts.some(covers) && !network.never.some((rule) => rule.at === undefined && covers(rule));
}

/** The network of what both reach: for every target, `reaches(result) = reaches(a) && reaches(b)`. */
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
    ...meetProxies(a.proxies, b.proxies),
  });
}

/**
 * The one spelling of a network: rules in order, without duplicates; an empty list is `none`, and every public address
 * on every port is `open`. Throws `HOST_INVALID` for an invalid port.
 */
export function normalNetwork(network: Network): Network {
  if (typeof network === "string") return network;
  for (const rule of [...network.hosts, ...network.never]) assertPort(rule);
  const hosts = dropCovered(network.hosts.map(normalRule));
  if (hosts.length === 0) return "none";
  const never = dropCovered(network.never.map((rule) => ({ ...rule, private: false })));
  const isStrict = network.strictSni === true;
  const [only] = hosts.length === 1 && never.length === 0 && !isStrict ? hosts : [];
  const isWhole = only !== undefined && only.port === null && only.at === undefined && !only.private;
  const proxies = normalProxies(network.proxies);
  if (isWhole && only.name === ANY_HOST && proxies.proxies === undefined) return "open";
  return { hosts, never, ...(isStrict ? { strictSni: true } : {}), ...proxies };
}

/** True if the network lets something of a rule be reached, as far as names tell. */
export function reachesSome(network: Network, rule: HostRule): boolean {
  if (network === "none" || network === "host") return network === "host";
  if (network === "open") return mayBePublic(rule);
  const isBarred = network.never.some(
    (one) =>
      (one.at === undefined || one.at === rule.at) &&
      (one.port === null || one.port === rule.port) &&
      nameCovers(one.name, rule.name),
  );
  return !isBarred && meetLists(network.hosts, [rule]).length > 0;
}

/** True if a `never` rule forbids the target: by the requested name or by its address, or by both with `at`. */
export function bars(rule: HostRule, { host, address, port }: ConnectTarget): boolean {
  if (rule.at !== undefined) return rule.at === address && coversName(rule, host, port);
  return coversName(rule, host, port) || coversName(rule, address, port);
}

function publicOnly(given: HostList): Network {
  const { proxies: _, ...list } = given;
  const hosts = list.hosts.filter(mayBePublic).map((rule) => ({ ...rule, private: false }));
  return normalNetwork({ ...list, hosts });
}

function mayBePublic({ name, at = name }: HostRule): boolean {
  return !isAddress(at) || addressClass(at) === "public";
}

/**
 * The rules for what two lists allow together. A name and an address of one list allow more than either alone; where
 * the other list allows that by `private` or by `at`, the result is the name at this address.
 */
function meetLists(a: readonly HostRule[], b: readonly HostRule[]): readonly HostRule[] {
  return [...meetEach(a, b), ...meetTogether(a, b), ...meetTogether(b, a)];
}

/** Rules overlap only if the name of one covers the other's, so only such pairs are compared. */
function meetEach(a: readonly HostRule[], b: readonly HostRule[]): readonly HostRule[] {
  return [...meetCovering(a, b), ...meetCovering(b, a)];
}

function meetTogether(rules: readonly HostRule[], others: readonly HostRule[]): readonly HostRule[] {
  const wider = others.filter((rule) => rule.private || rule.at !== undefined);
  if (wider.length === 0) return [];
  const names = rules.filter((rule) => rule.at === undefined && !isAddress(rule.name));
  return rules.flatMap(({ name: at, port }) => {
    // If a listed name leads to public addresses anyway, the pair of names covers it.
    if (!isAddress(at) || addressClass(at) === "public") return [];
    const together = names.flatMap((rule): HostRule[] =>
      port === null || rule.port === null || port === rule.port
        ? [{ name: rule.name, port: port ?? rule.port, private: false, at }]
        : [],
    );
    return meetEach(together, wider);
  });
}

function meetCovering(rules: readonly HostRule[], wider: readonly HostRule[]): readonly HostRule[] {
  const listed = Map.groupBy(wider, (rule) => rule.name);
  return rules.flatMap((rule) =>
    coveringNames(rule.name)
      .flatMap((name) => listed.get(name) ?? [])
      .flatMap((other) => meetRules(rule, other) ?? []),
  );
}

/** Every rule name that covers this name: itself, `*`, and `*.` with each tail of a name that is no address. */
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
  const isListed = (names: readonly string[], test: (rule: HostRule) => boolean): boolean =>
    names.some((name) => (listed.get(name) ?? []).some(test));
  const covered = (rule: HostRule): boolean => {
    const names = coveringNames(rule.name);
    if (isListed(names, (other) => other !== rule && coversRule(other, rule))) return true;
    const { at, port } = rule;
    const isForPort = (other: HostRule): boolean =>
      other.at === undefined && (other.port === null || other.port === port);
    return at !== undefined && isListed([at], isForPort) && isListed(names, isForPort);
  };
  return unique
    .filter(([, rule]) => !covered(rule))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, rule]) => rule);
}

/**
 * True if `wide`, whose name covers the other's, allows all that the other allows. A listed address is kept beside `*`:
 * one of this machine's own is reached by that alone.
 */
function coversRule(wide: HostRule, rule: HostRule): boolean {
  if (wide.port !== null && wide.port !== rule.port) return false;
  if (isAddress(wide.name) !== isAddress(rule.name)) return false;
  if (wide.at === undefined && rule.at !== undefined) return leadsTo(wide, rule.at);
  if (wide.at !== rule.at) return false;
  return wide.private || !rule.private;
}
