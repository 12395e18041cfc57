import type { Host } from "../host/look/host.ts";
import { onlyBy, parseProxy, type Upstream, upstreamFrom } from "../profile/upstream.ts";
import type { LoadedConfig } from "./config.ts";

/**
 * The proxies for a config's hosts: the named one, the environment's if it says so, else an operator profile's; null
 * for none. Operators' layers decide if it may be used. Throws `HOST_INVALID` for a variable with an invalid proxy.
 */
export function upstreamOf({ env }: Pick<Host, "env">, { config, ceiling }: LoadedConfig): Upstream | null {
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
