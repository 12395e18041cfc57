import fc from "fast-check";
import { describe, expect } from "vitest";
import { isAtMost } from "../../src/profile/access.ts";
import { accessTo } from "../../src/profile/access-to.ts";
import { type Comparison, compare, type Witness } from "../../src/profile/compare.ts";
import { DEVICE_GROUPS } from "../../src/profile/devices.ts";
import { coversEnv } from "../../src/profile/env-pattern.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { LIMITS } from "../../src/profile/limits.ts";
import { MACOS_GROUPS } from "../../src/profile/macos.ts";
import { reaches } from "../../src/profile/network.ts";
import { knownPath, parentOf } from "../../src/profile/path.ts";
import { isPortIn } from "../../src/profile/ports.ts";
import { type Mask, normalProfile, type Profile } from "../../src/profile/profile.ts";
import { mayConnect } from "../../src/profile/sockets.ts";
import { SYSCALL_GROUPS } from "../../src/profile/syscalls.ts";
import {
  maskPair,
  nearPair,
  nearTriple,
  PORTS,
  type Probe,
  pair,
  probes,
  profile,
} from "../support/generate.ts";
import { law } from "./law.ts";

type Compare = (a: Profile, b: Profile) => Comparison;

const WITHIN: Comparison = { kind: "within" };

describe("compare", () => {
  law(
    "is sound: what is within allows nothing that the other does not",
    (comparing: Compare) =>
      fc.property(pair, probes, ([a, b], asked) => {
        for (const [less, more] of [
          [a, b],
          [b, a],
        ] as const) {
          if (comparing(less, more).kind !== "within") continue;
          expect(asked.flatMap((probe) => excesses(less, more, probe))).toEqual([]);
        }
      }),
    compare,
    {
      "looks at no masks": (a, b) => compare(a, { ...b, masks: [] }),
      "takes every mask of the first for one of the second": (a, b) => compare({ ...a, masks: b.masks }, b),
      "believes that what it cannot decide is within": (a, b) => {
        const found = compare(a, b);
        return found.kind === "exceeds" && found.witness.field === "files" && !found.witness.facts.bornInside
          ? WITHIN
          : found;
      },
      "does not look at suffixes": (a, b) =>
        compare(a, normalProfile({ ...b, files: b.files.map((one) => ({ ...one, suffixes: "any" })) })),
      "does not look at entries of the second": (a, b) =>
        a.files.every((entry) =>
          b.files.some((other) => other.path === entry.path && isAtMost(entry.access, other.access)),
        )
          ? compare({ ...a, files: b.files }, b)
          : compare(a, b),
      "takes a prefix of a name for the name": (a, b) =>
        compare(a, { ...b, env: b.env.map((name) => `${name[0]}*`.replace("**", "*")) }),
      "takes none for none that is listed": (a, b) =>
        compare(a, b.sockets === "none" ? { ...b, sockets: [] } : b),
      "does not look at sockets": (a, b) => compare(a, { ...b, sockets: "any" }),
      "does not look at the terminal": (a, b) => compare(a, { ...b, terminal: true }),
      "does not look at system calls": (a, b) => compare(a, { ...b, syscalls: SYSCALL_GROUPS }),
      "looks at the first group of system calls alone": (a, b) =>
        compare({ ...a, syscalls: a.syscalls.slice(0, 1) }, b),
      "does not look at devices": (a, b) => compare(a, { ...b, devices: DEVICE_GROUPS }),
      "looks at the first group of devices alone": (a, b) =>
        compare({ ...a, devices: a.devices.slice(0, 1) }, b),
      "does not look at what macOS gives": (a, b) => compare(a, { ...b, macos: MACOS_GROUPS }),
      "looks at the first group of macOS alone": (a, b) => compare({ ...a, macos: a.macos.slice(0, 1) }, b),
      "does not look at ports": (a, b) => compare(a, { ...b, ports: "any" }),
      "looks at the lowest port alone": (a, b) =>
        compare({ ...a, ports: a.ports === "any" ? "any" : a.ports.slice(0, 1) }, b),
      "does not look at limits": (a, b) => compare(a, { ...b, limits: {} }),
    },
  );

  law(
    "is sound where masks differ: what is within gives no path more",
    (comparing: Compare) =>
      fc.property(maskPair, probes, ([a, b], asked) => {
        for (const [less, more] of [
          [a, b],
          [b, a],
        ] as const) {
          if (comparing(less, more).kind !== "within") continue;
          expect(asked.flatMap((probe) => excesses(less, more, probe))).toEqual([]);
        }
      }),
    compare,
    {
      "takes a mask that ignores case for one that matches more": (a, b) =>
        compare({ ...a, masks: [...a.masks, ...a.masks.map((one) => ({ ...one, ignoreCase: false }))] }, b),
      "takes a mask for one that ignores case": (a, b) =>
        compare({ ...a, masks: [...a.masks, ...a.masks.map((one) => ({ ...one, ignoreCase: true }))] }, b),
      "takes a `read` mask for a `none` mask": (a, b) =>
        compare({ ...a, masks: a.masks.map((one) => ({ ...one, atMost: "none" })) }, b),
      "believes that globs mean the same": (a, b) =>
        compare(a, { ...b, masks: b.masks.filter((one) => !isGlob(one) || !a.masks.some(isGlob)) }),
    },
  );

  law(
    "shows a witness, which the first allows and the second does not",
    (comparing: Compare) =>
      fc.property(pair, ([a, b]) => {
        for (const [less, more] of [
          [a, b],
          [b, a],
        ] as const) {
          const found = comparing(less, more);
          if (found.kind === "exceeds")
            expect([found.witness, confirms(less, more, found.witness)]).toEqual([found.witness, true]);
        }
      }),
    compare,
    {
      "shows the folder above": withWitness((witness) =>
        witness.field === "files" ? { ...witness, path: parentOf(witness.path) } : witness,
      ),
      "takes what is there at the start for born inside": withWitness((witness) =>
        witness.field === "files" ? { ...witness, facts: { ...witness.facts, bornInside: true } } : witness,
      ),
      "takes every path for a folder": withWitness((witness) =>
        witness.field === "files" ? { ...witness, facts: { ...witness.facts, kind: "folder" } } : witness,
      ),
      "shows the wrong access": withWitness((witness) =>
        witness.field === "files" ? { ...witness, has: "write" } : witness,
      ),
      "compares environment patterns as texts": (a, b) => {
        const name = a.env.find((one) => !b.env.includes(one));
        return name === undefined ? compare(a, b) : { kind: "exceeds", witness: { field: "env", name } };
      },
      "shows the first limit": withWitness((witness) =>
        witness.field === "limits" ? { ...witness, name: "wallMs" } : witness,
      ),
    },
  );

  law(
    "is reflexive",
    (comparing: Compare) =>
      fc.property(profile, (a) => {
        expect(comparing(a, a)).toEqual(WITHIN);
      }),
    compare,
    {
      "does not know a glob when it sees it again": (a, b) =>
        compare({ ...a, masks: a.masks.filter((mask) => mask.pattern.literal !== null) }, b),
      "asks for strictly lower limits": (a, b) =>
        compare(a, {
          ...b,
          limits: Object.fromEntries(
            LIMITS.flatMap((name) => (b.limits[name] === undefined ? [] : [[name, b.limits[name] - 1]])),
          ),
        }),
      "says a folder's own entry is more than the folder": (a, b) =>
        compare(a, { ...b, files: b.files.slice(1) }),
    },
  );

  law(
    "is transitive while nothing is unknown",
    (comparing: Compare) =>
      fc.property(chain, ([a, b, c]) => {
        if (comparing(a, b).kind !== "within" || comparing(b, c).kind !== "within") return;
        expect(comparing(a, c).kind).not.toBe("exceeds");
      }),
    compare,
    {
      "lets one entry more pass": (a, b) =>
        a.files.length <= b.files.length + 1 ? compare({ ...a, files: [] }, b) : compare(a, b),
      "lets the next higher network pass": (a, b) => {
        const found = compare(a, b);
        return found.kind === "exceeds" && found.witness.field === "network" && a.network !== "host"
          ? WITHIN
          : found;
      },
      "lets one socket more pass": (a, b) =>
        typeof a.sockets === "object" &&
        typeof b.sockets === "object" &&
        a.sockets.length <= b.sockets.length + 1
          ? compare({ ...a, sockets: [] }, b)
          : compare(a, b),
    },
  );

  law(
    "is unknown only where a glob of the second meets another glob of the first",
    (comparing: Compare) =>
      fc.property(globPair, ([a, b]) => {
        for (const [less, more] of [
          [a, b],
          [b, a],
        ] as const) {
          const found = comparing(less, more);
          if (found.kind !== "unknown") continue;
          expect([isGlob(found.mask), more.masks.includes(found.mask)]).toEqual([true, true]);
          expect(less.masks.some((own) => isGlob(own) && !isSame(own, found.mask))).toBe(true);
        }
      }),
    compare,
    {
      "gives up at every mask that it does not know": unknownAt(
        (mask, a) => !a.masks.some((own) => isSame(own, mask)),
      ),
      "gives up at every glob": unknownAt(isGlob),
      "gives up at a literal that ignores case": unknownAt(
        (mask, a) => mask.ignoreCase && !a.masks.some((own) => isSame(own, mask)),
      ),
    },
  );
});

/** Three profiles that often lie within each other. */
const chain = fc.oneof(
  nearTriple,
  fc.tuple(pair, profile).map(([[a, b], c]) => [intersect(a, c), a, b] as const),
);

/** Two profiles that differ in masks, most of them globs. */
const globPair = fc.tuple(nearPair, nearPair).map(
  ([[a], [b]]) =>
    [
      { ...a, masks: normalProfile({ ...a, masks: [...a.masks, ...b.masks.slice(1)] }).masks },
      { ...a, masks: normalProfile({ ...a, masks: b.masks }).masks },
    ] as const,
);

/** What of the probe the first allows and the second does not. */
function excesses(a: Profile, b: Profile, { path, target, socket, name }: Probe): readonly unknown[] {
  const witnesses: readonly Witness[] = [
    {
      field: "files",
      ...path,
      has: accessTo(a, path.path, path.facts),
      limit: accessTo(b, path.path, path.facts),
    },
    { field: "network", target },
    ...([socket, "any", "own"] as const).map((path) => ({ field: "sockets", path }) as const),
    { field: "env", name },
    { field: "terminal" },
    ...SYSCALL_GROUPS.map((group) => ({ field: "syscalls", group }) as const),
    ...DEVICE_GROUPS.map((group) => ({ field: "devices", group }) as const),
    ...MACOS_GROUPS.map((group) => ({ field: "macos", group }) as const),
    ...[...PORTS, 4444].map((port) => ({ field: "ports", port }) as const),
    ...LIMITS.map((limit) => ({ field: "limits", name: limit }) as const),
    { field: "limits", name: "strict" },
  ];
  return witnesses.filter((witness) => confirms(a, b, witness));
}

/** True when `a` really allows what the witness says, and `b` does not. */
function confirms(a: Profile, b: Profile, witness: Witness): boolean {
  switch (witness.field) {
    case "files": {
      const [has, limit] = [a, b].map((one) => accessTo(one, witness.path, witness.facts));
      return has === witness.has && limit === witness.limit && !isAtMost(witness.has, witness.limit);
    }
    case "network": {
      const target =
        witness.target === "host" ? { host: "127.9.9.9", address: "127.9.9.9", port: 9 } : witness.target;
      return reaches(a.network, target) && !reaches(b.network, target);
    }
    case "sockets": {
      const { path } = witness;
      if (path === "own") return a.sockets !== "none" && b.sockets === "none";
      const asked = path === "any" ? knownPath("/run/nobody-lists-this") : path;
      return mayConnect(a.sockets, asked) && !mayConnect(b.sockets, asked);
    }
    case "env":
      return coversEnv(a.env, witness.name) && !coversEnv(b.env, witness.name);
    case "terminal":
      return a.terminal && !b.terminal;
    case "syscalls":
      return a.syscalls.includes(witness.group) && !b.syscalls.includes(witness.group);
    case "devices":
      return a.devices.includes(witness.group) && !b.devices.includes(witness.group);
    case "macos":
      return a.macos.includes(witness.group) && !b.macos.includes(witness.group);
    case "ports":
      return isPortIn(a.ports, witness.port) && !isPortIn(b.ports, witness.port);
    case "limits": {
      if (witness.name === "strict") return a.limits.strict !== true && b.limits.strict === true;
      const bound = LIMITS.find((limit) => limit === witness.name);
      return bound !== undefined && (a.limits[bound] ?? Infinity) > (b.limits[bound] ?? Infinity);
    }
  }
}

function isGlob(mask: Mask): boolean {
  return mask.pattern.literal === null || mask.ignoreCase;
}

function isSame(a: Mask, b: Mask): boolean {
  return printed(a) === printed(b);
}

function withWitness(change: (witness: Witness) => Witness): Compare {
  return (a, b) => {
    const found = compare(a, b);
    return found.kind === "exceeds" ? { ...found, witness: change(found.witness) } : found;
  };
}

function unknownAt(gives: (mask: Mask, a: Profile) => boolean): Compare {
  return (a, b) => {
    const mask = b.masks.find((one) => gives(one, a));
    return mask === undefined ? compare(a, b) : { kind: "unknown", mask };
  };
}

function printed({ pattern, ...mask }: Mask): string {
  return JSON.stringify([pattern.text, mask.atMost, mask.ignoreCase, mask.exceptTreesOf]);
}
