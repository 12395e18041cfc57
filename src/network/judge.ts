import ipaddr from "ipaddr.js";
import type { Outside, Resolve } from "../host/look/outside.ts";
import {
  addressClass,
  type ConnectTarget,
  canonicalAddress,
  coversName,
  isAddress,
  listsAddress,
} from "../profile/host-rule.ts";
import { bars, type Network, reaches } from "../profile/network.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";

/** Why a host is not connected to, as a word for callers. */
export type RefusedBecause = "unlisted" | "never" | "no-address" | "private" | "special";

/** The result of judging a host: the addresses that may be connected to, or why there are none. */
export type Judged =
  | { readonly kind: "reachable"; readonly targets: readonly [ConnectTarget, ...ConnectTarget[]] }
  /** Not looked up: the proxy resolves it. */
  | { readonly kind: "by-proxy"; readonly proxy: UpstreamProxy }
  | {
      readonly kind: "refused";
      readonly because: RefusedBecause;
      readonly reason: string;
      /** The address that the name resolves to, if that is the reason. */
      readonly address?: string;
    };

/**
 * Decides whether a host may be reached. Its name comes first, so that no disallowed name is looked up: a look-up can
 * carry data away. Then each address that the name has now; an address of this machine is reached if it is listed
 * itself, and by `host`. Connect only to the returned addresses: a second look-up could return others. `host` is in the
 * spelling of `HostRule`.
 */
export async function judgeHost(
  network: Network,
  { host, port }: Pick<ConnectTarget, "host" | "port">,
  { resolve, isOwn, proxy = null }: Judging,
  signal: AbortSignal | null = null,
): Promise<Judged> {
  const byName = whyNotByName(network, host, port);
  if (byName !== null) return { kind: "refused", ...byName };
  if (proxy !== null) return judgeByProxy(network, { host, port }, proxy);
  const found = isAddress(host) ? [host] : await lookedUp(host, resolve, signal);
  if (found.length === 0)
    return { kind: "refused", because: "no-address", reason: `the name \`${host}\` has no address` };
  const targets = [...new Set(found.flatMap(canonical))].map(
    (address): ConnectTarget => ({ host, address, port }),
  );
  const reached = targets.filter((target) => reaches(network, target));
  if (reached.length === 0) return { kind: "refused", ...whyNotByAddress(network, targets[0] ?? null, host) };
  const [first, ...rest] = await withoutOwn(reached, network, isOwn);
  if (first !== undefined) return { kind: "reachable", targets: [first, ...rest] };
  const address = reached[0]?.address ?? host;
  return {
    kind: "refused",
    because: "special",
    reason: `\`${host}\` has the address ${address} of this machine`,
    address,
  };
}

/** The means to judge a host: name resolution, and the upstream proxy, if any. */
export interface Judging extends Pick<Outside, "resolve" | "isOwn"> {
  readonly proxy?: UpstreamProxy | null;
}

function judgeByProxy(
  network: Network,
  place: Pick<ConnectTarget, "host" | "port">,
  proxy: UpstreamProxy,
): Judged {
  if (reaches(network, { ...place, address: place.host, proxy: proxy.url }))
    return { kind: "by-proxy", proxy };
  const reason = `\`never\` lists an address, and the proxy ${proxy.url} may resolve \`${place.host}\` to it`;
  return { kind: "refused", because: "never", reason };
}

/** One after another: a name may have very many addresses. */
async function withoutOwn(
  targets: readonly ConnectTarget[],
  network: Network,
  isOwn: Outside["isOwn"],
): Promise<readonly ConnectTarget[]> {
  const others: ConnectTarget[] = [];
  for (const target of targets) {
    const isGiven = network === "host" || listsItself(network, target);
    if (isGiven || !(await isOwn(target.address))) others.push(target);
  }
  return others;
}

/** True if the exact address is listed: a server that only this machine can reach is reached from here. */
function listsItself(network: Network, target: ConnectTarget): boolean {
  return typeof network === "object" && listsAddress(network.hosts, target);
}

type Why = Omit<Extract<Judged, { readonly kind: "refused" }>, "kind">;

/** Why a host is refused regardless of its address; null if its address decides. */
function whyNotByName(network: Network, host: string, port: number): Why | null {
  const unlisted: Why = {
    because: "unlisted",
    reason: `\`${host}\` on port ${port} is not among the allowed hosts`,
  };
  if (network === "none") return unlisted;
  if (typeof network === "string") return null;
  if (network.never.some((rule) => rule.at === undefined && coversName(rule, host, port)))
    return { because: "never", reason: `\`never\` lists \`${host}\`` };
  return network.hosts.some((rule) => coversName(rule, host, port)) ? null : unlisted;
}

function whyNotByAddress(network: Network, target: ConnectTarget | null, host: string): Why {
  if (target === null)
    return { because: "special", reason: `\`${host}\` has an address of only one network link` };
  const { address } = target;
  if (typeof network === "object" && network.never.some((rule) => bars(rule, target)))
    return { because: "never", reason: `\`${host}\` has the address ${address}, which \`never\` lists` };
  const because = addressClass(address) === "private" ? "private" : "special";
  return { because, reason: `\`${host}\` has the address ${address}, ${kindOf(address)}`, address };
}

function kindOf(address: string): string {
  if (addressClass(address) === "private") return "a private address";
  switch (ipaddr.process(address).range()) {
    case "loopback":
      return "a loopback address";
    case "unspecified":
      return "an unspecified address";
    case "linkLocal":
      return "a link-local address";
    default:
      return "an address outside the public internet";
  }
}

/** An address with a zone, or in an unusual spelling, can't be judged. */
function canonical(address: string): readonly string[] {
  return isAddress(address) ? [canonicalAddress(address)] : [];
}

/** The addresses of a name; none if it does not resolve. Rejects with the signal's reason. */
async function lookedUp(
  name: string,
  resolve: Resolve,
  signal: AbortSignal | null,
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const given = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([resolve(name).catch(() => []), given]);
  } finally {
    over.abort();
  }
}
