import type { Host } from "../host/host.ts";
import type { EgressBecause, EgressRefusal } from "../network/account.ts";
import { isAddress } from "../profile/host-rule.ts";
import { reaches } from "../profile/network.ts";
import { layerWithoutProxy } from "../profile/proxy-for.ts";
import { proxyVariable } from "../profile/upstream.ts";
import type { Place } from "../tool/fetch/reach.ts";
import { type Denial, denialFor, onlyKeeper, printTarget, SOME_PUBLIC } from "./denial.ts";
import { layersOf } from "./explain.ts";
import type { Standing } from "./standing.ts";

/** More are told to nobody. */
const MOST_DENIALS = 5;

/** What would have helped, by why it was refused; where a clause of the profile decided, that says so itself. */
const REMEDIES = {
  unlisted: "list the host under `shell.network` in the config, if it is meant",
  never: "take it out of `never`, if it is meant",
  "no-address": "check how the host's name is spelt, and whether this machine can look it up",
  private:
    "write `private` behind the host, or list this very address as well, under `shell.network` in the config, if it is meant",
  special: "list this very address as well under `shell.network` in the config, if it is meant",
  "answered-no": "list the host under `shell.network` in the config, or have somebody say yes",
  malformed: "name a host and a port",
  credential: "use the URL of `HTTP_PROXY`, as it is inside",
  "server-name": "connect to the host that is meant",
  proxy:
    "see that this proxy runs and lets the host pass, or name another one: `proxy` under `shell.network` in the config, or the variable that it takes it from",
  limit:
    "raise `connections`, `transfer` or `connection_time` under `sandbox.limits`, or the profile's that is lower",
} as const satisfies Record<EgressBecause, string>;

/** What the egress proxy refused, by host and port, with the clause that decided where one did: at most five. */
export function egressDenials(
  refused: readonly EgressRefusal[],
  standing: Standing,
  env: Host["env"],
): readonly Denial[] {
  const { settings, ceiling, needs } = standing;
  const layers = layersOf(settings, ceiling, needs.onYes);
  return refused.slice(0, MOST_DENIALS).map(({ host, port, because, reason, address }): Denial => {
    const place = host === null || port === null ? null : { host, port };
    const isByClause = because === "unlisted" || because === "never";
    return (
      (isByClause && place !== null ? byClause(place, layers) : null) ?? {
        operation: "connect",
        target: place === null ? (host ?? "a host") : printTarget(place),
        certainty: "certain",
        because: reason,
        remedy:
          (place === null ? null : keeperOf(place, address, layers)) ??
          (because === "no-address" ? proxyRemedy(standing, env) : null) ??
          REMEDIES[because],
      }
    );
  });
}

/** Where names lead nowhere and the environment names a proxy, that may be the only way out. */
function proxyRemedy({ settings, ceiling }: Standing, env: Host["env"]): string | null {
  const variable = proxyVariable(env);
  if (variable === null) return null;
  const { network } = settings.shell;
  if (settings.upstream === undefined || typeof network !== "object")
    return `this machine has ${variable} set, and it is not used: write \`proxy: environment\` beside \`hosts\` under \`shell.network\` in the config, or check how the host's name is spelt`;
  const layer = layerWithoutProxy(settings.upstream, ceiling.layers);
  return layer === null ? null : `a proxy is configured: ${onlyKeeper(layer.name)}`;
}

/** Where a profile over the config does not let the name lead to this address, nothing in the config helps. */
function keeperOf(
  place: Place,
  address: string | undefined,
  [, ...above]: ReturnType<typeof layersOf>,
): string | null {
  if (address === undefined) return null;
  const layer = above.find(({ profile }) => !reaches(profile.network, { ...place, address }));
  return layer === undefined ? null : onlyKeeper(layer.name);
}

function byClause(place: Place, layers: ReturnType<typeof layersOf>): Denial | null {
  const target = { ...place, address: isAddress(place.host) ? place.host : SOME_PUBLIC };
  return denialFor(layers, { ask: "connect", target }, "certain");
}
