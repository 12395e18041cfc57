import { knownPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import type { MacFacts } from "../facts.ts";
import { portsIn } from "../way-in.ts";
import { named, words } from "./base.ts";
import { anyOf, type Filter, isSome, type SbplRule, type Section } from "./sbpl.ts";
import { givenFilters } from "./translate.ts";

/** The socket of the system service that resolves names. */
const RESOLVER = knownPath("/private/var/run/mDNSResponder");

/** Services that look up names and routes for programs; each may send parts of a request to the network. */
const NETWORK_SERVICES = [
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.SystemConfiguration.configd",
  "com.apple.dnssd.service",
  "com.apple.networkd",
] as const;

/**
 * The network in terms of the kernel's rules: no names and no addresses but `localhost`. `none`: no rule. Hosts and
 * every public address: the one port of the egress proxy, on loopback. The machine's own: all of it, and name lookup. A
 * rule on this machine's end of a connection (`local`) would allow every connection out, since an unbound socket has
 * the wildcard address; so those are on binding and accepting alone.
 */
export function networkSections(
  proxyPort: MacFacts["proxyPort"],
  { network }: Pick<Profile, "network">,
): readonly Section[] {
  if (network !== "host") {
    if (proxyPort === null) return [];
    return [
      {
        about: ["The network: the egress proxy, by its port on loopback, and nothing else."],
        // No datagrams: a program that listens for those there is not ours.
        rules: outbound([{ kind: "remote", protocol: "tcp", end: `localhost:${proxyPort}` }]),
      },
    ];
  }
  return [
    {
      about: ["The network: the machine's own, with what resolves names."],
      rules: [
        ...outbound([
          { kind: "remote", protocol: "ip", end: "*:*" },
          { kind: "literal", text: RESOLVER },
        ]),
        {
          action: "allow",
          operations: ["network-bind", "network-inbound"],
          filter: { kind: "local", protocol: "ip", end: "*:*" },
        },
        {
          action: "allow",
          operations: ["system-socket"],
          filter: {
            kind: "require-all",
            of: [
              { kind: "socket-domain", word: "AF_SYSTEM" },
              { kind: "socket-protocol", word: "2" },
            ],
          },
        },
        ...named(["mach-lookup"], words("global-name", NETWORK_SERVICES)),
        // Variables that `getifaddrs` reads: servers print the addresses at which they can be reached.
        ...named(["sysctl-read"], words("sysctl-name-prefix", ["net.routetable."])),
      ],
    },
  ];
}

/** Programs share the machine's loopback. A socket bound to every address does not match, and is refused. */
export function portSections(profile: Pick<Profile, "ports">): readonly Section[] {
  const filters = portsIn(profile).map(
    (port): Filter => ({ kind: "local", protocol: "tcp", end: `localhost:${port}` }),
  );
  if (!isSome(filters)) return [];
  return [
    {
      about: ["Ports: servers on these of this machine's loopback, and no way out by them."],
      rules: [{ action: "allow", operations: ["network-bind", "network-inbound"], filter: anyOf(filters) }],
    },
  ];
}

/** Listed sockets, by path, and own ones in places made for the call. Rules on files do not cover connections. */
export function socketSections({ sockets }: Profile): readonly Section[] {
  if (sockets === "none") return [];
  const own = givenFilters({ kind: "own", what: "places" });
  const listed =
    sockets === "any"
      ? [{ kind: "subpath", text: "/" } as const]
      : listedSockets(sockets).map((text): Filter => ({ kind: "literal", text }));
  return [
    {
      about: [
        sockets === "any"
          ? "Unix sockets: every one."
          : listed.length === 0
            ? "Unix sockets: a process's own, in the call's own places."
            : "Unix sockets: a process's own, in the call's own places, and those that are listed.",
      ],
      rules: [
        {
          action: "allow",
          operations: ["system-socket"],
          filter: { kind: "socket-domain", word: "AF_UNIX" },
        },
        ...(isSome(own)
          ? [{ action: "allow", operations: ["network-bind"], filter: anyOf(own) } as const]
          : []),
        ...outbound(sockets === "any" ? listed : [...own, ...listed]),
      ],
    },
  ];
}

function outbound(filters: readonly Filter[]): readonly SbplRule[] {
  return isSome(filters)
    ? [{ action: "allow", operations: ["network-outbound"], filter: anyOf(filters) }]
    : [];
}
