import { accessTo } from "../../../src/profile/access-to.ts";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  namesOf,
  parentOf,
  upwards,
} from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { twinOf } from "./bind.ts";
import { Dice } from "./dice.ts";
import type { Operation } from "./needed-access.ts";
import { bytesOf, NAMES, type Thing, type Tree } from "./tree.ts";

/** What is made by a `create`. */
export type Made = "file" | "folder" | "link";

/**
 * One act that is tried inside. `path` and `to` are canonical; `via` is another spelling of the path, which the act then
 * uses: through a link, `/proc/self/root`, or `..`.
 */
export type Probe =
  | {
      readonly op: "read" | "list" | "write" | "stat" | "attributes";
      readonly path: AbsolutePath;
      readonly via: string | null;
    }
  | { readonly op: "create"; readonly path: AbsolutePath; readonly what: Made; readonly via: string | null }
  | { readonly op: "remove"; readonly path: AbsolutePath; readonly via: null }
  | {
      readonly op: "rename" | "exchange" | "link";
      readonly path: AbsolutePath;
      readonly to: AbsolutePath;
      readonly via: null;
    }
  /** Moves one of the ways aside, and makes the path anew. */
  | {
      readonly op: "displace";
      readonly path: AbsolutePath;
      readonly ways: readonly AbsolutePath[];
      readonly via: null;
    };

/** What the model calls it. Looking at a node reads it, its attributes are content, two names that swap are renamed. */
export function operationOf({ op }: Probe): Operation {
  switch (op) {
    case "stat":
      return "read";
    case "attributes":
      return "write";
    case "exchange":
      return "rename";
    case "displace":
      return "create";
    default:
      return op;
  }
}

/** How many of each kind that could be tried are. */
const MOST = { creates: 40, renames: 24, links: 16, exchanges: 8, spellings: 24 } as const;
const MAX_THINGS = 26;

/** What is tried in one launch: acts that change nothing first, each on many things of the tree and many missing names. */
export function probesOver(tree: Tree, profile: Profile, seed: number): readonly Probe[] {
  const dice = new Dice(seed);
  const things = dice.some(tree.things, MAX_THINGS);
  const folders = tree.things.filter((thing) => thing.kind === "folder").map((thing) => thing.path);
  const fresh = folders.flatMap((folder) => freshIn(tree, profile, folder, dice));
  const moved = things.filter((thing) => !tree.roots.includes(thing.path) || dice.isLucky(4));
  return [
    ...things.flatMap(looks),
    ...dice.some(spellings(tree, things), MOST.spellings),
    ...[tree.place, ...folders].map((path): Probe => ({ op: "list", path, via: null })),
    ...things.flatMap(changes),
    // The base, which is nobody's, wherever the tree grows.
    { op: "create", path: knownPath("/born"), what: "file", via: null },
    ...dice.some(fresh.flatMap(creates), MOST.creates),
    // What has two names would be gone under the other one, also after it was made anew.
    ...moved
      .filter(({ path }) => twinOf(tree, path) === path)
      .map(({ path }): Probe => ({ op: "remove", path, via: null })),
    ...moved.map(
      ({ path }): Probe => ({ op: "rename", path, to: joinPath(parentOf(path), "moved"), via: null }),
    ),
    ...dice
      .some(pairs(moved, fresh), MOST.renames)
      .map(([{ path }, to]): Probe => ({ op: "rename", path, to, via: null })),
    ...dice
      .some(
        pairs(
          things.filter((thing) => thing.kind !== "folder"),
          fresh,
        ),
        MOST.links,
      )
      .map(([{ path }, to]): Probe => ({ op: "link", path, to, via: null })),
    ...dice.some(exchanges(moved), MOST.exchanges),
    ...displacements(tree, profile),
  ];
}

/** A symlink is no content: nothing hides its text and times where its name can be seen. */
function looks({ kind, path }: Thing): readonly Probe[] {
  const stat: Probe = { op: "stat", path, via: null };
  return kind === "file" ? [stat, { op: "read", path, via: null }] : kind === "folder" ? [stat] : [];
}

function changes({ kind, path }: Thing): readonly Probe[] {
  if (kind === "link") return [];
  const attributes: Probe = { op: "attributes", path, via: null };
  return kind === "file" ? [attributes, { op: "write", path, via: null }] : [attributes];
}

/** The same things by other names. */
function spellings(tree: Tree, things: readonly Thing[]): readonly Probe[] {
  return things.flatMap((thing): readonly Probe[] => {
    const { path } = thing;
    const others = [
      `/proc/self/root${path}`,
      `/proc/1/root${path}`,
      `${parentOf(path)}/../${nameOf(parentOf(path))}/${nameOf(path)}`,
      `/${path}`,
    ];
    return [...others.flatMap((via) => through(thing, via)), ...throughLink(tree, thing)];
  });
}

function through({ kind, path }: Thing, via: string): readonly Probe[] {
  if (kind === "link") return [];
  if (kind === "folder")
    return [
      { op: "list", path, via },
      { op: "create", path: joinPath(path, "born"), what: "file", via: `${via}/born` },
    ];
  return [
    { op: "read", path, via },
    { op: "write", path, via },
  ];
}

/** What a link leads to, and what is in there. */
function throughLink(tree: Tree, { kind, path, target }: Thing): readonly Probe[] {
  const led = target === null ? undefined : tree.byPath.get(target);
  if (kind !== "link" || led === undefined || target === null) return [];
  const held = (tree.names.get(target) ?? []).flatMap(
    (name) => tree.byPath.get(joinPath(target, name)) ?? [],
  );
  return [led, ...held].flatMap((one) => through(one, `${path}${one.path.slice(target.length)}`));
}

/** Missing names in a folder: a plain one, some that patterns speak of, and those on the way to what the profile names. */
function freshIn(tree: Tree, profile: Profile, folder: AbsolutePath, dice: Dice): readonly AbsolutePath[] {
  const taken = new Set(tree.names.get(folder) ?? []);
  const named = [
    ...profile.files.map((entry) => entry.path),
    ...profile.masks.flatMap((mask) => mask.pattern.literal ?? []),
  ];
  const names = [
    "born",
    ...dice.some(NAMES, 2),
    ...named
      .filter((path) => path !== folder && isInside(path, folder))
      .map((path) => namesOf(path)[namesOf(folder).length] ?? ""),
  ];
  return [...new Set(names)]
    .filter((name) => name !== "" && !taken.has(name))
    .map((name) => joinPath(folder, name));
}

function creates(path: AbsolutePath): readonly Probe[] {
  return (["file", "folder", "link"] as const).map((what) => ({ op: "create", path, what, via: null }));
}

/** Each thing with each name; a folder never with a name inside itself. */
function pairs(
  things: readonly Thing[],
  names: readonly AbsolutePath[],
): readonly (readonly [Thing, AbsolutePath])[] {
  return things.flatMap((thing) =>
    names.filter((to) => !isInside(to, thing.path)).map((to) => [thing, to] as const),
  );
}

function exchanges(things: readonly Thing[]): readonly Probe[] {
  return things.flatMap((one, at) =>
    things.slice(at + 1).flatMap((other): Probe[] => {
      if (isInside(one.path, other.path) || isInside(other.path, one.path)) return [];
      return [{ op: "exchange", path: one.path, to: other.path, via: null }];
    }),
  );
}

/** Every path that is named or protected, with itself and each folder above it to be moved aside. */
function displacements(tree: Tree, profile: Profile): readonly Probe[] {
  const named = [
    ...profile.files.map((entry) => entry.path),
    ...profile.masks.flatMap((mask) => mask.pattern.literal ?? []),
  ];
  const covered = tree.things.filter(
    (thing) =>
      accessTo(profile, thing.path, {
        kind: thing.kind === "folder" ? "folder" : "file",
        bornInside: false,
      }) !== "write",
  );
  const paths = new Set(
    [...named, ...covered.map((thing) => thing.path)].filter((path) =>
      tree.roots.some((root) => path !== root && isInside(path, root)),
    ),
  );
  return [...paths].map((path) => ({
    op: "displace",
    path,
    ways: [...upwards(path)].filter((at) => at !== tree.place && isInside(at, tree.place)),
    via: null,
  }));
}

/** The probe as the word that `prober.pl` reads. */
export function wordOf(probe: Probe, tree: Tree): string {
  const hex = (text: string): string => bytesOf(text).toString("hex");
  return [probe.op, ...argumentsOf(probe, tree).map(hex)].join(",");
}

function argumentsOf(probe: Probe, tree: Tree): readonly string[] {
  switch (probe.op) {
    case "create":
      return [probe.via ?? probe.path, probe.what];
    case "remove": {
      const thing = tree.byPath.get(probe.path);
      return [probe.path, thing?.kind ?? "file", thing?.content ?? "", String(thing?.mode ?? 0o644)];
    }
    case "rename":
    case "exchange":
    case "link":
      return [probe.path, probe.to];
    case "displace":
      return [probe.path, ...probe.ways];
    default:
      return [probe.via ?? probe.path];
  }
}
