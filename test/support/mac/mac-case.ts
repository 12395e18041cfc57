import fc from "fast-check";
import type { Facts, Volume } from "../../../src/backend/facts.ts";
import { foldedMasks } from "../../../src/backend/seatbelt/file-rules.ts";
import type { Access } from "../../../src/profile/access.ts";
import { MACOS_GROUPS, type MacosGroup } from "../../../src/profile/macos.ts";
import type { Network } from "../../../src/profile/network.ts";
import { type AbsolutePath, isInside, joinPath, knownPath, upwards } from "../../../src/profile/path.ts";
import { literalPattern, type Pattern, parsePatterns, patternTest } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";
import type { Sockets } from "../../../src/profile/sockets.ts";
import { suffixes, syscalls } from "../generate.ts";

/** A profile, and the Mac on which it is rendered. */
export interface MacCase {
  readonly profile: Profile;
  readonly facts: Facts;
  /** Whether the launch hands the call something by its bytes. */
  readonly hasGiven: boolean;
}

/** Where calls have their places on the Mac of the tests, and one call's. */
export const CALLS = knownPath("/Users/ada/.local/state/cofferdam/calls");
export const CALL = `${CALLS}/0123456789abcdef`;

/** What the launcher is told of one call. */
export const CALL_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ["CALL", CALL],
  ["HOME", `${CALL}/home`],
  ["TMP", `${CALL}/tmp`],
  ["GIVEN", `${CALL}/given`],
]);

/** Seldom what holds the places of calls, since that can't be given. */
const BASES = [
  "/Users/ada",
  "/Users/ada/.local/state/cofferdam",
  ...["/Users/ada/w", "/Users/ada/w", "/private/tmp/x", "/Volumes/D", "/opt"].flatMap((one) => [one, one]),
];
/** Few names, so that what is drawn meets; the rest is there to be odd. */
const COMMON = ["a", "b", "A", ".env", ".ENV"];
const NAMES = [
  ...COMMON,
  "ab",
  "x.md",
  "x.tar.gz",
  "[b]",
  'q"(',
  "c;d)",
  "e\\f",
  "é",
  "e\u0301",
  "\u{1F600}",
  "\udcff\n",
];

export const name = fc.oneof(fc.constantFrom(...COMMON), fc.constantFrom(...NAMES));

/** A path of at most three names below a base. */
export const path: fc.Arbitrary<AbsolutePath> = fc
  .tuple(fc.constantFrom(...BASES), fc.array(name, { maxLength: 3 }))
  .map(([base, names]) => knownPath([base, ...names].join("/")));

const access: fc.Arbitrary<Access> = fc.constantFrom("none", "read", "write", "write");
const entry: fc.Arbitrary<FileEntry> = fc.record({ path, access, suffixes });

/** Entries in one another, and some beside them. */
const nested: fc.Arbitrary<readonly FileEntry[]> = fc
  .record({
    base: fc.constantFrom(...BASES),
    names: fc.array(name, { minLength: 2, maxLength: 4 }),
    given: fc.array(fc.record({ access, suffixes }), { minLength: 5, maxLength: 5 }),
    beside: fc.array(entry, { maxLength: 2 }),
  })
  .map(({ base, names, given, beside }) => [
    ...beside,
    ...given
      .slice(0, names.length + 1)
      .map((one, at) => ({ ...one, path: knownPath([base, ...names.slice(0, at)].join("/")) })),
  ]);

const WILD = ["**", "*", "?", "[ab]", "[!a]", "*.md", "x.*", "?*", "[[]b[]]"];
const segment = fc.oneof(fc.constantFrom(...WILD), fc.constantFrom(...COMMON));
const glob: fc.Arbitrary<Pattern> = fc
  .tuple(
    fc.constantFrom("", "", "/Users/ada/w/", "/Users/ada/"),
    fc.array(segment, { minLength: 1, maxLength: 3 }),
  )
  .map(([start, segments]) => onlyPattern(`${start}${segments.join("/")}`));

export /** A name that is covered wherever it is: what exists often has it. */
const COVERED = [".env", "x.md"];
const anywhere: fc.Arbitrary<Pattern> = fc.constantFrom(...COVERED, "*.md").map(onlyPattern);

export const mask: fc.Arbitrary<Mask> = fc.record({
  pattern: fc.oneof(path.map(literalPattern), glob, anywhere),
  atMost: fc.constantFrom("none", "read"),
  ignoreCase: fc.boolean(),
});

export const SOCKETS = ["/private/var/run/a.sock", "/private/var/run/b.sock", "/Users/ada/w/c.sock"].map(
  knownPath,
);

const sockets: fc.Arbitrary<Sockets> = fc.oneof(fc.constantFrom<Sockets>("none", [], "any"), {
  weight: 2,
  arbitrary: fc.subarray([...SOCKETS]),
});
const network: fc.Arbitrary<Network> = fc.constantFrom<Network>("none", "host", {
  hosts: [{ name: "a.test", port: 443, private: false }],
  never: [],
});

export const volumes: fc.Arbitrary<readonly Volume[]> = fc
  .tuple(fc.boolean(), fc.option(fc.boolean()))
  .map(([root, disk]) => [
    { point: knownPath("/"), foldsCase: root },
    ...(disk === null ? [] : [{ point: knownPath("/Volumes/D"), foldsCase: disk }]),
  ]);

export const macProfile: fc.Arbitrary<Profile> = fc
  .record({
    files: fc.oneof({ weight: 3, arbitrary: fc.array(entry, { maxLength: 6 }) }, nested),
    masks: fc.array(mask, { maxLength: 4 }),
    network,
    sockets,
    syscalls,
    macos: fc.subarray<MacosGroup>([...MACOS_GROUPS]),
  })
  .map(normalProfile);

/** Any of these on a Mac whose volumes fold case or don't, with some files that masks may cover. */
export const macCase: fc.Arbitrary<MacCase> = fc
  .tuple(macProfile, volumes, fc.boolean())
  .chain(([profile, disks, hasGiven]) =>
    fc
      .array(fc.oneof(path, inEntryOf(profile)), { maxLength: 6 })
      .map((existing) => caseOf(profile, disks, existing, hasGiven)),
  );

/** A path below an entry, where there is one, by a name that may be covered. */
function inEntryOf({ files }: Profile): fc.Arbitrary<AbsolutePath> {
  const roots = [...files.map((one) => one.path), knownPath("/Users/ada/w")];
  return fc
    .tuple(
      fc.constantFrom(...roots),
      fc.array(name, { maxLength: 2 }),
      fc.oneof(fc.constantFrom(...COVERED), name),
    )
    .map(([root, names, last]) => joinPath(root, [...names, last].join("/")));
}

/** A profile on a Mac of which no more is known than its volumes and what exists. */
export function caseOf(
  profile: Profile,
  disks: readonly Volume[],
  existing: readonly AbsolutePath[] = [],
  hasGiven = false,
): MacCase {
  const mac = { calls: CALLS, volumes: disks, proxyPort: 8_118 };
  return { profile, facts: macFacts({ mac, hits: hitsIn(profile, { mac }, existing) }), hasGiven };
}

/** What a search for globs would find of what exists: the topmost covered paths. */
export function hitsIn(
  profile: Profile,
  facts: { readonly mac: NonNullable<Facts["mac"]> },
  existing: readonly AbsolutePath[],
): readonly AbsolutePath[] {
  const tests = foldedMasks(profile.masks, facts).map((one) => patternTest(one.pattern, one.ignoreCase));
  const covered = existing.flatMap((one) => [...upwards(one)]).filter((at) => tests.some((test) => test(at)));
  return [...new Set(covered)]
    .filter((at) => !covered.some((other) => other !== at && isInside(at, other)))
    .sort();
}

/** The facts of a Mac that does not exist; nothing was looked at but what is given. */
export function macFacts(given: Partial<Facts> = {}): Facts {
  return {
    arch: "arm64",
    launcher: {
      path: knownPath("/usr/bin/sandbox-exec"),
      version: "15.1",
      options: new Set(),
      shell: knownPath("/bin/sh"),
      perl: null,
    },
    user: { uid: 501, gid: 20, isCaller: true },
    nodes: new Map(),
    ways: new Map(),
    hits: [],
    repositories: [],
    copies: [],
    gitLinks: [],
    strayLinks: [],
    unsearched: [],
    shown: new Map(),
    mounts: [],
    links: [],
    emptyFile: null,
    nameFiles: null,
    devices: { kind: "host" },
    deviceNodes: [],
    coversLinks: false,
    coreDumps: { kind: "file" },
    mac: {
      calls: CALLS,
      volumes: [{ point: knownPath("/"), foldsCase: true }],
      proxyPort: null,
    },
    tree: {
      memory: { kind: "absent", reason: "macOS has none", fix: "use Linux" },
      pids: { kind: "absent", reason: "macOS has none", fix: "use Linux" },
    },
    ...given,
  };
}

function onlyPattern(text: string): Pattern {
  const [first] = parsePatterns(text);
  if (first === undefined) throw new Error(`${text} means no pattern`);
  return first;
}
