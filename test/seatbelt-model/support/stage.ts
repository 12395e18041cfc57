import fc from "fast-check";
import type { PathNode } from "../../../src/backend/facts.ts";
import { type Access, isAtMost } from "../../../src/profile/access.ts";
import { type AbsolutePath, isInside, knownPath, parentOf, upwards } from "../../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";
import { hitsIn, type MacCase, macFacts } from "../../support/mac/mac-case.ts";
import type { Watch } from "../world/audit.ts";
import { macWith } from "../world/mac.ts";
import type { Stage } from "../world/sequences.ts";
import type { Planted } from "../world/spec.ts";
import { accessOn } from "./access-on.ts";

const WORK = "/Users/me/work";
const BASES = [WORK, "/private/tmp/box", "/Volumes/Build/b", "/opt/homebrew/x"];
/** In every base; each file has bytes that stand nowhere else. */
const FILES = [
  "a/b/x.md",
  "a/b/.env",
  "a/x.md",
  "deep/caf\u00e9/secret",
  "deep/x.txt",
  ".env",
  ".git/config",
  ".git/hooks/pre-commit",
  ".vscode/tasks.json",
  "src/main.c",
];
const AT_HOME = ["/Users/me/.ssh/id", "/Users/me/.zshrc", "/Users/me/Notes/x.md"];
const LINKS: Readonly<Record<string, string>> = {
  [`${WORK}/link`]: `${WORK}/deep`,
  [`${WORK}/out`]: "/Users/me/.ssh",
  [`${WORK}/a/up`]: WORK,
  "/private/tmp/box/back": `${WORK}/a`,
};

/** Every planted file, and what is in it. */
const BYTES: ReadonlyMap<AbsolutePath, string> = new Map(
  [...BASES.flatMap((base) => FILES.map((file) => `${base}/${file}`)), ...AT_HOME].map((path, at) => [
    knownPath(path),
    `<bytes-${at}>`,
  ]),
);
const FOLDERS = [...new Set([...BYTES.keys()].flatMap((path) => [...upwards(parentOf(path))]))].filter(
  (path) => [...BASES, "/Users/me"].some((base) => isInside(path, knownPath(base))),
);
const EVERYTHING = [...BYTES.keys(), ...FOLDERS];

/** The Mac that all of it stands on. */
export const WORLD = macWith([
  ...BASES.map((path): Planted => ({ path, kind: "folder", owner: 501 })),
  ...[...BYTES].map(([path, bytes]): Planted => ({ path, kind: "file", bytes, owner: 501 })),
  ...FOLDERS.map((path): Planted => ({ path, kind: "folder", owner: 501 })),
  ...Object.entries(LINKS).map(([path, target]): Planted => ({ path, kind: "symlink", target, owner: 501 })),
]);

const NODES: ReadonlyMap<AbsolutePath, PathNode> = new Map<AbsolutePath, PathNode>([
  ...FOLDERS.map((path): [AbsolutePath, PathNode] => [path, { kind: "folder", id: path }]),
  ...[...BYTES.keys()].map((path): [AbsolutePath, PathNode] => [path, { kind: "file", id: path }]),
  ...Object.entries(LINKS).map(([path, target]): [AbsolutePath, PathNode] => [
    knownPath(path),
    { kind: "link", id: path, target: knownPath(target) },
  ]),
]);

const access: fc.Arbitrary<Access> = fc.constantFrom("none", "read", "write", "write");
const suffixes = fc.oneof(
  { weight: 4, arbitrary: fc.constant("any" as const) },
  fc.constantFrom([".md"], [".env", ".c"]),
);
const missing = BASES.flatMap((base) => [`${base}/new`, `${base}/a/new`, `${base}/.codex/x`]).map(knownPath);
const entry: fc.Arbitrary<FileEntry> = fc.record({
  path: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...EVERYTHING) }, fc.constantFrom(...missing)),
  access,
  suffixes,
});
const GLOBS = ["**/.env", "**/*.md", "**/[Cc]onfig", "**/secret", "**/a/b", `${WORK}/**/x.*`];
const mask: fc.Arbitrary<Mask> = fc.record({
  pattern: fc.oneof(
    fc.constantFrom(...EVERYTHING, ...missing).map(literalPattern),
    fc.constantFrom(...GLOBS).map((text) => {
      const [only] = parsePatterns(text);
      if (only === undefined) throw new Error(`${text} means no pattern`);
      return only;
    }),
  ),
  atMost: fc.constantFrom("none", "read"),
  ignoreCase: fc.boolean(),
});

/** Profiles about that Mac, each with a folder that may be written. */
export const stagedProfile: fc.Arbitrary<Profile> = fc
  .record({
    root: fc.constantFrom(WORK, WORK, "/private/tmp/box", "/Users/me", "/Volumes/Build/b").map(knownPath),
    files: fc.array(entry, { maxLength: 4 }),
    masks: fc.array(mask, { maxLength: 4 }),
  })
  .map(({ root, files, masks }) =>
    normalProfile({
      files: [...files.filter(({ path }) => path !== root), { path: root, access: "write", suffixes: "any" }],
      masks,
      sockets: [],
    }),
  );

/** A profile on that Mac. */
export function stagedCase(profile: Profile): MacCase {
  const mac = {
    calls: knownPath("/Users/me/.local/state/cofferdam/calls"),
    volumes: [
      { point: knownPath("/"), foldsCase: true },
      { point: knownPath("/Volumes/Build"), foldsCase: false },
    ],
    proxyPort: null,
  };
  const hits = hitsIn(profile, { mac }, [...EVERYTHING, ...Object.keys(LINKS).map(knownPath)]);
  return { profile, facts: macFacts({ mac, hits, nodes: NODES }), hasGiven: false };
}

/** What must be kept there, and where calls play. */
export interface Kept {
  readonly stage: Stage;
  readonly watch: Required<Watch>;
}

/**
 * What a profile keeps of that Mac: the bytes of what it gives nothing of; and what it gives at most to be read, where it
 * stands and where it doesn't. A folder counts where nothing in it may be written.
 */
export function keptBy({ profile, facts }: MacCase): Kept {
  const given = accessOn(profile, facts, "by volume");
  const isKept = (path: AbsolutePath): boolean => {
    if (BYTES.has(path)) return isAtMost(given(path, "file"), "read");
    const inside = [...EVERYTHING, ...profile.files.map((one) => one.path)].filter((one) =>
      isInside(one, path),
    );
    return inside.every((one) => isAtMost(given(one, BYTES.has(one) ? "file" : "folder"), "read"));
  };
  const secrets = [...BYTES].flatMap(([path, bytes]) => (given(path, "file") === "none" ? [bytes] : []));
  const literals = profile.masks.flatMap(({ pattern }) => pattern.literal ?? []);
  const protects = [...EVERYTHING, ...literals.filter((one) => missing.includes(one))].filter(isKept);
  const hidden = [...BYTES.keys()].filter((path) => given(path, "file") === "none");
  const writable = FOLDERS.filter((path) => given(path, "folder") === "write");
  const near = [...hidden, ...protects].filter((path) => writable.some((folder) => isInside(path, folder)));
  return {
    watch: { secrets, protects },
    stage: {
      writable: writable.length === 0 ? [WORK] : writable,
      targets: near.length === 0 ? AT_HOME : near,
      names: ["n", "src", ".env", "x.md", "A"],
    },
  };
}
