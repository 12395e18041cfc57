import { visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { isAddress, parseHostRule } from "../profile/host-rule.ts";
import { layerWithoutProxy } from "../profile/proxy-for.ts";
import { proxiesOf } from "../profile/upstream.ts";
import type { LoadedConfig } from "./config.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";
import { upstreamOf } from "./upstream.ts";

/** Why the proxy of a config can't be used. */
export function proxyFindings(host: Pick<Host, "env">, loaded: LoadedConfig): readonly ConfigFinding[] {
  const { config, ceiling } = loaded;
  const { network } = config.shell;
  if (typeof network !== "object" || network.proxy === undefined || network.proxy === "none") return [];
  const at = placeOf(config, ["shell", "network", "proxy"]);
  const upstream = upstreamOf(host, loaded);
  if (upstream === null)
    return [
      warning("no environment variable names a proxy", "set `HTTPS_PROXY`, or write the proxy's URL", at),
    ];
  const url = proxiesOf(upstream).join(" or ");
  const layer = layerWithoutProxy(upstream, ceiling.layers);
  const forbidden =
    layer === null
      ? []
      : [
          warning(
            `the profile ${visible(layer.name)} allows no host through the proxy ${url}`,
            "write its URL as `proxy` under `network` of that profile, or use no proxy",
            at,
          ),
        ];
  const never = network.never.find((rule) => isAddress(parseHostRule(rule).name));
  const unknown =
    never === undefined
      ? []
      : [
          warning(
            `\`never\` lists the address ${visible(never)}, so no name is reached through the proxy on that port: the proxy may resolve a name to that address`,
            "remove the address from `never`, or use no proxy",
            at,
          ),
        ];
  return [...forbidden, ...unknown];
}
