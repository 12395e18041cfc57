import fc from "fast-check";
import { describe, expect } from "vitest";
import { printProfile } from "../../src/profile/canonical.ts";
import { isWithin } from "../../src/profile/compare.ts";
import { DEVICE_GROUPS } from "../../src/profile/devices.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { MACOS_GROUPS } from "../../src/profile/macos.ts";
import { isPortIn } from "../../src/profile/ports.ts";
import { CLOSED, normalProfile, OPEN, type Profile } from "../../src/profile/profile.ts";
import { SYSCALL_GROUPS } from "../../src/profile/syscalls.ts";
import { PORTS, pair, profile } from "../support/generate.ts";
import { law } from "./law.ts";

type Meet = (a: Profile, b: Profile) => Profile;

describe("intersect", () => {
  law(
    "is commutative",
    (meet: Meet) =>
      fc.property(pair, ([a, b]) => {
        expect(printProfile(meet(a, b))).toBe(printProfile(meet(b, a)));
      }),
    intersect,
    {
      "keeps the first's masks before the second's": (a, b) => ({
        ...intersect(a, b),
        masks: [...a.masks, ...b.masks],
      }),
      "lets the first's limits override": (a, b) => ({
        ...intersect(a, b),
        limits: { ...b.limits, ...a.limits },
      }),
      "treats `open` of the second as no limit": (a, b) =>
        b.network === "open" ? { ...intersect(a, b), network: a.network } : intersect(a, b),
    },
  );

  law(
    "is associative",
    (meet: Meet) =>
      fc.property(pair, pair, ([a, b], [c, d]) => {
        expect(printProfile(meet(meet(a, b), c))).toBe(printProfile(meet(a, meet(b, c))));
        expect(printProfile(meet(meet(c, d), b))).toBe(printProfile(meet(c, meet(d, b))));
      }),
    intersect,
    {
      "grants the terminal when the first does, or neither": (a, b) => ({
        ...intersect(a, b),
        terminal: a.terminal || !b.terminal,
      }),
      "grants a group of system calls when the first does, or neither": (a, b) => ({
        ...intersect(a, b),
        syscalls: SYSCALL_GROUPS.filter((one) => a.syscalls.includes(one) || !b.syscalls.includes(one)),
      }),
      "grants a group of devices when the first does, or neither": (a, b) => ({
        ...intersect(a, b),
        devices: DEVICE_GROUPS.filter((one) => a.devices.includes(one) || !b.devices.includes(one)),
      }),
      "grants a group of macOS when the first does, or neither": (a, b) => ({
        ...intersect(a, b),
        macos: MACOS_GROUPS.filter((one) => a.macos.includes(one) || !b.macos.includes(one)),
      }),
      "opens a port when the first does, or neither": (a, b) => ({
        ...intersect(a, b),
        ports: PORTS.filter((one) => isPortIn(a.ports, one) || !isPortIn(b.ports, one)),
      }),
      "halves its limits": (a, b) => ({
        ...intersect(a, b),
        limits: { wallMs: ((a.limits.wallMs ?? 8) + (b.limits.wallMs ?? 8)) / 2 },
      }),
      "drops masks that one of them knows, when both have some": (a, b) =>
        a.masks.length > 0 && b.masks.length > 0
          ? { ...intersect(a, b), masks: intersect(a, b).masks.slice(0, a.masks.length) }
          : intersect(a, b),
    },
  );

  law(
    "is idempotent",
    (meet: Meet) =>
      fc.property(profile, (a) => {
        expect(printProfile(meet(a, a))).toBe(printProfile(a));
      }),
    intersect,
    {
      "keeps doubles of masks": (a, b) => ({ ...intersect(a, b), masks: [...a.masks, ...b.masks] }),
      "marks nothing private": (a, b) => {
        const { network, ...rest } = intersect(a, b);
        if (typeof network === "string") return { ...rest, network };
        const hosts = network.hosts.map((rule) => ({ ...rule, private: false }));
        return normalProfile({ ...rest, network: { ...network, hosts } });
      },
      "tidies an empty suffix list away": (a, b) =>
        normalProfile({
          ...intersect(a, b),
          files: intersect(a, b).files.map((entry) =>
            entry.suffixes.length === 0 ? { ...entry, access: "none" } : entry,
          ),
        }),
    },
  );

  law(
    "has OPEN as its unit and CLOSED as its zero",
    (meet: Meet) =>
      fc.property(profile, (a) => {
        expect([meet(a, OPEN), meet(OPEN, a)].map(printProfile)).toEqual([a, a].map(printProfile));
        expect([meet(a, CLOSED), meet(CLOSED, a)].map(printProfile)).toEqual(
          [CLOSED, CLOSED].map(printProfile),
        );
      }),
    intersect,
    {
      "keeps masks where nothing is granted": (a, b) => ({
        ...intersect(a, b),
        masks: [...a.masks, ...b.masks],
      }),
      "lets a list through `host` without its private marks": (a, b) =>
        a.network === "host" || b.network === "host"
          ? intersect(a, { ...b, network: intersect({ ...OPEN, network: "open" }, b).network })
          : intersect(a, b),
      "forgets `strict`": (a, b) => {
        const { strict: _, ...limits } = intersect(a, b).limits;
        return { ...intersect(a, b), limits };
      },
    },
  );

  law(
    "is monotone: a profile that is within another stays so when both are cut down alike",
    (meet: Meet) =>
      fc.property(pair, profile, ([x, b], c) => {
        const a = intersect(x, b);
        expect(isWithin(meet(a, c), meet(b, c))).toBe(true);
      }),
    intersect,
    {
      "cuts the network only where it differs": (a, b) => ({
        ...intersect(a, b),
        network: JSON.stringify(a.network) === JSON.stringify(b.network) ? "none" : intersect(a, b).network,
      }),
      "drops the masks of a profile that has more than two": (a, b) => ({
        ...intersect(a, b),
        masks: a.masks.length > 2 ? [] : intersect(a, b).masks,
      }),
      "grants system calls that the first lacks": (a, b) => ({
        ...intersect(a, b),
        syscalls: SYSCALL_GROUPS.filter((one) => !a.syscalls.includes(one)),
      }),
      "grants devices that the first lacks": (a, b) => ({
        ...intersect(a, b),
        devices: DEVICE_GROUPS.filter((one) => !a.devices.includes(one)),
      }),
      "grants what of macOS the first lacks": (a, b) => ({
        ...intersect(a, b),
        macos: MACOS_GROUPS.filter((one) => !a.macos.includes(one)),
      }),
      "opens ports that the first lacks": (a, b) => ({
        ...intersect(a, b),
        ports: PORTS.filter((one) => !isPortIn(a.ports, one)),
      }),
      "grants a terminal that the first lacks": (a, b) => ({ ...intersect(a, b), terminal: !a.terminal }),
    },
  );
});
