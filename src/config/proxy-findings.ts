import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isAddress, parseHostRule } from "../profile/host-rule.ts";
import { layerWithoutProxy } from "../profile/proxy-for.ts";
import { proxiesOf } from "../profile/upstream.ts";
import type { Loaded } from "./config.ts";
import { type Finding, placeOf, warning } from "./finding.ts";
import { upstreamOf } from "./upstream.ts";

/** What keeps the proxy that a config wants from being used. */
export function proxyFindings(host: Pick<Host, "env">, loaded: Loaded): readonly Finding[] {
  const { config, ceiling } = loaded;
  const { network } = config.shell;
  if (typeof network !== "object" || network.proxy === undefined || network.proxy === "none") return [];
  const at = placeOf(config, ["shell", "network", "proxy"]);
  const upstream = upstreamOf(host, loaded);
  if (upstream === null)
    return [
      warning("no variable of the environment names a proxy", "set `HTTPS_PROXY`, or name its URL", at),
    ];
  const url = proxiesOf(upstream).join(" or ");
  const layer = layerWithoutProxy(upstream, ceiling.layers);
  const forbidden =
    layer === null
      ? []
      : [
          warning(
            `the profile ${visible(layer.name)} lets no host be reached by the proxy ${url}`,
            "write its URL as `proxy` under `network` of that profile, beside `hosts`, or do without it",
            at,
          ),
        ];
  const never = network.never.find((rule) => isAddress(parseHostRule(rule).name));
  const unknown =
    never === undefined
      ? []
      : [
          warning(
            `\`never\` lists the address ${visible(never)}, so no name is reached by the proxy on its port: where that finds one is not known`,
            "take the address out of `never`, or do without the proxy",
            at,
          ),
        ];
  return [...forbidden, ...unknown];
}
