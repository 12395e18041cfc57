import { visible } from "../../errors.ts";
import type { Layer } from "../../profile/explain.ts";
import { addressClass, coversName, type HostRule, isAddress, type Target } from "../../profile/host-rule.ts";
import { meetNetworks, type Network, normalNetwork, reachesName } from "../../profile/network.ts";
import { PAGE_PORTS, type PageAddress, whyNotPublic } from "./address.ts";

/** A host and a port, in the spelling of `HostRule`. */
export type Place = Pick<Target, "host" | "port">;

/** A layer of the ceiling, as far as it is about the network. */
export type NetworkLayer = Pick<Layer, "name"> & { readonly profile: Pick<Layer["profile"], "network"> };

/** What pages may be fetched from: the hosts, as far as every layer of the ceiling lets them be reached. */
export function pageNetwork(
  hosts: readonly HostRule[],
  layers: readonly NetworkLayer[],
  proxies: readonly string[] = [],
): Network {
  const listed = normalNetwork({ hosts, never: [], proxies });
  return layers.reduce((met, { profile }) => meetNetworks(met, profile.network), listed);
}

/** True when one of the hosts covers the place by name and port. */
export function isListed(hosts: readonly HostRule[], { host, port }: Place): boolean {
  return hosts.some((rule) => coversName(rule, host, port));
}

/**
 * What a yes to one page lets be reached: its host, on the usual ports of pages where the page is on one of them, since
 * servers send from the one to the other; else on its own port.
 */
export function rulesForOnce({ host, port }: Place): readonly HostRule[] {
  const ports = PAGE_PORTS.includes(port) ? PAGE_PORTS : [port];
  return ports.map((one) => ({ name: host, port: one, private: false }));
}

/** Why a layer of the ceiling lets nothing of a place be reached; null when, by its name, all may. */
export function whyAboveCeiling({ host, port }: Place, layers: readonly NetworkLayer[]): string | null {
  const layer = layers.find(({ profile }) => !reachesName(profile.network, host, port));
  if (layer === undefined) return null;
  const what =
    layer.profile.network === "none" ? "gives no network" : `does not let ${visible(host)} be reached`;
  return `the profile ${visible(layer.name)} ${what}`;
}

/** Why a host that nobody listed is never fetched from, whoever says yes; null for one of the public internet. */
export function whyNeverUnlisted({ host }: Pick<PageAddress, "host">): string | null {
  const why = isAddress(host)
    ? addressClass(host) === "public"
      ? null
      : "it is no address of the public internet"
    : whyNotPublic(host);
  return why === null ? null : `${visible(host)} is not fetched from unless it is listed: ${why}`;
}
