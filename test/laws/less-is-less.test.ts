import fc from "fast-check";
import { describe, expect } from "vitest";
import { type Access, isAtMost } from "../../src/profile/access.ts";
import { accessTo, type PathFacts } from "../../src/profile/access-to.ts";
import { isWithin } from "../../src/profile/compare.ts";
import type { HostRule } from "../../src/profile/host-rule.ts";
import { LIMITS } from "../../src/profile/limits.ts";
import { type AbsolutePath, isInside } from "../../src/profile/path.ts";
import {
  type FileEntry,
  indexEntries,
  type Mask,
  NOTHING,
  nearestEntry,
  normalProfile,
  type Profile,
} from "../../src/profile/profile.ts";
import { meetSuffixes, type Suffixes, sameSuffixes } from "../../src/profile/suffix.ts";
import { hostRule, mask, type Probe, probes, profile, suffixes } from "../support/generate.ts";
import { law } from "./law.ts";

type AccessTo = (profile: Profile, path: AbsolutePath, facts: PathFacts) => Access;

describe("access is never more after", () => {
  law(
    "a mask is added",
    (access: AccessTo) =>
      fc.property(profile, mask, probes, (before, added, asked) => {
        neverMore(access, { ...before, masks: [added, ...before.masks] }, before, asked);
        neverMore(access, { ...before, masks: [...before.masks, added] }, before, asked);
      }),
    accessTo,
    {
      "lets the first mask decide": (one, path, facts) =>
        accessTo({ ...one, masks: one.masks.slice(0, 1) }, path, facts),
      "lets the last mask decide": (one, path, facts) =>
        accessTo({ ...one, masks: one.masks.slice(-1) }, path, facts),
      "takes a mask for a grant": (one, path, facts) =>
        accessTo({ ...one, files: [...one.files, ...one.masks.flatMap(grantOf)] }, path, facts),
    },
  );

  law(
    "an entry is removed that allows no less than the entry above it",
    (access: AccessTo) =>
      fc.property(profile, fc.nat(), probes, (before, place, asked) => {
        const removed = before.files[place % Math.max(1, before.files.length)];
        if (removed === undefined) return;
        const files = before.files.filter((entry) => entry !== removed);
        if (isLess(removed, nearestEntry(indexEntries(files), removed.path))) return;
        neverMore(access, { ...before, files }, before, asked);
      }),
    accessTo,
    {
      "takes a path that nothing lists for readable": (one, path, facts) =>
        one.files.some((entry) => isInside(path, entry.path)) ? accessTo(one, path, facts) : "read",
      "lets the topmost entry decide": (one, path, facts) => {
        const top = one.files.find((entry) => isInside(path, entry.path));
        return accessTo({ ...one, files: top === undefined ? [] : [top] }, path, facts);
      },
      "takes a profile without entries for open": (one, path, facts) =>
        one.files.length === 0 ? "write" : accessTo(one, path, facts),
    },
  );

  law(
    "a suffix list is shortened",
    (access: AccessTo) =>
      fc.property(profile, fc.nat(), suffixes, probes, (before, place, shorter, asked) => {
        const files = before.files.map((entry, at) =>
          at === place % before.files.length
            ? { ...entry, suffixes: meetSuffixes(entry.suffixes, shorter) }
            : entry,
        );
        neverMore(access, { ...before, files }, before, asked);
      }),
    accessTo,
    {
      "takes an empty list for any suffix": (one, path, facts) =>
        accessTo(
          { ...one, files: one.files.map((entry) => ({ ...entry, suffixes: anyWhenEmpty(entry.suffixes) })) },
          path,
          facts,
        ),
      "takes the list for what is left out": (one, path, facts) => {
        const { suffixes: list } = nearestEntry(indexEntries(one.files), path);
        return list !== "any" && list.some((suffix) => path.endsWith(suffix))
          ? "none"
          : accessTo({ ...one, files: withAny(one.files) }, path, facts);
      },
    },
  );
});

describe("a profile stays within what it was after", () => {
  law(
    "anything in it is lowered: a limit, a list, a rule, the terminal, a port, a group of system calls or of macOS",
    (within: (a: Profile, b: Profile) => boolean) =>
      fc.property(profile, fc.nat(), hostRule, mask, (before, place, rule, added) => {
        for (const after of lowered(before, place, rule, added))
          expect([after, within(normalProfile(after), before)]).toEqual([after, true]);
      }),
    isWithin,
    {
      "takes a lower limit for more": (a, b) =>
        isWithin({ ...a, limits: b.limits }, { ...b, limits: a.limits }),
      "takes a limit that is set for more": (a, b) =>
        isWithin(a, b) &&
        LIMITS.every((name) => (a.limits[name] === undefined) === (b.limits[name] === undefined)),
      "asks for the same hosts": (a, b) =>
        isWithin(a, b) && JSON.stringify(a.network) === JSON.stringify(b.network),
      "asks for the same masks": (a, b) => isWithin(a, b) && a.masks.length <= b.masks.length,
      "asks for the same sockets": (a, b) => isWithin(a, b) && a.sockets.length === b.sockets.length,
      "asks for the same names": (a, b) => isWithin(a, b) && a.env.length === b.env.length,
      "asks for the same terminal": (a, b) => isWithin(a, b) && a.terminal === b.terminal,
      "asks for the same system calls": (a, b) => isWithin(a, b) && a.syscalls.length === b.syscalls.length,
      "asks for the same devices": (a, b) => isWithin(a, b) && a.devices.length === b.devices.length,
      "asks for the same of macOS": (a, b) => isWithin(a, b) && a.macos.length === b.macos.length,
      "asks for the same ports": (a, b) => isWithin(a, b) && a.ports.length === b.ports.length,
    },
  );
});

function neverMore(access: AccessTo, after: Profile, before: Profile, asked: readonly Probe[]): void {
  for (const { path } of asked) {
    const [is, was] = [access(after, path.path, path.facts), access(before, path.path, path.facts)];
    expect([path, is, was, isAtMost(is, was)]).toEqual([path, is, was, true]);
  }
}

/** True when an entry takes something away from what stands above it: such an entry is a restriction, not a grant. */
function isLess(entry: FileEntry, above: FileEntry): boolean {
  if (above.access === "none") return false;
  return (
    !isAtMost(above.access, entry.access) ||
    !sameSuffixes(meetSuffixes(above.suffixes, entry.suffixes), above.suffixes)
  );
}

function* lowered(before: Profile, place: number, rule: HostRule, added: Mask): Generator<Profile> {
  const without = <One>(list: readonly One[]): readonly One[] =>
    list.filter((_, at) => at !== place % list.length);
  const name = LIMITS[place % LIMITS.length] ?? "wallMs";
  yield { ...before, limits: { ...before.limits, [name]: (before.limits[name] ?? 2) / 2 } };
  yield { ...before, limits: { ...before.limits, strict: true } };
  yield { ...before, masks: [...before.masks, added] };
  yield { ...before, terminal: false };
  yield { ...before, syscalls: without(before.syscalls) };
  yield { ...before, devices: without(before.devices) };
  yield { ...before, macos: without(before.macos) };
  yield { ...before, ports: before.ports === "any" ? [8080] : without(before.ports) };
  yield { ...before, env: without(before.env) };
  if (typeof before.sockets === "object") yield { ...before, sockets: without(before.sockets) };
  yield { ...before, sockets: "none" };
  if (typeof before.network === "string") return;
  const { network } = before;
  const { hosts, never } = network;
  yield { ...before, network: { ...network, hosts: without(hosts) } };
  yield { ...before, network: { ...network, never: [...never, rule] } };
  yield { ...before, network: { ...network, hosts: hosts.map((one) => ({ ...one, private: false })) } };
  yield { ...before, network: { ...network, strictSni: true } };
}

function grantOf({ pattern, atMost }: Mask): readonly FileEntry[] {
  return pattern.literal === null || atMost === "none"
    ? []
    : [{ ...NOTHING, path: pattern.literal, access: "read" }];
}

function anyWhenEmpty(list: Suffixes): Suffixes {
  return list.length === 0 ? "any" : list;
}

function withAny(files: readonly FileEntry[]): readonly FileEntry[] {
  return files.map((entry) => ({ ...entry, suffixes: "any" }));
}
