import type { Host } from "../host/host.ts";
import { onlyBy, parseProxy, type Upstream, upstreamFrom } from "../profile/upstream.ts";
import type { Loaded } from "./config.ts";

/**
 * The proxies that a config has hosts reached by: the one that it names, what the environment says where it wants that, or
 * the one that an operator profile names where it says nothing. Null where there is none. Operators' layers decide whether it may be used.
 * Throws `HOST_INVALID` for a variable that names no proxy.
 */
export function upstreamOf({ env }: Pick<Host, "env">, { config, ceiling }: Loaded): Upstream | null {
  const { network } = config.shell;
  const proxy = typeof network === "object" ? network.proxy : undefined;
  if (proxy === "none") return null;
  if (proxy === "environment") return upstreamFrom(env);
  if (proxy !== undefined) return onlyBy(proxy);
  const [named] = ceiling.layers.flatMap(({ profile }) => {
    const proxies = typeof profile.network === "object" ? profile.network.proxies : undefined;
    return proxies === undefined || proxies === "any" ? [] : proxies;
  });
  return named === undefined ? null : onlyBy(parseProxy(named));
}
