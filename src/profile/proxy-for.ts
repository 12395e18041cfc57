import { addressClass, isAddress, nameCovers } from "./host-rule.ts";
import type { Network } from "./network.ts";
import { allowsProxy, proxiesOf, type Upstream, type UpstreamProxy } from "./upstream.ts";

/** Names that no list sends through a proxy: in a cloud it could be asked for its own machine's secrets. */
const NEVER_BY_PROXY = [
  ...["localhost", "*.localhost", "metadata", "instance-data", "*.internal"],
  ...["metadata.goog", "*.metadata.goog"],
] as const;

/**
 * The proxy for a host; null if it is reached directly: its rule places it on this machine or in the local network
 * (`private`, `at`), it is listed in `direct`, or no rule allows the proxy.
 */
export function proxyFor(
  upstream: Upstream | null,
  network: Network,
  { host, port }: { readonly host: string; readonly port: number },
  isPlain: boolean,
): UpstreamProxy | null {
  const proxy = isPlain ? upstream?.http : upstream?.https;
  if (upstream === null || proxy === undefined || proxy === null) return null;
  if (typeof network === "string" || !allowsProxy(network.proxies, proxy.url)) return null;
  if (isAddress(host) ? addressClass(host) !== "public" : NEVER_BY_PROXY.some((one) => nameCovers(one, host)))
    return null;
  if (upstream.direct.some((one) => isDirect(one, host, port))) return null;
  const isLocal = network.hosts.some(
    (rule) =>
      (rule.private || rule.at !== undefined) &&
      (rule.port === null || rule.port === port) &&
      nameCovers(rule.name, host),
  );
  return isLocal ? null : proxy;
}

/** The first layer that allows no host through one of the proxies, or null. */
export function layerWithoutProxy<Layer extends { readonly profile: { readonly network: Network } }>(
  upstream: Upstream,
  layers: readonly Layer[],
): Layer | null {
  const allows = ({ profile: { network } }: Layer): boolean =>
    typeof network === "string"
      ? network === "host"
      : proxiesOf(upstream).every((url) => allowsProxy(network.proxies, url));
  return layers.find((layer) => !allows(layer)) ?? null;
}

/** One entry of `NO_PROXY`: `*`, a name (dot or not) with all below it, or an address; with a port or without. */
function isDirect(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^(\[[^\]]*\]|[^:]*|[0-9a-f:.]*)(?::(\d+))?$/i.exec(entry.toLowerCase()) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const bare = name.replace(/^\[(.*)\]$/, "$1").replace(/^\*?\./, "");
  return bare !== "" && (host === bare || (!isAddress(host) && host.endsWith(`.${bare}`)));
}
