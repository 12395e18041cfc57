import { visible } from "../../errors.ts";
import type { Layer } from "../../profile/explain.ts";
import {
  addressClass,
  type ConnectTarget,
  coversName,
  type HostRule,
  isAddress,
} from "../../profile/host-rule.ts";
import { meetNetworks, type Network, normalNetwork, reachesName } from "../../profile/network.ts";
import { PAGE_PORTS, type PageAddress, whyNotPublic } from "./address.ts";

/** A host and a port, in the spelling of `HostRule`. */
export type HostAndPort = Pick<ConnectTarget, "host" | "port">;

/** The network part of a layer of the ceiling. */
export type NetworkLayer = Pick<Layer, "name"> & { readonly profile: Pick<Layer["profile"], "network"> };

/** The hosts that pages may be fetched from, limited to those that every layer of the ceiling allows. */
export function pageNetwork(
  hosts: readonly HostRule[],
  layers: readonly NetworkLayer[],
  proxies: readonly string[] = [],
): Network {
  const listed = normalNetwork({ hosts, never: [], proxies });
  return layers.reduce((met, { profile }) => meetNetworks(met, profile.network), listed);
}

/** True if one of the hosts covers the place by name and port. */
export function isListed(hosts: readonly HostRule[], { host, port }: HostAndPort): boolean {
  return hosts.some((rule) => coversName(rule, host, port));
}

/** The hosts that one approval allows: on both default ports (servers redirect between them), or the page's own. */
export function rulesForOnce({ host, port }: HostAndPort): readonly HostRule[] {
  const ports = PAGE_PORTS.includes(port) ? PAGE_PORTS : [port];
  return ports.map((one) => ({ name: host, port: one, private: false }));
}

/** Why a layer of the ceiling forbids a place by its name; null if all layers allow it. */
export function whyAboveCeiling({ host, port }: HostAndPort, layers: readonly NetworkLayer[]): string | null {
  const layer = layers.find(({ profile }) => !reachesName(profile.network, host, port));
  if (layer === undefined) return null;
  const what = layer.profile.network === "none" ? "allows no network" : `does not allow ${visible(host)}`;
  return `the profile ${visible(layer.name)} ${what}`;
}

/** Why an unlisted host is never fetched from, even with approval; null for a host of the public internet. */
export function whyNeverUnlisted({ host }: Pick<PageAddress, "host">): string | null {
  const why = isAddress(host)
    ? addressClass(host) === "public"
      ? null
      : "it is not an address of the public internet"
    : whyNotPublic(host);
  return why === null ? null : `${visible(host)} must be listed before pages are fetched from it: ${why}`;
}
