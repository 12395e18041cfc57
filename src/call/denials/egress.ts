import type { CallPolicy } from "../../decide/call-policy.ts";
import { denialFor, onlyKeeper, printTarget, SOME_PUBLIC } from "../../decide/denial.ts";
import { layersOf } from "../../decide/explain.ts";
import type { Host } from "../../host/look/host.ts";
import type { EgressBecause, EgressRefusal } from "../../network/account.ts";
import type { Denial } from "../../policy/denial.ts";
import { isAddress } from "../../profile/host-rule.ts";
import { reaches } from "../../profile/network.ts";
import { layerWithoutProxy } from "../../profile/proxy-for.ts";
import { proxyVariable } from "../../profile/upstream.ts";
import type { HostAndPort } from "../../tool/fetch/reach.ts";

const MAX_DENIALS = 5;

/** Remedies by the reason of a refusal; a deciding clause of the profile has its own. */
const REMEDIES = {
  unlisted: "list the host under `shell.network` in the config, if intended",
  never: "remove it from `never`, if intended",
  "no-address": "check the spelling of the host, and whether this machine can resolve it",
  private:
    "add `private` after the host under `shell.network` in the config, or also list this address there, if intended",
  special: "also list this address under `shell.network` in the config, if intended",
  "answered-no": "list the host under `shell.network` in the config, or have a person approve it",
  malformed: "send a host and a port",
  credential: "use the URL of `HTTP_PROXY` as it is in the sandbox",
  "server-name": "send the name of the host in the TLS hello",
  proxy:
    "check that this proxy runs and allows the host, or set another one: `proxy` under `shell.network` in the config, or the variable that it uses",
  limit:
    "raise `connections`, `transfer` or `connection_time` under `sandbox.limits`, or the lower limit of a profile",
} as const satisfies Record<EgressBecause, string>;

/** Refusals of the egress proxy by host and port, with the deciding clause if there is one: at most five. */
export function egressDenials(
  refused: readonly EgressRefusal[],
  policy: CallPolicy,
  env: Host["env"],
): readonly Denial[] {
  const { settings, ceiling, needs } = policy;
  const layers = layersOf(settings, ceiling, needs.withApproval);
  return refused.slice(0, MAX_DENIALS).map(({ host, port, because, reason, address }): Denial => {
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
          (because === "no-address" ? proxyRemedy(policy, env) : null) ??
          REMEDIES[because],
      }
    );
  });
}

/** If names don't resolve and the environment names a proxy, that proxy may be the only way out. */
function proxyRemedy({ settings, ceiling }: CallPolicy, env: Host["env"]): string | null {
  const variable = proxyVariable(env);
  if (variable === null) return null;
  const { network } = settings.shell;
  if (settings.upstream === undefined || typeof network !== "object")
    return `this machine's ${variable} is not used: write \`proxy: environment\` beside \`hosts\` under \`shell.network\` in the config, or check the spelling of the host`;
  const layer = layerWithoutProxy(settings.upstream, ceiling.layers);
  return layer === null ? null : `a proxy is configured: ${onlyKeeper(layer.name)}`;
}

/** The operator profile that forbids this address for the name; then no config change helps. */
function keeperOf(
  place: HostAndPort,
  address: string | undefined,
  [, ...above]: ReturnType<typeof layersOf>,
): string | null {
  if (address === undefined) return null;
  const layer = above.find(({ profile }) => !reaches(profile.network, { ...place, address }));
  return layer === undefined ? null : onlyKeeper(layer.name);
}

function byClause(place: HostAndPort, layers: ReturnType<typeof layersOf>): Denial | null {
  const target = { ...place, address: isAddress(place.host) ? place.host : SOME_PUBLIC };
  return denialFor(layers, { ask: "connect", target }, "certain");
}
