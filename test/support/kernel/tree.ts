import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { realPathOf, statsOf } from "../../../src/host/look/nodes.ts";
import {
  type AbsolutePath,
  joinPath,
  parentOf,
  pathFromBytes,
  pathToBytes,
} from "../../../src/profile/path.ts";

/** Names that profiles speak of, and odd ones: blanks, wildcards, bytes that are no UTF-8, a line break. */
const USUAL = ["a", "b", ".env", ".git", "config", "x.md", "A", ".ENV"] as const;
const ODD = [
  "two words",
  "é",
  "\u{1F600}",
  "[b]",
  "\udcff\udc80",
  "new\nline",
  "x.tar.gz",
  "back\\slash",
  "-r",
  "#",
] as const;
export const NAMES: readonly string[] = [...USUAL, ...ODD];

/** What grows in a folder. A link leads to a thing of the tree by its number, to itself, or nowhere. */
export type Plant =
  | { readonly kind: "file"; readonly name: string; readonly mode: number }
  | {
      readonly kind: "folder";
      readonly name: string;
      readonly mode: number;
      readonly holds: readonly Plant[];
    }
  | { readonly kind: "link"; readonly name: string; readonly leads: Lead };
type Lead =
  | { readonly to: "thing"; readonly number: number; readonly isAbsolute: boolean }
  | { readonly to: "itself" }
  | { readonly to: "nowhere" };

/** A tree before it is on disk: what the folder `w` holds, and what else there is to find. */
export interface TreeSketch {
  readonly holds: readonly Plant[];
  /** A folder with more matching files than a suffix list shows one by one. */
  readonly hasCrowd: boolean;
  /** One folder mounted on another, as far as this user may mount. */
  readonly bind: { readonly from: number; readonly at: number } | null;
}

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...USUAL) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
);
const fileMode = fc.oneof(
  { weight: 16, arbitrary: fc.constant(0o644) },
  { weight: 1, arbitrary: fc.constantFrom(0o444, 0o200, 0) },
);
const folderMode = fc.oneof(
  { weight: 16, arbitrary: fc.constant(0o755) },
  { weight: 1, arbitrary: fc.constantFrom(0o555, 0o700, 0o300, 0o600) },
);
const lead: fc.Arbitrary<Lead> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ to: fc.constant("thing" as const), number: fc.nat(40), isAbsolute: fc.boolean() }),
  },
  fc.constant<Lead>({ to: "itself" }),
  fc.constant<Lead>({ to: "nowhere" }),
);

function plants(depth: number): fc.Arbitrary<readonly Plant[]> {
  const file = fc.record({ kind: fc.constant("file" as const), name, mode: fileMode });
  const link = fc.record({ kind: fc.constant("link" as const), name, leads: lead });
  const folder = fc.record({
    kind: fc.constant("folder" as const),
    name,
    mode: folderMode,
    holds: depth === 0 ? fc.constant([]) : plants(depth - 1),
  });
  const plant = fc.oneof(
    { weight: 4, arbitrary: file },
    { weight: 4, arbitrary: folder },
    { weight: 2, arbitrary: link },
  );
  return fc.uniqueArray<Plant, string>(plant, { selector: (one) => one.name, maxLength: 4 });
}

export const treeSketch: fc.Arbitrary<TreeSketch> = fc.record({
  holds: plants(2),
  hasCrowd: fc.nat(24).map((number) => number === 24),
  bind: fc.option(fc.record({ from: fc.nat(40), at: fc.nat(40) }), { freq: 12 }),
});

/** Something on disk. `target` is where a link leads, canonical, or null; `content` is a file's, and no other file has it. */
export interface Thing {
  readonly number: number;
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly content: string;
  readonly target: AbsolutePath | null;
  readonly identity: string;
}

/** A tree on disk: the folder `w` that profiles are mostly about, and a folder `outside` next to it. */
export interface Tree {
  readonly place: AbsolutePath;
  readonly roots: readonly AbsolutePath[];
  readonly things: readonly Thing[];
  readonly byPath: ReadonlyMap<AbsolutePath, Thing>;
  /** Names in each folder, those in a crowd included. */
  readonly names: ReadonlyMap<AbsolutePath, readonly string[]>;
  /** The folder that is mounted on another one, so that what it holds has two names; or null. */
  readonly bound: { readonly source: AbsolutePath; readonly point: AbsolutePath } | null;
  readonly crowd: AbsolutePath | null;
}

const OUTSIDE: readonly Plant[] = [
  { kind: "file", name: "secret", mode: 0o644 },
  { kind: "folder", name: "sub", mode: 0o755, holds: [{ kind: "file", name: "x.md", mode: 0o644 }] },
];
const CROWD_SIZE = 66;

/** What was planted so far. */
interface Seedling {
  readonly path: AbsolutePath;
  readonly plant: Plant;
}

/** Grows the sketch in an empty folder. Everything belongs to the owner. */
export function growTree(
  place: AbsolutePath,
  sketch: TreeSketch,
  owner: { readonly uid: number; readonly gid: number },
): Tree {
  const planted: Seedling[] = [];
  const crowded: readonly Plant[] = sketch.hasCrowd
    ? [{ kind: "folder", name: "crowd", mode: 0o755, holds: crowdOf() }]
    : [];
  plant(
    place,
    [
      { kind: "folder", name: "w", mode: 0o755, holds: [...sketch.holds, ...crowded] },
      { kind: "folder", name: "outside", mode: 0o755, holds: OUTSIDE },
    ],
    planted,
  );
  for (const { path, plant: one } of planted)
    if (one.kind === "link") symlinkSync(bytesOf(textOf(one.leads, path, planted)), bytesOf(path));
  const crowd = sketch.hasCrowd ? joinPath(joinPath(place, "w"), "crowd") : null;
  const names = Map.groupBy(planted, ({ path }) => parentOf(path));
  const things = planted.flatMap(({ path, plant: one }, number) =>
    crowd === parentOf(path) && one.name !== "0.md" ? [] : [thingOf(path, one, number)],
  );
  for (const { path, plant: one } of [...planted].reverse()) {
    if (one.kind !== "link") chmodSync(bytesOf(path), one.mode);
    lchownSync(bytesOf(path), owner.uid, owner.gid);
  }
  lchownSync(place, owner.uid, owner.gid);
  return {
    place,
    roots: [joinPath(place, "w"), joinPath(place, "outside")],
    things,
    byPath: new Map(things.map((thing) => [thing.path, thing])),
    names: new Map([...names].map(([folder, held]) => [folder, held.map(({ plant: one }) => one.name)])),
    bound: null,
    crowd,
  };
}

function crowdOf(): readonly Plant[] {
  return Array.from({ length: CROWD_SIZE }, (_, at) => ({ kind: "file", name: `${at}.md`, mode: 0o644 }));
}

function plant(folder: AbsolutePath, holds: readonly Plant[], planted: Seedling[]): void {
  for (const one of holds) {
    const path = joinPath(folder, one.name);
    planted.push({ path, plant: one });
    if (one.kind === "file") writeFileSync(bytesOf(path), contentOf(planted.length - 1));
    if (one.kind === "folder") {
      mkdirSync(bytesOf(path));
      plant(path, one.holds, planted);
    }
  }
}

/** The text of a link; of a relative one, a path from the folder that holds it. */
function textOf(leads: Lead, path: AbsolutePath, planted: readonly Seedling[]): string {
  if (leads.to === "nowhere") return "does-not-exist";
  const target = leads.to === "itself" ? path : (planted[leads.number % planted.length]?.path ?? path);
  if (leads.to === "thing" && leads.isAbsolute) return target;
  const [from, to] = [parentOf(path).split("/"), target.split("/")];
  while (from.length > 0 && from[0] === to[0]) {
    from.shift();
    to.shift();
  }
  return [...from.map(() => ".."), ...to].join("/") || ".";
}

/** Begins with a T, so that writing a T over its beginning changes nothing. */
function contentOf(number: number): string {
  return `Thing ${number}.`;
}

function thingOf(path: AbsolutePath, one: Plant, number: number): Thing {
  const stats = lstatSync(bytesOf(path));
  return {
    number,
    path,
    kind: one.kind,
    mode: one.kind === "link" ? 0o777 : one.mode,
    content:
      one.kind === "file"
        ? contentOf(number)
        : one.kind === "link"
          ? pathFromBytes(readlinkSync(bytesOf(path), "buffer"))
          : "",
    target: one.kind === "link" ? realPathOf(path) : null,
    identity: `${stats.dev} ${stats.ino}`,
  };
}

/** The tree after acts that made some of its things anew. */
export function seenAgain(tree: Tree): Tree {
  const things = tree.things.map((thing) => {
    const stats = statsOf(thing.path);
    return stats === null ? thing : { ...thing, identity: `${stats.dev} ${stats.ino}` };
  });
  return { ...tree, things, byPath: new Map(things.map((thing) => [thing.path, thing])) };
}

/** Everything that can be seen of a tree, one line a thing: kind, mode, owner, content. */
export function inventory(folder: AbsolutePath): readonly string[] {
  return listed(folder).flatMap((one) => {
    const path = joinPath(folder, one);
    const stats = statsOf(path);
    if (stats === null) return [`${JSON.stringify(path)} closed`];
    const line = `${JSON.stringify(path)} ${stats.mode.toString(8)} ${stats.uid} ${stats.nlink}`;
    if (stats.isSymbolicLink())
      return [`${line} → ${JSON.stringify(pathFromBytes(readlinkSync(bytesOf(path), "buffer")))}`];
    if (stats.isDirectory()) return [line, ...inventory(path)];
    return [`${line} ${stats.size} ${readable(path)}`];
  });
}

function listed(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(bytesOf(folder), "buffer").map(pathFromBytes).sort();
  } catch {
    return [];
  }
}

function readable(path: AbsolutePath): string {
  try {
    return readFileSync(bytesOf(path), "latin1");
  } catch {
    return "closed";
  }
}

/** Removes a tree, whatever its modes. */
export function fellTree(folder: AbsolutePath): void {
  chmodSync(bytesOf(folder), 0o700);
  for (const one of readdirSync(bytesOf(folder), { withFileTypes: true, encoding: "buffer" })) {
    const path = joinPath(folder, pathFromBytes(one.name));
    if (one.isDirectory()) fellTree(path);
    else unlinkSync(bytesOf(path));
  }
  rmdirSync(bytesOf(folder));
}

/** The path as the kernel takes it. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(pathToBytes(path));
}
