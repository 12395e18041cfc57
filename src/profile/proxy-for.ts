import { addressClass, isAddress, nameCovers } from "./host-rule.ts";
import type { Network } from "./network.ts";
import { allowsProxy, proxiesOf, type Upstream, type UpstreamProxy } from "./upstream.ts";

/**
 * Names of this machine and of services that tell a machine its secrets: no proxy is asked for them, whichever list
 * covers them. Else a proxy in a cloud could be asked for its own.
 */
const NEVER_BY_PROXY = [
  ...["localhost", "*.localhost", "metadata", "instance-data", "*.internal"],
  ...["metadata.goog", "*.metadata.goog"],
] as const;

/**
 * The proxy that a host is reached by; null where it is reached directly: it stands on this machine or in the local
 * network by what its rule says (`private`, `at`), is listed in `direct`, or nobody allows the proxy.
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

/** The first layer that lets no host be reached by one of the proxies, or null. */
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

/** One entry of `NO_PROXY`: `*`, a name with all below it, whether a dot stands before it or not, an address; with a port or without. */
function isDirect(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^(\[[^\]]*\]|[^:]*|[0-9a-f:.]*)(?::(\d+))?$/i.exec(entry.toLowerCase()) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const bare = name.replace(/^\[(.*)\]$/, "$1").replace(/^\*?\./, "");
  return bare !== "" && (host === bare || (!isAddress(host) && host.endsWith(`.${bare}`)));
}
