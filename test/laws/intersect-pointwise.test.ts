import fc from "fast-check";
import { describe, expect } from "vitest";
import { type Access, isAtMost, lesser } from "../../src/profile/access.ts";
import { accessTo } from "../../src/profile/access-to.ts";
import { DEVICE_GROUPS } from "../../src/profile/devices.ts";
import { coversEnv, normalEnv } from "../../src/profile/env-pattern.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { LIMITS } from "../../src/profile/limits.ts";
import { MACOS_GROUPS } from "../../src/profile/macos.ts";
import {
  type HostList,
  meetNetworks,
  type Network,
  normalNetwork,
  reaches,
} from "../../src/profile/network.ts";
import { isPortIn, listedPorts } from "../../src/profile/ports.ts";
import { indexEntries, nearestEntry, type Profile } from "../../src/profile/profile.ts";
import { listedSockets, mayConnect } from "../../src/profile/sockets.ts";
import { meetSuffixes } from "../../src/profile/suffix.ts";
import { SYSCALL_GROUPS } from "../../src/profile/syscalls.ts";
import { PORTS, pair, probes } from "../support/generate.ts";
import { law } from "./law.ts";

type Meet = (a: Profile, b: Profile) => Profile;

/** Every part of the meet that is not files or network, spoiled one at a time. */
const spoiling =
  (spoil: (a: Profile, b: Profile) => Partial<Profile>): Meet =>
  (a, b) => ({ ...intersect(a, b), ...spoil(a, b) });

describe("intersect", () => {
  law(
    "gives every path the lesser of both accesses",
    (meet: Meet) =>
      fc.property(pair, probes, ([a, b], asked) => {
        const both = meet(a, b);
        for (const { path } of asked) {
          const wanted = lesser(accessTo(a, path.path, path.facts), accessTo(b, path.path, path.facts));
          expect(accessTo(both, path.path, path.facts)).toBe(wanted);
        }
      }),
    intersect,
    {
      "takes the greater access": meetingEntries((x, y) => (isAtMost(x, y) ? y : x)),
      "takes the first's access": meetingEntries((x) => x),
      "leaves out entries of the second": spoiling((a) => ({ files: a.files })),
      "closes what only one of them lists": spoiling((a, b) => {
        const listed = new Set(b.files.map((entry) => entry.path));
        return { files: intersect(a, b).files.filter((entry) => listed.has(entry.path)) };
      }),
      "drops the masks": spoiling(() => ({ masks: [] })),
      "keeps the masks of the first": spoiling((a) => ({ masks: a.masks })),
      "keeps the masks that both have": spoiling((a, b) => {
        const texts = new Set(b.masks.map((mask) => mask.pattern.text));
        return { masks: a.masks.filter((mask) => texts.has(mask.pattern.text)) };
      }),
      "loosens masks to read": spoiling((a, b) => ({
        masks: intersect(a, b).masks.map((mask) => ({ ...mask, atMost: "read" })),
      })),
      "forgets that masks ignore case": spoiling((a, b) => ({
        masks: intersect(a, b).masks.map((mask) => ({ ...mask, ignoreCase: false })),
      })),
      "takes the suffixes of the first": (a, b) => ({
        ...intersect(a, b),
        files: intersect(a, b).files.map((entry) => ({
          ...entry,
          suffixes: nearestEntry(indexEntries(a.files), entry.path).suffixes,
        })),
      }),
      "adds the suffixes up": (a, b) => ({
        ...intersect(a, b),
        files: intersect(a, b).files.map((entry) => {
          const [x, y] = [a, b].map((one) => nearestEntry(indexEntries(one.files), entry.path).suffixes);
          return { ...entry, suffixes: x === "any" || y === "any" ? "any" : [...(x ?? []), ...(y ?? [])] };
        }),
      }),
    },
  );

  law(
    "reaches a host at an address and a port exactly where both do",
    (meet: Meet) =>
      fc.property(pair, probes, ([a, b], asked) => {
        const both = meet(a, b);
        for (const { target } of asked)
          expect(reaches(both.network, target)).toBe(
            reaches(a.network, target) && reaches(b.network, target),
          );
      }),
    intersect,
    {
      "adds the hosts up": meetingLists((x, y) => ({
        hosts: [...x.hosts, ...y.hosts],
        never: [...x.never, ...y.never],
      })),
      "forgets `never`": meetingLists((x, y) => ({ hosts: hostsOf(x, y), never: [] })),
      "keeps the `never` of the first": meetingLists((x, y) => ({ hosts: hostsOf(x, y), never: x.never })),
      "keeps hosts that both spell alike": meetingLists((x, y) => ({
        hosts: x.hosts.filter((rule) =>
          y.hosts.some((other) => other.name === rule.name && other.port === rule.port),
        ),
        never: [...x.never, ...y.never],
      })),
      "marks private what one marks private": meetingLists((x, y) => ({
        hosts: hostsOf(x, y).map((rule) => ({ ...rule, private: true })),
        never: [...x.never, ...y.never],
      })),
      "opens every port": meetingLists((x, y) => ({
        hosts: hostsOf(x, y).map((rule) => ({ ...rule, port: null })),
        never: [...x.never, ...y.never],
      })),
      "keeps `strict_sni` of the first": spoiling((a, b) => {
        const met = meetNetworks(a.network, b.network);
        if (typeof met === "string") return {};
        const { hosts, never } = met;
        const isStrict = typeof a.network !== "string" && a.network.strictSni === true;
        return { network: { hosts, never, ...(isStrict ? { strictSni: true } : {}) } };
      }),
      "lets a list through `open` as it is": spoiling((a, b) =>
        a.network === "open" ? { network: b.network === "host" ? "open" : b.network } : {},
      ),
      "lets `host` win over `open`": spoiling((a, b) =>
        a.network === "host" && b.network === "open" ? { network: "host" } : {},
      ),
    },
  );

  law(
    "allows a socket, an environment name, the terminal, a port, a group of system calls and one of macOS exactly where both do",
    (meet: Meet) =>
      fc.property(pair, probes, ([a, b], asked) => {
        const both = meet(a, b);
        expect(both.terminal).toBe(a.terminal && b.terminal);
        for (const group of SYSCALL_GROUPS)
          expect(both.syscalls.includes(group)).toBe(
            a.syscalls.includes(group) && b.syscalls.includes(group),
          );
        for (const group of DEVICE_GROUPS)
          expect(both.devices.includes(group)).toBe(a.devices.includes(group) && b.devices.includes(group));
        for (const group of MACOS_GROUPS)
          expect(both.macos.includes(group)).toBe(a.macos.includes(group) && b.macos.includes(group));
        for (const port of [...PORTS, 4444])
          expect(isPortIn(both.ports, port)).toBe(isPortIn(a.ports, port) && isPortIn(b.ports, port));
        expect(both.sockets === "none").toBe(a.sockets === "none" || b.sockets === "none");
        for (const { socket, name } of asked) {
          const mayReach = (one: Profile): boolean => mayConnect(one.sockets, socket);
          expect(mayReach(both)).toBe(mayReach(a) && mayReach(b));
          expect(coversEnv(both.env, name)).toBe(coversEnv(a.env, name) && coversEnv(b.env, name));
        }
      }),
    intersect,
    {
      "takes the system calls of either": spoiling((a, b) => ({
        syscalls: SYSCALL_GROUPS.filter((one) => a.syscalls.includes(one) || b.syscalls.includes(one)),
      })),
      "takes the devices of either": spoiling((a, b) => ({
        devices: DEVICE_GROUPS.filter((one) => a.devices.includes(one) || b.devices.includes(one)),
      })),
      "takes what of macOS either has": spoiling((a, b) => ({
        macos: MACOS_GROUPS.filter((one) => a.macos.includes(one) || b.macos.includes(one)),
      })),
      "takes any port when one does": spoiling((a, b) =>
        a.ports === "any" || b.ports === "any" ? { ports: "any" } : {},
      ),
      "adds the ports up": spoiling((a, b) => ({
        ports: [...listedPorts(a.ports), ...listedPorts(b.ports)],
      })),
      "takes any socket when one does": spoiling((a, b) =>
        a.sockets === "any" || b.sockets === "any" ? { sockets: "any" } : {},
      ),
      "lets unix sockets be when one does": spoiling((a, b) =>
        a.sockets === "none" && b.sockets !== "none" ? { sockets: [] } : {},
      ),
      "adds the sockets up": spoiling((a, b) => ({
        sockets:
          a.sockets === "any" || b.sockets === "any"
            ? "any"
            : [...listedSockets(a.sockets), ...listedSockets(b.sockets)],
      })),
      "adds the environment names up": spoiling((a, b) => ({ env: normalEnv([...a.env, ...b.env]) })),
      "keeps environment names that both spell alike": spoiling((a, b) => ({
        env: a.env.filter((one) => b.env.includes(one)),
      })),
      "opens the terminal when one does": spoiling((a, b) => ({ terminal: a.terminal || b.terminal })),
    },
  );

  law(
    "sets every limit to the lower of both",
    (meet: Meet) =>
      fc.property(pair, ([a, b]) => {
        const both = meet(a, b).limits;
        for (const name of LIMITS)
          expect(both[name] ?? Infinity).toBe(
            Math.min(a.limits[name] ?? Infinity, b.limits[name] ?? Infinity),
          );
        expect(both.strict === true).toBe(a.limits.strict === true || b.limits.strict === true);
      }),
    intersect,
    {
      "takes the higher limit": spoiling((a, b) => ({
        limits: Object.fromEntries(
          LIMITS.map((name) => [name, Math.max(a.limits[name] ?? 0, b.limits[name] ?? 0)]),
        ),
      })),
      "lets the second override the first": spoiling((a, b) => ({ limits: { ...a.limits, ...b.limits } })),
      "takes a missing limit for none at all": spoiling((a, b) => ({
        limits: Object.fromEntries(
          LIMITS.map((name) => [name, Math.min(a.limits[name] ?? 0, b.limits[name] ?? 0)]),
        ),
      })),
      "forgets `strict`": spoiling((a, b) => {
        const { strict: _, ...limits } = intersect(a, b).limits;
        return { limits };
      }),
    },
  );
});

/** A meet that combines accesses in another way. */
function meetingEntries(combine: (a: Access, b: Access) => Access): Meet {
  return (a, b) => {
    const [inA, inB] = [indexEntries(a.files), indexEntries(b.files)];
    const files = [...a.files, ...b.files].map(({ path }) => {
      const [x, y] = [nearestEntry(inA, path), nearestEntry(inB, path)];
      return { path, access: combine(x.access, y.access), suffixes: meetSuffixes(x.suffixes, y.suffixes) };
    });
    return { ...intersect(a, b), files };
  };
}

/** A meet that combines two lists of hosts in another way. */
function meetingLists(combine: (a: HostList, b: HostList) => Network): Meet {
  return spoiling((a, b) =>
    typeof a.network === "string" || typeof b.network === "string"
      ? {}
      : { network: normalNetwork(combine(a.network, b.network)) },
  );
}

function hostsOf(a: HostList, b: HostList): HostList["hosts"] {
  const { network } = intersect({ ...BARE, network: a }, { ...BARE, network: b });
  return typeof network === "string" ? [] : network.hosts;
}

const BARE: Profile = {
  files: [],
  masks: [],
  network: "none",
  sockets: [],
  env: [],
  terminal: false,
  syscalls: [],
  devices: [],
  macos: [],
  ports: [],
  limits: {},
};
