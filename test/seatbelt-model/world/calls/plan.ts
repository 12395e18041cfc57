import type { Query } from "../../query.ts";
import { type Fails, fails } from "../errno.ts";
import type { Kernel } from "../kernel.ts";
import { type Found, type Lookup, type Missing, type Place, resolve } from "../resolve.ts";
import type { Returned } from "../syscall.ts";
import { folderOf, pathOf, type World } from "../world.ts";

/** Where a call is made. */
export interface Scene {
  readonly world: World;
  readonly kernel: Kernel;
}

/** What a call asks, and what it does when all is allowed; or why it can't be done at all. */
export type Plan =
  | { readonly kind: "asks"; readonly queries: readonly Query[]; readonly act: () => Returned }
  | Fails;

/** The plan of a call that gives back nothing, or what its act gives. */
export function asks(queries: readonly Query[], act: () => Returned | undefined): Plan {
  return { kind: "asks", queries, act: () => act() ?? NOTHING };
}

/** What a path leads to, by the kernel's own idea of paths. */
export function reach({ world, kernel }: Scene, path: string, lookup: Lookup = {}): Place {
  return resolve(world, path, { firmlinkPaths: kernel.firmlinkPaths, ...lookup });
}

/** What is there; nothing is a failure. */
export function existing(scene: Scene, path: string, lookup: Lookup = {}): Found | Fails {
  const place = reach(scene, path, lookup);
  return place.kind === "missing" ? fails("ENOENT") : place;
}

/** Where a new name is made that is no folder's; something there is a failure. */
export function vacant(scene: Scene, path: string): Missing | Fails {
  const place = reach(scene, path, { follows: false });
  if (place.kind === "found") return fails("EEXIST");
  return place.kind === "missing" && place.mustBeFolder ? fails("ENOENT") : place;
}

/** What the way to a place asks, before the call asks for itself. */
export function wayTo({ kernel }: Scene, { hops, path }: Found | Missing): readonly Query[] {
  if (kernel.traversalChecks === "nothing") return [];
  const links = hops.map((hop): Query => ({ operation: METADATA, path: hop.path, vnode: "SYMLINK" }));
  if (kernel.traversalChecks === "hops") return links;
  const folders = new Set([...hops.map((hop) => hop.path), path].flatMap(ancestors));
  return [...[...folders].map(folderMetadata), ...links];
}

/** What the working folder's path asks of each folder in it. */
export function ofWorkingFolder({ world, kernel }: Scene): readonly Query[] {
  if (!kernel.getcwdChecksAncestors) return [];
  const path = pathOf(world, folderOf(world, world.cwd));
  return [...ancestors(path), path].map(folderMetadata);
}

/** An operation on what is there. */
export function about(operation: string, { path, node }: Found): Query {
  return { operation, path, vnode: node.vnode };
}

/** An operation that makes a name for a node of this kind. */
export function creates(path: string, vnode: NonNullable<Query["vnode"]>): Query {
  return { operation: "file-write-create", path, vnode };
}

const METADATA = "file-read-metadata";
const NOTHING: Returned = { is: "nothing" };

function folderMetadata(path: string): Query {
  return { operation: METADATA, path, vnode: "DIRECTORY" };
}

/** The folders above a canonical path, from the root down. */
function ancestors(path: string): readonly string[] {
  const found = ["/"];
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1))
    found.push(path.slice(0, at));
  return path === "/" ? [] : found;
}
