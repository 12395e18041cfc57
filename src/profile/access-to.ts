import { type Access, isAtMost } from "./access.ts";
import { maskIndex, tighterMask } from "./mask-index.ts";
import { type AbsolutePath, nameOf, upwards } from "./path.ts";
import { type FileEntry, indexEntries, type Mask, nearestEntry, type Profile } from "./profile.ts";
import { takesFile } from "./suffix.ts";

/** The kind of node at a path; suffix lists apply to files alone. */
export type Kind = "file" | "folder";

/** The facts of a queried path. `bornInside`: it was made during the call, so that glob masks do not hold for it. */
export interface PathFacts {
  readonly kind: Kind;
  readonly bornInside: boolean;
}

/** The part of a profile that decided: an entry, a mask, a suffix list, or the lack of an entry. */
export type Clause =
  | { readonly kind: "entry"; readonly entry: FileEntry }
  | { readonly kind: "suffix"; readonly entry: FileEntry }
  | { readonly kind: "mask"; readonly mask: Mask }
  | { readonly kind: "unlisted" };

/** The access to one path, and the clause that decided it. */
export interface PathRuling {
  readonly access: Access;
  readonly clause: Clause;
}

/** Rulings on paths under one profile; made once, queried often. */
export type PathRuler = (path: AbsolutePath, facts: PathFacts) => PathRuling;

/** The default facts of a path: a file that existed at the start. */
export const EXISTING_FILE: PathFacts = { kind: "file", bornInside: false };

/**
 * The access that the profile gives to a path: that of the nearest entry (for a file whose suffix is not listed:
 * none), capped by every mask that matches the path or a folder above it. Paths are the host's, canonical.
 */
export function accessTo(profile: Profile, path: AbsolutePath, facts: PathFacts = EXISTING_FILE): Access {
  return pathRuler(profile)(path, facts).access;
}

/** Profiles are immutable: a compiled one holds for as long as the profile exists. */
const compiled = new WeakMap<Profile, PathRuler>();

/** The profile's file part, compiled once. `pathRuler(p)(path, facts).access = accessTo(p, path, facts)`. */
export function pathRuler(profile: Profile): PathRuler {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const ruler = compile(profile);
  compiled.set(profile, ruler);
  return ruler;
}

function compile(profile: Profile): PathRuler {
  const entries = indexEntries(profile.files);
  const capOf = maskRuler(profile.masks);
  return remembering((path, facts) => {
    const listed = rulingOfEntry(nearestEntry(entries, path), path, facts.kind);
    const mask = listed.access === "none" ? null : capOf(path, facts.bornInside);
    if (mask === null || isAtMost(listed.access, mask.atMost)) return listed;
    return { access: mask.atMost, clause: { kind: "mask", mask } };
  });
}

/** The maximum of remembered rulings: calls mostly query the same few hundred paths. */
const MAX_REMEMBERED = 10_000;

function remembering(rule: PathRuler): PathRuler {
  const known = new Map<string, PathRuling>();
  return (path, facts) => {
    const key = `${facts.kind}${facts.bornInside ? "+" : ""}${path}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const ruling = rule(path, facts);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, ruling);
    return ruling;
  };
}

/** Finds the mask that caps a path the most, or null. */
export type MaskRuler = (path: AbsolutePath, bornInside: boolean) => Mask | null;

/** Compiles masks. A literal mask holds for every path at or below it, a glob mask for paths not born inside. */
export function maskRuler(masks: readonly Mask[]): MaskRuler {
  const literals = new Map<AbsolutePath, Mask>();
  for (const mask of masks) {
    const { literal } = mask.pattern;
    if (literal !== null) literals.set(literal, tighterMask(literals.get(literal) ?? null, mask));
  }
  const find = maskIndex(masks.filter((mask) => mask.pattern.literal === null || mask.ignoreCase));
  const own = (path: AbsolutePath, bornInside: boolean): Mask | null => {
    const mask = literals.get(path) ?? null;
    const covering = bornInside ? null : find(path);
    return covering === null ? mask : tighterMask(mask, covering);
  };
  // The result for a folder holds for all in it: it is computed once for a deep tree.
  const known = { born: new Map<AbsolutePath, Mask | null>(), found: new Map<AbsolutePath, Mask | null>() };
  return (path, bornInside) => {
    const before = bornInside ? known.born : known.found;
    const unknown: AbsolutePath[] = [];
    let found: Mask | null = null;
    for (const at of upwards(path)) {
      const mask = before.get(at);
      if (mask !== undefined) {
        found = mask;
        break;
      }
      unknown.push(at);
    }
    if (before.size > MAX_REMEMBERED) before.clear();
    for (const at of unknown.reverse()) {
      const mask = own(at, bornInside);
      // The deepest of equal ones.
      found = mask === null ? found : found === null ? mask : tighterMask(mask, found);
      before.set(at, found);
    }
    return found;
  };
}

function rulingOfEntry(entry: FileEntry, path: AbsolutePath, kind: Kind): PathRuling {
  if (kind === "file" && !takesFile(entry.suffixes, nameOf(path)))
    return { access: "none", clause: { kind: "suffix", entry } };
  return {
    access: entry.access,
    clause: entry.access === "none" && entry.path === "/" ? { kind: "unlisted" } : { kind: "entry", entry },
  };
}
