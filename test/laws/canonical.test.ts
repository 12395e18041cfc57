import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { accessTo } from "../../src/profile/access-to.ts";
import { digest, parseProfile, printProfile } from "../../src/profile/canonical.ts";
import { coversEnv } from "../../src/profile/env-pattern.ts";
import { type HostList, type Network, reaches } from "../../src/profile/network.ts";
import { normalProfile, type Profile } from "../../src/profile/profile.ts";
import { type ProfileSections, profileFromSections } from "../../src/profile/sections.ts";
import { mayConnect } from "../../src/profile/sockets.ts";
import { nearPair, type Probe, probes, profile, profileParts } from "../support/generate.ts";
import { respelled } from "../support/generate-spellings.ts";
import { law } from "./law.ts";

/** Print and parse, as one thing that can be right or wrong. */
interface Text {
  readonly print: (profile: Profile) => string;
  readonly parse: (text: string) => Profile;
}

const TEXT: Text = { print: printProfile, parse: parseProfile };

describe("the canonical text", () => {
  law(
    "is read back as the same profile, which prints as the same text",
    ({ print, parse }: Text) =>
      fc.property(profile, (a) => {
        expect(parse(print(a))).toEqual(a);
        expect(print(parse(print(a)))).toBe(print(a));
      }),
    TEXT,
    {
      "leaves out the ports": { ...TEXT, print: (a) => printProfile(a).replace(/:(80|443|40000)\b/g, "") },
      "leaves out that masks ignore case": {
        ...TEXT,
        print: (a) => printProfile(a).replaceAll('"ignoreCase": true', '"ignoreCase": false'),
      },
      "reads `never` as nothing": {
        ...TEXT,
        parse: (text) => {
          const read = parseProfile(text);
          return {
            ...read,
            network: typeof read.network === "string" ? read.network : { ...read.network, never: [] },
          };
        },
      },
      "reads patterns as people write them": {
        ...TEXT,
        print: (a) => printProfile(a).replaceAll(/\[([[\]])\]/g, "$1"),
      },
      "cannot say bytes that are no UTF-8": {
        ...TEXT,
        print: (a) => printProfile(a).replaceAll("\\udcff", "\\ufffd"),
      },
      "takes a limit of nothing for no limit": {
        ...TEXT,
        print: (a) => printProfile(a).replaceAll(/"[a-zA-Z]+": 0,?\n/g, ""),
      },
    },
  );
});

describe("the digest", () => {
  law(
    "is blind to order and doubles",
    (digestOf: (parts: Profile) => string) =>
      fc.property(shuffledParts, ([parts, shuffled]) => {
        expect(digestOf(shuffled)).toBe(digestOf(parts));
      }),
    (parts) => digest(normalProfile(parts)),
    {
      "takes what was written": digest,
      "tidies all but files": (parts) => digest({ ...normalProfile(parts), files: parts.files }),
      "tidies all but masks": (parts) => digest({ ...normalProfile(parts), masks: parts.masks }),
      "tidies all but the network": (parts) => digest({ ...normalProfile(parts), network: parts.network }),
      "tidies all but sockets": (parts) => digest({ ...normalProfile(parts), sockets: parts.sockets }),
      "tidies all but names": (parts) => digest({ ...normalProfile(parts), env: parts.env }),
      "tidies all but devices": (parts) => digest({ ...normalProfile(parts), devices: parts.devices }),
      "tidies all but what macOS gives": (parts) => digest({ ...normalProfile(parts), macos: parts.macos }),
      "tidies all but ports": (parts) => digest({ ...normalProfile(parts), ports: parts.ports }),
    },
  );

  law(
    "is blind to spelling",
    (digestOf: (sections: ProfileSections) => string) =>
      fc.property(respelled, ([sections, others]) => {
        expect([others, digestOf(others)]).toEqual([others, digestOf(sections)]);
      }),
    (sections) => digest(profileFromSections(sections, {})),
    {
      "takes what was written": (sections) =>
        createHash("sha256").update(JSON.stringify(sections)).digest("hex"),
      "minds a slash at the end": (sections) =>
        `${digest(profileFromSections(sections, {}))}${sections.files?.filter((entry) => entry.path.endsWith("/")).length}`,
      "minds the case of hosts": (sections) =>
        `${digest(profileFromSections(sections, {}))}${/[A-Z]/.test(JSON.stringify(sections.network))}`,
      "minds how a set is written": (sections) =>
        `${digest(profileFromSections(sections, {}))}${sections.masks?.some((mask) => mask.pattern.includes("-"))}`,
    },
  );

  law(
    "tells profiles apart that answer differently",
    (digestOf: (profile: Profile) => string) =>
      fc.property(nearPair, probes, ([a, b], asked) => {
        if (digestOf(a) !== digestOf(b)) return;
        for (const one of asked) expect(answers(a, one)).toEqual(answers(b, one));
      }),
    digest,
    {
      "forgets the access": (a) =>
        digest({ ...a, files: a.files.map((entry) => ({ ...entry, access: "read" })) }),
      "forgets suffixes": (a) =>
        digest({ ...a, files: a.files.map((entry) => ({ ...entry, suffixes: "any" })) }),
      "forgets masks": (a) => digest({ ...a, masks: [] }),
      "forgets that masks ignore case": (a) =>
        digest({ ...a, masks: a.masks.map((mask) => ({ ...mask, ignoreCase: false })) }),
      "forgets `never`": (a) =>
        digest({ ...a, network: typeof a.network === "string" ? a.network : { ...a.network, never: [] } }),
      "forgets sockets": (a) => digest({ ...a, sockets: "any" }),
      "forgets names": (a) => digest({ ...a, env: [] }),
      "forgets `strict_sni`": (a) => digest({ ...a, network: withoutStrictSni(a.network) }),
      "forgets the terminal": (a) => digest({ ...a, terminal: false }),
      "forgets system calls": (a) => digest({ ...a, syscalls: [] }),
      "forgets devices": (a) => digest({ ...a, devices: [] }),
      "forgets what macOS gives": (a) => digest({ ...a, macos: [] }),
      "forgets ports": (a) => digest({ ...a, ports: [] }),
      "forgets limits": (a) => digest({ ...a, limits: {} }),
    },
  );
});

function withoutStrictSni(network: Network): Network {
  if (typeof network === "string") return network;
  const { hosts, never } = network;
  return { hosts, never };
}

/** Parts of a profile, and the same parts in another order with some of them twice. */
const shuffledParts = profileParts.chain((parts) =>
  fc
    .record({
      files: shuffled(parts.files),
      masks: shuffled(parts.masks),
      sockets: typeof parts.sockets === "string" ? fc.constant(parts.sockets) : shuffled(parts.sockets),
      env: shuffled(parts.env),
      syscalls: shuffled(parts.syscalls),
      devices: shuffled(parts.devices),
      macos: shuffled(parts.macos),
      ports: parts.ports === "any" ? fc.constant(parts.ports) : shuffled(parts.ports),
      network: typeof parts.network === "string" ? fc.constant(parts.network) : shuffledList(parts.network),
    })
    .map((changed): readonly [Profile, Profile] => [parts, { ...parts, ...changed }]),
);

function shuffledList(list: HostList): fc.Arbitrary<Network> {
  return fc
    .record({ hosts: shuffled(list.hosts), never: shuffled(list.never) })
    .map((lists) => ({ ...list, ...lists }));
}

function shuffled<One>(list: readonly One[]): fc.Arbitrary<readonly One[]> {
  return fc
    .subarray([...list])
    .chain((again) => fc.shuffledSubarray([...list, ...again], { minLength: list.length + again.length }));
}

function answers(a: Profile, { path, target, socket, name }: Probe): readonly unknown[] {
  return [
    accessTo(a, path.path, path.facts),
    reaches(a.network, target),
    mayConnect(a.sockets, socket),
    a.sockets === "none",
    coversEnv(a.env, name),
    a.terminal,
    a.syscalls,
    a.devices,
    a.macos,
    a.ports,
    a.limits,
  ];
}
