import { isAtMost } from "../../profile/access.ts";
import { maskRuler, type PathRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, byPath, isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import { type Area, EVERYTHING, type Only, type Shape } from "./area.ts";
import { type Reach, reachesOf } from "./reach.ts";

/**
 * What a rule lets a process do, or forbids. `read`: read, list and run. `pass`: stat alone. `change`: new content for
 * what is there. `names`: make, remove, rename. `write`: `change` and `names` together.
 */
export type Right = "read" | "pass" | "change" | "names" | "write";

/** One rule on files. Of a whole set, no allow and no deny ever hold for the same right and path. */
export interface FileRule {
  readonly action: "allow" | "deny";
  readonly right: Right;
  readonly area: Area;
}

/** The rules of a profile, in the order in which they are printed, and the nodes whose names they hold in place. */
export interface FileRules {
  readonly rules: readonly FileRule[];
  /** Nodes that can't be made, removed or renamed, so that what is protected below them stays where it is. */
  readonly pins: readonly AbsolutePath[];
}

/**
 * The rules that give each path what the profile gives, in disjoint normal form: whatever an allow leaves out is left
 * out by the allow itself, so that the order of rules means nothing. In order:
 * 1. reading, one area for each reach of the entries, without nearer reaches and masks;
 * 2. stat of the folders that lead to them;
 * 3. changing content, and making and removing names, likewise; names without the pins;
 * 4. denies that say once more what 1 and 3 left out: nearer reaches, masks, pins.
 * Masks hold for whatever matches, also for what is made during the call.
 */
export function fileRules(profile: Profile, facts: Pick<Facts, "hits">): FileRules {
  const ruler = pathRuler(profile);
  const reading = sideOf(profile, "read");
  const writing = sideOf(profile, "write");
  const pins = pinsOf(profile, facts, ruler);
  const passes = passesTo(reading.live, ruler);
  return {
    rules: [
      ...reading.live.flatMap((reach) => allows(reading, reach, ["read"], [])),
      ...passes.map(
        (path): FileRule => ({ action: "allow", right: "pass", area: only({ kind: "node", path }) }),
      ),
      ...writing.live.flatMap((reach) => [
        ...allows(writing, reach, ["change"], []),
        ...allows(writing, reach, ["names"], pins),
      ]),
      ...denies(reading, "read", passes),
      ...denies(writing, "write", []),
      ...pins.map(
        (path): FileRule => ({ action: "deny", right: "names", area: only({ kind: "node", path }) }),
      ),
    ],
    pins,
  };
}

/** The masks that may touch what lies in a folder, or cover the folder itself. */
export function masksTouching(masks: readonly Mask[], folder: AbsolutePath): readonly Mask[] {
  return masks.filter(({ pattern, ignoreCase }) => {
    const spell = (path: AbsolutePath): string =>
      ignoreCase ? path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : path;
    const [start, root] = [spell(literalPrefix(pattern)), spell(folder)];
    return isPrefix(start, root) || isPrefix(root, start);
  });
}

function isPrefix(above: string, path: string): boolean {
  return above === "/" || path === above || path.startsWith(`${above}/`);
}

/** What one access needs: where entries give it, and the masks that take it away. */
interface Side {
  readonly reaches: readonly Reach[];
  /** The reaches that give anything and are not themselves masked. */
  readonly live: readonly Reach[];
  readonly masks: readonly Mask[];
}

function sideOf(profile: Profile, access: "read" | "write"): Side {
  const masks = profile.masks.filter((mask) => !isAtMost(access, mask.atMost));
  const capOf = maskRuler(masks);
  const reaches = reachesOf(profile.files, access);
  const live = reaches.filter((reach) => reach.gives !== "none" && capOf(reach.path, false) === null);
  return { reaches, live, masks };
}

/** With a suffix list, folders can be read as well; they can't be made or moved, for what else is in them. */
function allows(
  side: Side,
  reach: Reach,
  rights: readonly Right[],
  pins: readonly AbsolutePath[],
): readonly FileRule[] {
  const { path, gives, below } = reach;
  if (gives === "none") return [];
  const except = [
    ...below.map((other): Shape => ({ kind: "tree", path: other.path })),
    ...masksTouching(side.masks, path).flatMap(shapesOf),
    ...pins.filter((pin) => isInside(pin, path)).map((pin): Shape => ({ kind: "node", path: pin })),
  ];
  const kinds: readonly Only[] =
    gives === "any"
      ? [EVERYTHING]
      : [
          ...(rights.includes("read") ? [{ kind: "folders" } as const] : []),
          ...(gives.length === 0 ? [] : [{ kind: "files", endings: gives } as const]),
        ];
  return rights.flatMap((right) =>
    kinds.map(
      (meant): FileRule => ({
        action: "allow",
        right,
        area: { within: { kind: "tree", path }, only: meant, except },
      }),
    ),
  );
}

function denies(
  { reaches, live, masks }: Side,
  right: Right,
  passes: readonly AbsolutePath[],
): readonly FileRule[] {
  const nearer = reaches.flatMap((reach) => denyAround(reach, right, passes));
  const touching = new Set(live.flatMap((reach) => masksTouching(masks, reach.path)));
  const masked = masks.filter((mask) => touching.has(mask)).flatMap(shapesOf);
  return [...nearer, ...masked.map((shape): FileRule => ({ action: "deny", right, area: only(shape) }))];
}

/** What a reach does not give of what surrounds it. */
function denyAround(
  { path, gives, above, below }: Reach,
  right: Right,
  passes: readonly AbsolutePath[],
): readonly FileRule[] {
  if (gives === "any" || above === null || above.gives === "none") return [];
  const except = [
    ...below.map((other): Shape => ({ kind: "tree", path: other.path })),
    ...passes.filter((pass) => isInside(pass, path)).map((pass): Shape => ({ kind: "node", path: pass })),
  ];
  const meant: Only = gives === "none" ? EVERYTHING : { kind: "other-files", endings: gives };
  return [{ action: "deny", right, area: { within: { kind: "tree", path }, only: meant, except } }];
}

/** The folders above what is given that can't be read themselves, topmost first. */
function passesTo(live: readonly Reach[], ruler: PathRuler): readonly AbsolutePath[] {
  const above = new Set(
    live.flatMap((reach) => (reach.path === ROOT ? [] : [...upwards(parentOf(reach.path))])),
  );
  return [...above]
    .filter((path) => ruler(path, { kind: "folder", bornInside: false }).access === "none")
    .sort(byPath);
}

/**
 * The node of every entry, and every writable folder above an entry, a literal mask or something that a glob mask covers:
 * if one could be moved away, what it protects would be found under a name that no rule speaks of.
 */
function pinsOf(profile: Profile, { hits }: Pick<Facts, "hits">, ruler: PathRuler): readonly AbsolutePath[] {
  const accessOf = (path: AbsolutePath) => ruler(path, { kind: "folder", bornInside: false }).access;
  const entries = profile.files.map((entry) => entry.path);
  const literals = profile.masks.flatMap((mask) => mask.pattern.literal ?? []);
  const covered = hits.filter((hit) => accessOf(hit) !== "write");
  const pins = new Set(entries.filter((path) => accessOf(path) === "write"));
  for (const path of [...entries, ...literals, ...covered]) {
    if (path === ROOT) continue;
    for (const at of upwards(parentOf(path))) if (accessOf(at) === "write") pins.add(at);
  }
  return [...pins].sort(byPath);
}

/**
 * A literal that ignores case is its own spelling, for which the kernel decides, and every other, for which a regex
 * does.
 */
function shapesOf({ pattern, ignoreCase }: Mask): readonly Shape[] {
  const { literal } = pattern;
  const match: Shape = { kind: "match", pattern, ignoreCase };
  if (literal === null) return [match];
  return [{ kind: "tree", path: literal }, ...(ignoreCase ? [match] : [])];
}

function only(shape: Shape): Area {
  return { within: shape, only: EVERYTHING, except: [] };
}
