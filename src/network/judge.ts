import ipaddr from "ipaddr.js";
import type { Outside, Resolve } from "../host/outside.ts";
import {
  addressClass,
  canonicalAddress,
  coversName,
  isAddress,
  listsAddress,
  type Target,
} from "../profile/host-rule.ts";
import { bars, type Network, reaches } from "../profile/network.ts";
import type { UpstreamProxy } from "../profile/upstream.ts";

/** Why a host is not connected to, as a word that callers can tell apart. */
export type RefusedBecause = "unlisted" | "never" | "no-address" | "private" | "special";

/** What became of looking at a host: the addresses that may be connected to, or why there is none. */
export type Judged =
  | { readonly kind: "reachable"; readonly targets: readonly [Target, ...Target[]] }
  /** Not looked up: the proxy finds it. */
  | { readonly kind: "by-proxy"; readonly proxy: UpstreamProxy }
  | {
      readonly kind: "refused";
      readonly because: RefusedBecause;
      readonly reason: string;
      /** Where the name leads, if that is why. */
      readonly address?: string;
    };

/**
 * Decides whether a host is reached, by its name first, so that no name is looked up that is not allowed: a look-up can
 * carry data away. Then by each address that the name has now; one of this machine's own is reached where it is listed itself,
 * and by `host`. Only the addresses that are answered may be connected to:
 * to look the name up once more would be to trust another answer. `host` is in the spelling of `HostRule`.
 */
export async function judgeHost(
  network: Network,
  { host, port }: Pick<Target, "host" | "port">,
  { resolve, isOwn, proxy = null }: Judging,
  signal: AbortSignal | null = null,
): Promise<Judged> {
  const byName = whyNotByName(network, host, port);
  if (byName !== null) return { kind: "refused", ...byName };
  if (proxy !== null) return judgeByProxy(network, { host, port }, proxy);
  const found = isAddress(host) ? [host] : await lookedUp(host, resolve, signal);
  if (found.length === 0)
    return { kind: "refused", because: "no-address", reason: `the name \`${host}\` leads to no address` };
  const targets = [...new Set(found.flatMap(canonical))].map((address): Target => ({ host, address, port }));
  const reached = targets.filter((target) => reaches(network, target));
  if (reached.length === 0) return { kind: "refused", ...whyNotByAddress(network, targets[0] ?? null, host) };
  const [first, ...rest] = await withoutOwn(reached, network, isOwn);
  if (first !== undefined) return { kind: "reachable", targets: [first, ...rest] };
  const address = reached[0]?.address ?? host;
  return {
    kind: "refused",
    because: "special",
    reason: `\`${host}\` leads to ${address}, an address of this machine`,
    address,
  };
}

/** What a host is judged with: how names are looked up here, and the proxy that it is reached by instead, if any. */
export interface Judging extends Pick<Outside, "resolve" | "isOwn"> {
  readonly proxy?: UpstreamProxy | null;
}

function judgeByProxy(network: Network, place: Pick<Target, "host" | "port">, proxy: UpstreamProxy): Judged {
  if (reaches(network, { ...place, address: place.host, proxy: proxy.url }))
    return { kind: "by-proxy", proxy };
  const reason = `\`never\` lists an address, and nobody here knows where the proxy ${proxy.url} finds \`${place.host}\``;
  return { kind: "refused", because: "never", reason };
}

/** One after another: a name may lead to very many. */
async function withoutOwn(
  targets: readonly Target[],
  network: Network,
  isOwn: Outside["isOwn"],
): Promise<readonly Target[]> {
  const others: Target[] = [];
  for (const target of targets) {
    const isGiven = network === "host" || listsItself(network, target);
    if (isGiven || !(await isOwn(target.address))) others.push(target);
  }
  return others;
}

/** True where the very address is listed: what a server of this machine lets nobody else reach is reached from here. */
function listsItself(network: Network, target: Target): boolean {
  return typeof network === "object" && listsAddress(network.hosts, target);
}

type Why = Omit<Extract<Judged, { readonly kind: "refused" }>, "kind">;

/** Why a host is refused whatever address it has; null when its address decides. */
function whyNotByName(network: Network, host: string, port: number): Why | null {
  const unlisted: Why = {
    because: "unlisted",
    reason: `\`${host}\` on port ${port} is not among the hosts that may be reached`,
  };
  if (network === "none") return unlisted;
  if (typeof network === "string") return null;
  if (network.never.some((rule) => rule.at === undefined && coversName(rule, host, port)))
    return { because: "never", reason: `\`${host}\` is among the hosts that are never reached` };
  return network.hosts.some((rule) => coversName(rule, host, port)) ? null : unlisted;
}

function whyNotByAddress(network: Network, target: Target | null, host: string): Why {
  if (target === null)
    return { because: "special", reason: `\`${host}\` leads to an address of one network link alone` };
  const { address } = target;
  if (typeof network === "object" && network.never.some((rule) => bars(rule, target)))
    return { because: "never", reason: `\`${host}\` leads to ${address}, which is never reached` };
  const because = addressClass(address) === "private" ? "private" : "special";
  return { because, reason: `\`${host}\` leads to ${address}, ${kindOf(address)}`, address };
}

function kindOf(address: string): string {
  if (addressClass(address) === "private") return "a private address";
  switch (ipaddr.process(address).range()) {
    case "loopback":
      return "a loopback address";
    case "unspecified":
      return "an address that means this machine";
    case "linkLocal":
      return "a link-local address";
    default:
      return "an address that is not the public internet's";
  }
}

/** An address with a zone, or in an unusual spelling, is none that can be judged. */
function canonical(address: string): readonly string[] {
  return isAddress(address) ? [canonicalAddress(address)] : [];
}

/** What the name leads to; nothing where it leads nowhere. Rejects with the signal's reason. */
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
