import fc from "fast-check";
import { expect } from "vitest";
import { type ConnectTarget, type HostRule, isAddress } from "../../src/profile/host-rule.ts";
import { type HostList, type Network, normalNetwork, reaches } from "../../src/profile/network.ts";
import { networkOutside } from "../../src/profile/network-outside.ts";
import { network, networkPair, TARGETS } from "../support/generate.ts";
import { law } from "./law.ts";

type Outside = (a: Network, b: Network) => ConnectTarget | "host" | null;

law(
  "a network exceeds another exactly when it reaches something that the other does not, and shows that",
  (outside: Outside) =>
    fc.property(networkPair, ([a, b]) => {
      for (const [less, more] of [
        [a, b],
        [b, a],
      ] as const) {
        const found = outside(less, more);
        const isOutside = (target: ConnectTarget): boolean => reaches(less, target) && !reaches(more, target);
        if (found === null) expect(TARGETS.find(isOutside)).toBe(undefined);
        else if (found === "host") expect([less === "host", more === "host"]).toEqual([true, false]);
        else expect([found, isOutside(found)]).toEqual([found, true]);
      }
    }),
  networkOutside,
  {
    "forgets `never` of the second": (a, b) =>
      networkOutside(
        a,
        listed(b, (list) => ({ ...list, never: [] })),
      ),
    "forgets `never` of the first": (a, b) =>
      networkOutside(
        listed(a, (list) => ({ ...list, never: [] })),
        b,
      ),
    "forgets `strict_sni` of the second": (a, b) =>
      networkOutside(
        a,
        listed(b, ({ hosts, never }) => ({ hosts, never })),
      ),
    "forgets the proxies of the first": (a, b) => networkOutside(listed(a, withoutProxies), b),
    "takes every proxy of the second for allowed": (a, b) =>
      networkOutside(
        a,
        listed(b, (list) => ({ ...list, proxies: "any" })),
      ),
    "takes `*` for no more than it lists": (a, b) =>
      networkOutside(
        eachHost(a, (rule) => (rule.name === "*" ? { ...rule, name: "unlisted.test" } : rule)),
        b,
      ),
    "takes every rule of the second for private": (a, b) =>
      networkOutside(
        a,
        eachHost(b, (rule) => ({ ...rule, private: true })),
      ),
    "takes a port for every port": (a, b) =>
      networkOutside(
        a,
        eachHost(b, (rule) => ({ ...rule, port: null })),
      ),
    "takes `open` for everything": (a, b) => (b === "open" && a !== "host" ? null : networkOutside(a, b)),
    "takes any list for less than `open`": (a, b) =>
      b === "open" && typeof a !== "string" ? null : networkOutside(a, b),
    "asks a proxy about names alone": (a, b) => {
      const found = networkOutside(a, b);
      const isBare = found !== null && found !== "host" && found.proxy !== undefined && isAddress(found.host);
      return isBare ? null : found;
    },
    "compares rules one by one": (a, b) => {
      if (typeof a === "string" || typeof b === "string") return networkOutside(a, b);
      const rule = a.hosts.find((one) => !b.hosts.some((other) => other.name === one.name));
      return rule === undefined ? null : { host: rule.name, address: "198.41.0.4", port: rule.port ?? 443 };
    },
    "asks about one name below a wildcard, whoever lists it": sampling("witness-0.a.test", "23.0.0.9", 8080),
    "asks about one address, whoever lists it": sampling("z.a.test", "198.41.0.4", 8080),
    "asks about one port, whoever lists it": sampling("z.a.test", "23.0.0.9", 40000),
  },
);

law(
  "the one spelling of a network reaches what the network reaches",
  (normal: (network: Network) => Network) =>
    fc.property(network, (written) => {
      const spelt = normal(written);
      const differs = (target: ConnectTarget): boolean => reaches(spelt, target) !== reaches(written, target);
      expect(TARGETS.find(differs)).toBe(undefined);
    }),
  normalNetwork,
  {
    "takes `* at` for `open`": (written) => {
      const made = normalNetwork(written);
      const [only] = typeof made === "string" ? [] : made.hosts;
      return only?.name === "*" && only.port === null && only.at !== undefined ? "open" : made;
    },
    "drops an address beside a name": (written) =>
      listed(normalNetwork(written), (list) => ({
        ...list,
        hosts: list.hosts.some(({ name }) => name === "*")
          ? list.hosts.filter(({ name }) => name !== "10.0.0.1")
          : list.hosts,
      })),
  },
);

function listed(network: Network, change: (list: HostList) => HostList): Network {
  return typeof network === "string" ? network : change(network);
}

function eachHost(network: Network, change: (rule: HostRule) => HostRule): Network {
  return listed(network, (list) => ({ ...list, hosts: list.hosts.map(change) }));
}

/** Believes that what holds of one target below `*.a.test` holds of all. */
function sampling(host: string, address: string, port: number): Outside {
  return (a, b) => {
    if (typeof a === "string" || typeof b === "string") return networkOutside(a, b);
    if (!a.hosts.some((rule) => rule.name === "*.a.test" && rule.port === null)) return networkOutside(a, b);
    const target = { host, address, port };
    return reaches(a, target) && !reaches(b, target) ? target : null;
  };
}

function withoutProxies(given: HostList): HostList {
  const { proxies: _, ...list } = given;
  return list;
}
