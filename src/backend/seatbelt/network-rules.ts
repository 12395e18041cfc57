import { knownPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import type { MacFacts } from "../facts.ts";
import { portsIn } from "../way-in.ts";
import { named, words } from "./base.ts";
import { anyOf, type Filter, isSome, type SbplRule, type Section } from "./sbpl.ts";
import { givenFilters } from "./translate.ts";

/** Names are resolved by a service of the system, which is asked by this socket. */
const RESOLVER = knownPath("/private/var/run/mDNSResponder");

/** What looks names and routes up for programs; each may send something of what it is asked to the network. */
const NETWORK_SERVICES = [
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.SystemConfiguration.configd",
  "com.apple.dnssd.service",
  "com.apple.networkd",
] as const;

/**
 * The network as the kernel's rules can say it: no names and no addresses but `localhost`. None: no rule. Hosts and every
 * public address: the one port of the egress proxy, on loopback. The machine's own: all of it, and what resolves names.
 * A rule on this machine's end of a connection (`local`) would allow every connection out, since a socket that is not bound
 * has the address that stands for any; so those are on binding and accepting alone.
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
        // No datagrams: who listens for those there is nobody of ours.
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
        // What `getifaddrs` asks: servers print the addresses that they can be reached by.
        ...named(["sysctl-read"], words("sysctl-name-prefix", ["net.routetable."])),
      ],
    },
  ];
}

/**
 * The ports that lead in: programs share the machine's loopback, so a server listens there itself. What is bound to every
 * address is none of it, and refused.
 */
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

/**
 * Unix sockets: those that the profile lists, by path, and a process's own in the places that are made for the call. A rule
 * on files says nothing of connecting to a socket.
 */
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
