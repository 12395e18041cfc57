import fc from "fast-check";
import type { Access } from "../../src/profile/access.ts";
import type { Devices } from "../../src/profile/devices.ts";
import type { EnvPattern } from "../../src/profile/env-pattern.ts";
import type { ConnectTarget, HostRule } from "../../src/profile/host-rule.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { LIMITS, type Limits } from "../../src/profile/limits.ts";
import type { Macos } from "../../src/profile/macos.ts";
import type { HostList, Network } from "../../src/profile/network.ts";
import { type AbsolutePath, byPath, joinPath, knownPath } from "../../src/profile/path.ts";
import { literalPattern, type Pattern, parsePatterns } from "../../src/profile/pattern.ts";
import type { Ports } from "../../src/profile/ports.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../src/profile/profile.ts";
import type { Sockets } from "../../src/profile/sockets.ts";
import type { Suffixes } from "../../src/profile/suffix.ts";
import type { Syscalls } from "../../src/profile/syscalls.ts";
import type { Proxies } from "../../src/profile/upstream.ts";

/** Few names, so that paths, entries and patterns drawn from them meet each other; the rest is there to be odd. */
const COMMON = ["a", "b", "A", ".env", ".ENV", "dist"];
const NAMES = [...COMMON, "ab", "x.md", "x.tar.gz", "[b]", "é", "\u{1F600}", "\udcff\n"];
const name = fc.oneof(fc.constantFrom(...COMMON), fc.constantFrom(...NAMES));

/** A path of at most four names; the root is one of them. */
export const path: fc.Arbitrary<AbsolutePath> = fc
  .array(name, { maxLength: 4 })
  .map((names) => knownPath(`/${names.join("/")}`));

const access: fc.Arbitrary<Access> = fc.constantFrom("none", "read", "write", "write");

/** `any`, or a list in which one suffix may cover another; also the empty list. */
export const suffixes: fc.Arbitrary<Suffixes> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Suffixes>("any") },
  fc.array(fc.constantFrom(".md", ".gz", ".tar.gz", ".env", ".ENV"), { maxLength: 3 }),
);

export const fileEntry: fc.Arbitrary<FileEntry> = fc.record({ path, access, suffixes });

const WILD = ["**", "*", "?", "[ab]", "[!a]", "*.md", "x.*", "?*", "[[]b[]]"];
const segment = fc.oneof(fc.constantFrom(...WILD), fc.constantFrom(...COMMON));

/** A pattern with wildcards, mostly. */
export const glob: fc.Arbitrary<Pattern> = fc
  .tuple(fc.constantFrom("/", ""), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([start, segments]) => onlyPattern(`${start}${segments.join("/")}`));

/** A pattern that is one path. */
export const literal: fc.Arbitrary<Pattern> = path.map(literalPattern);

export const pattern: fc.Arbitrary<Pattern> = fc.oneof(literal, glob);

/** Roots whose trees a mask leaves out, if any. */
const exceptTreesOf: fc.Arbitrary<Pick<Mask, "exceptTreesOf">> = fc.oneof(
  fc.constant({}),
  fc
    .uniqueArray(fc.constantFrom("/dist", "/a", "/dist/a").map(knownPath), { maxLength: 2 })
    .map((roots) => ({ exceptTreesOf: roots.toSorted(byPath) })),
);

export const mask: fc.Arbitrary<Mask> = fc
  .tuple(
    fc.record({ pattern, atMost: fc.constantFrom("none", "read"), ignoreCase: fc.boolean() }),
    exceptTreesOf,
  )
  .map(([one, except]) => ({ ...one, ...except }));

/** Addresses of every class that rules list; `23.0.0.1` and `10.0.0.1` are the first that `networkOutside` would pick. */
const LISTED_ADDRESSES = [
  "198.41.0.4",
  "23.0.0.1",
  "2606:4700::1",
  "10.0.0.1",
  "fd00::1",
  "127.0.0.1",
  "::1",
];
const LISTED_NAMES = ["test", "a.test", "b.a.test", "witness-0.a.test"];
const WILDCARDS = ["*.test", "*.a.test", "*.b.a.test", "*"];
const LISTED_PORTS = [80, 443, 40000];

export const hostRule: fc.Arbitrary<HostRule> = fc
  .tuple(
    fc.constantFrom(...WILDCARDS, ...WILDCARDS, ...LISTED_NAMES, ...LISTED_ADDRESSES),
    fc.option(fc.constantFrom(...LISTED_PORTS)),
    fc.boolean(),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      fc.constantFrom("23.0.0.1", "10.0.0.1", "fd00::1", "127.0.0.1"),
    ),
  )
  .map(([host, port, isPrivate, at]) => ({
    name: host,
    port,
    private: isPrivate,
    ...(at === null || LISTED_ADDRESSES.includes(host) ? {} : { at }),
  }));

/** Proxies that lists name; the third is one that none names. */
const PROXIES = ["http://proxy-a.test:3128", "https://proxy-b.test:3129", "http://proxy-c.test:80"] as const;

const hosts = fc.array(hostRule, { minLength: 1, maxLength: 6 });
const hostList: fc.Arbitrary<HostList> = fc
  .record({
    hosts,
    never: fc.array(hostRule, { maxLength: 2 }),
    isStrict: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    proxies: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      fc.constantFrom<Proxies>("any", [PROXIES[0]], [PROXIES[1]], [PROXIES[1], PROXIES[0]], []),
    ),
  })
  .map(({ isStrict, proxies, ...list }) => ({
    ...list,
    ...(isStrict ? ({ strictSni: true } as const) : {}),
    ...(proxies === null ? {} : { proxies }),
  }));

/** Rules about one name, those above it, and two addresses. */
const nearRules = fc.array(
  fc
    .tuple(
      fc.constantFrom("a.test", "*.test", "*", "10.0.0.1", "127.0.0.1"),
      fc.option(fc.constantFrom(80, 443)),
      fc.constantFrom({ private: false }, { private: true }, { at: "10.0.0.1" }, { at: "127.0.0.1" }),
    )
    .map(([host, port, where]): HostRule => {
      const rule = { name: host, port, private: false };
      return LISTED_ADDRESSES.includes(host) ? rule : { ...rule, ...where };
    }),
  { minLength: 1, maxLength: 4 },
);

export const network: fc.Arbitrary<Network> = fc.oneof(fc.constantFrom<Network>("none", "open", "host"), {
  weight: 4,
  arbitrary: hostList,
});

/** Two networks, most of them lists that differ in one thing. */
export const networkPair: fc.Arbitrary<readonly [Network, Network]> = fc.oneof(
  fc.tuple(network, network),
  fc.tuple(hostList, hosts).map(([list, others]) => [list, { ...list, hosts: others }] as const),
  fc.tuple(hostList, hostList).map(([list, { never }]) => [list, { ...list, never }] as const),
  hostList.map(
    ({ hosts: listed, never }) =>
      [
        { hosts: listed, never },
        { hosts: listed, never, strictSni: true },
      ] as const,
  ),
  // Lists that bar some addresses: by a proxy they still reach all others.
  fc
    .tuple(hostList, fc.array(fc.constantFrom(...LISTED_ADDRESSES), { minLength: 1, maxLength: 2 }))
    .map(([{ hosts: listed }, barred]) => {
      const never = barred.map((name) => ({ name, port: null, private: false }));
      return [
        { hosts: listed, never },
        { hosts: listed, never, proxies: "any" },
      ] as const;
    }),
  // A name with `at`, the name and the address, the name alone: near each other, and none of them the same.
  fc.tuple(nearRules, nearRules).map(
    ([a, b]) =>
      [
        { hosts: a, never: [] },
        { hosts: b, never: [] },
      ] as const,
  ),
  fc
    .tuple(hostList, fc.constantFrom({ port: null }, { private: true }, { private: false }))
    .map(
      ([list, change]) =>
        [list, { ...list, hosts: list.hosts.map((rule) => ({ ...rule, ...change })) }] as const,
    ),
);

const SOCKETS = ["/run/a.sock", "/run/b.sock", "/run/c.sock"].map(knownPath);

export const sockets: fc.Arbitrary<Sockets> = fc.oneof(fc.constantFrom<Sockets>("any", "any", "none"), {
  weight: 2,
  arbitrary: fc.array(fc.constantFrom(...SOCKETS), { maxLength: 3 }),
});

export const env: fc.Arbitrary<readonly EnvPattern[]> = fc.array(
  fc.constantFrom("*", "A*", "AB*", "A", "AB", "LC_*", "LC_ALL", "PATH", "X*", "_"),
  { maxLength: 4 },
);

export const limits: fc.Arbitrary<Limits> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...LIMITS), fc.constantFrom(0, 1, 2, 4)), { maxLength: 5 }),
    fc.constantFrom<Limits>({}, {}, { strict: true }, { strict: false }),
  )
  .map(([bounds, strict]) => ({ ...Object.fromEntries(bounds), ...strict }));

/** Both orders, and twins: what is not in normal form means the same. */
export const syscalls: fc.Arbitrary<Syscalls> = fc.constantFrom<Syscalls>(
  [],
  ["abi32"],
  ["debug"],
  ["debug", "abi32"],
  ["debug", "debug"],
);

/** Both orders, and twins. */
export const devices: fc.Arbitrary<Devices> = fc.constantFrom<Devices>(
  [],
  ["gpu"],
  ["serial"],
  ["serial", "kvm", "gpu"],
  ["kvm", "kvm"],
);

/** Few groups, and the first and the last there is. */
export const macos: fc.Arbitrary<Macos> = fc.constantFrom<Macos>(
  [],
  ["java"],
  ["watch"],
  ["watch", "tls", "java"],
  ["tls", "tls"],
);

/** Few ports, the lowest and the highest among them. */
export const PORTS = [1024, 5173, 8080, 65_535] as const;

export const ports: fc.Arbitrary<Ports> = fc.oneof(fc.constantFrom<Ports>("any", []), {
  weight: 2,
  arbitrary: fc.array(fc.constantFrom(...PORTS), { maxLength: 3 }),
});

const files = fc.array(fileEntry, { maxLength: 6 });
const rootEntry: fc.Arbitrary<readonly FileEntry[]> = fc.oneof(
  fc.constant([]),
  fileEntry.map((entry) => [{ ...entry, path: knownPath("/") }]),
);

/** What a profile is made from, not yet in normal form: all parts, with twins and with entries that change nothing. */
export const profileParts: fc.Arbitrary<Profile> = fc
  .record({
    files,
    rootEntry,
    masks: fc.array(mask, { maxLength: 3 }),
    network,
    sockets,
    env,
    terminal: fc.boolean(),
    limits,
    syscalls,
    devices,
    macos,
    ports,
  })
  .map(({ rootEntry: first, ...parts }) => ({ ...parts, files: [...first, ...parts.files] }));

export const profile: fc.Arbitrary<Profile> = profileParts.map(normalProfile);

const part = fc.constantFrom(
  "files",
  "masks",
  "sockets",
  "sockets",
  "env",
  "terminal",
  "syscalls",
  "devices",
  "macos",
  "ports",
  "limits",
);
const fileChange = fc.constantFrom(
  { access: "none" },
  { access: "read" },
  { access: "write" },
  { suffixes: "any" },
);
const maskChange = fc.constantFrom(
  { ignoreCase: true },
  { ignoreCase: false },
  { atMost: "none" },
  { atMost: "read" },
);

/** Two profiles that differ in one part at most, so that how that part is compared decides. */
export const nearPair: fc.Arbitrary<readonly [Profile, Profile]> = fc
  .oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(profileParts, profileParts, part)
        .map(([a, b, of]) => [a, { ...a, [of]: b[of] }] as const),
    },
    fc.tuple(profileParts, networkPair).map(
      ([a, [one, other]]) =>
        [
          { ...a, network: one },
          { ...a, network: other },
        ] as const,
    ),
    fc
      .tuple(profileParts, fileChange)
      .map(([a, change]) => [a, { ...a, files: a.files.map((one) => ({ ...one, ...change })) }] as const),
    fc
      .tuple(profileParts, maskChange)
      .map(([a, change]) => [a, { ...a, masks: a.masks.map((one) => ({ ...one, ...change })) }] as const),
  )
  .map(([a, b]) => [normalProfile(a), normalProfile(b)]);

/** Two profiles that grant the whole tree and differ in masks, many of them alike. */
export const maskPair: fc.Arbitrary<readonly [Profile, Profile]> = fc
  .tuple(
    fc.array(mask, { minLength: 1, maxLength: 3 }),
    fc.array(mask, { maxLength: 2 }),
    maskChange,
    fc.array(fileEntry, { maxLength: 1 }),
  )
  .map(([masks, others, change, more]) => {
    const base = { files: [{ path: knownPath("/"), access: "write", suffixes: "any" } as const, ...more] };
    const changed = masks.map((one, at) => (at === 0 ? { ...one, ...change } : one));
    return [normalProfile({ ...base, masks }), normalProfile({ ...base, masks: [...changed, ...others] })];
  });

/** Three profiles that differ in one part at most. */
export const nearTriple = fc
  .tuple(profileParts, profileParts, profileParts, part)
  .map(([a, b, c, of]) => [a, { ...a, [of]: b[of] }, { ...a, [of]: c[of] }] as const)
  .map(([a, b, c]) => [normalProfile(a), normalProfile(b), normalProfile(c)] as const);

/** Two profiles, often one within the other. */
export const pair: fc.Arbitrary<readonly [Profile, Profile]> = fc.oneof(
  fc.tuple(profile, profile),
  { weight: 2, arbitrary: nearPair },
  { weight: 2, arbitrary: nearPair.map(([a, b]) => [intersect(a, b), a] as const) },
);

/** One question about a path. */
export interface PathProbe {
  readonly path: AbsolutePath;
  readonly facts: { readonly kind: "file" | "folder"; readonly bornInside: boolean };
}

export const pathProbe: fc.Arbitrary<PathProbe> = fc.record({
  path: fc.oneof(
    { weight: 4, arbitrary: path },
    fc.tuple(path, name).map(([folder, last]) => joinPath(folder, last)),
  ),
  facts: fc.record({ kind: fc.constantFrom("file", "folder"), bornInside: fc.boolean() }),
});

const ASKED_ADDRESSES = [...LISTED_ADDRESSES, "8.8.8.8", "10.9.9.9", "169.254.169.254"];
const ASKED_PORTS = [...LISTED_PORTS, 8080];

/** Every listed name, address and port with every other, and some that no rule lists. */
export const TARGETS: readonly ConnectTarget[] = ASKED_PORTS.flatMap((port) =>
  ASKED_ADDRESSES.flatMap((address) =>
    [...LISTED_NAMES, "z.a.test", "c.b.a.test", "other.example", address].flatMap((host): ConnectTarget[] => [
      { host, address, port },
      ...(address === ASKED_ADDRESSES[0] || host === address
        ? PROXIES.map((proxy) => ({ host, address: host, port, proxy }))
        : []),
      ...(port === 443
        ? [host, "", "else.test"].map((serverName) => ({ host, address, port, serverName }))
        : []),
    ]),
  ),
);
export const target: fc.Arbitrary<ConnectTarget> = fc.constantFrom(...TARGETS);

export const socket = fc.constantFrom(...SOCKETS, knownPath("/run/other.sock"));

export const envName = fc.constantFrom("A", "AB", "ABC", "LC_ALL", "LC_TIME", "PATH", "X1", "_", "B");

/** One question about each part of a profile. */
export const probe = fc.record({ path: pathProbe, target, socket, name: envName });
export type Probe = typeof probe extends fc.Arbitrary<infer One> ? One : never;

/** Several questions, so that each run of a property looks at many places. */
export const probes = fc.array(probe, { minLength: 10, maxLength: 10 });

function onlyPattern(text: string): Pattern {
  const [first] = parsePatterns(text);
  if (first === undefined) throw new Error(`${text} means no pattern`);
  return first;
}
