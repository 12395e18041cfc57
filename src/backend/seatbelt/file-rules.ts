import { isAtMost } from "../../profile/access.ts";
import { maskRuler, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, foldedPath, isInside, nameOf, nearestIn } from "../../profile/path.ts";
import { hasNegatedSet, literalPrefix } from "../../profile/pattern.ts";
import type { Mask, Profile } from "../../profile/profile.ts";
import { takesFile } from "../../profile/suffix.ts";
import type { Facts, MacFacts } from "../facts.ts";
import { type Area, EVERYTHING, type Only, type Shape } from "./area.ts";
import { passesTo } from "./passes.ts";
import { pinsOf } from "./pins.ts";
import { type EntryReach, reachesOf } from "./reach.ts";
import { foldsCaseAt, foldsCaseBelow, spelledLike } from "./volumes.ts";

/** `read`: read, list, run. `pass`: stat alone. `change`: new content. `names`: make, remove, rename. `write`: both. */
export type Right = "read" | "pass" | "change" | "names" | "write";

/** One rule on files. Of a whole set, no allow and no deny ever hold for the same right and path. */
export interface FileRule {
  readonly action: "allow" | "deny";
  readonly right: Right;
  readonly area: Area;
}

/** The facts of the machine that the rules need. */
export interface FileFacts extends Pick<Facts, "hits" | "repositories" | "ways"> {
  readonly mac: MacFacts;
  /** Links that lead to granted paths, each by its canonical folder: a process must see where they lead. */
  readonly hops: readonly AbsolutePath[];
  readonly hasGiven: boolean;
}

/** The rules of a profile by purpose, in the order of printing, and the nodes that they hold in place. */
export interface FileRules {
  readonly reading: readonly FileRule[];
  readonly passing: readonly FileRule[];
  readonly writing: readonly FileRule[];
  readonly neverRead: readonly FileRule[];
  readonly neverWritten: readonly FileRule[];
  readonly neverMoved: readonly FileRule[];
  readonly pins: readonly AbsolutePath[];
  /** Paths where rules begin to give access to read and to write. */
  readonly roots: Readonly<Record<"read" | "write", readonly AbsolutePath[]>>;
}

/** Returns the paths where access begins that matter for a rule. */
export function rootsOf({ roots }: Pick<FileRules, "roots">, { right }: FileRule): readonly AbsolutePath[] {
  return roots[right === "read" || right === "pass" ? "read" : "write"];
}

/** All rules in the order of printing. */
export function everyRule(files: Omit<FileRules, "pins" | "roots">): readonly FileRule[] {
  const { reading, passing, writing, neverRead, neverWritten, neverMoved } = files;
  return [...reading, ...passing, ...writing, ...neverRead, ...neverWritten, ...neverMoved];
}

/**
 * The rules that give each path its access, in disjoint normal form: each allow leaves out its exceptions itself, so
 * that order means nothing. Reading, stat of the ways there, writing without pins, then denies that repeat the
 * exceptions. Masks hold for paths made during the call, too, except in places made for the call.
 */
export function fileRules(given: Profile, facts: FileFacts): FileRules {
  const profile = { ...given, masks: foldedMasks(given.masks, facts) };
  const ruler = pathRuler(profile);
  const [reading, writing] = [sideOf(profile, "read", facts), sideOf(profile, "write", facts)];
  const pins = pinsOf(profile, facts, ruler);
  const isSpelledAlike = spelledLike(profile.files);
  const held = pins.map((path) => node(path, foldsCaseAt(facts, path)));
  const passes = passesTo(reading, [...facts.hops, facts.mac.calls], ruler);
  return {
    reading: [allow("read", [CALL]), ...allows(reading, "read", [])],
    passing: [allow("pass", [...passes.map((path) => node(path, false)), FOLDER_ITSELF])],
    writing: [
      allow("write", [CALL]),
      ...allows(writing, "write", held),
      ...contentOf(writing, pins.filter(isSpelledAlike)),
    ],
    neverRead: denies(reading, "read", facts, passes),
    neverWritten: denies(writing, "write", facts, []),
    neverMoved:
      held.length === 0
        ? []
        : [{ action: "deny", right: "names", area: { within: held, only: EVERYTHING, except: [] } }],
    pins,
    roots: { read: reading.live.map(({ path }) => path), write: writing.live.map(({ path }) => path) },
  };
}

/** The call's own folder holds the places that are made for it, and the hidden files that prove the sandbox. */
const FOLDER_ITSELF: Shape = { kind: "own", what: "folder" };
const CALL: Shape = { kind: "own", what: "places" };
const GIVEN: Shape = { kind: "own", what: "given" };

/** The masks, without case where volumes ignore it. Such a mask also holds as written, as a set excludes both cases. */
export function foldedMasks(masks: readonly Mask[], facts: Pick<FileFacts, "mac">): readonly Mask[] {
  return masks.flatMap((mask) => {
    const folds = mask.pattern.literal === null ? foldsCaseBelow : foldsCaseAt;
    if (mask.ignoreCase || !folds(facts, literalPrefix(mask.pattern))) return [mask];
    const folding = { ...mask, ignoreCase: true };
    return mask.pattern.segments.some(hasNegatedSet) ? [mask, folding] : [folding];
  });
}

/** The masks that may touch paths in a folder, or cover the folder itself. */
export function masksTouching(masks: readonly Mask[], folder: AbsolutePath): readonly Mask[] {
  return masks.filter(({ pattern, ignoreCase }) => {
    const spell = (path: AbsolutePath): string => (ignoreCase ? foldedPath(path) : path);
    const [start, root] = [spell(literalPrefix(pattern)), spell(folder)];
    return isPrefix(start, root) || isPrefix(root, start);
  });
}

/** True if a path lies in a folder, whichever way both are spelled. */
function isBelow(path: AbsolutePath, folder: AbsolutePath): boolean {
  return isPrefix(foldedPath(folder), foldedPath(path));
}

function isPrefix(above: string, path: string): boolean {
  return above === "/" || path === above || path.startsWith(`${above}/`);
}

interface ReachSide {
  readonly reaches: readonly EntryReach[];
  /** The reaches that give anything and are not themselves masked. */
  readonly live: readonly EntryReach[];
  readonly masks: readonly Mask[];
  readonly tree: (path: AbsolutePath) => Shape;
}

function sideOf(profile: Profile, access: "read" | "write", facts: FileFacts): ReachSide {
  const masks = profile.masks.filter((mask) => !isAtMost(access, mask.atMost));
  const capOf = maskRuler(masks);
  const reaches = reachesOf(profile.files, access);
  const live = reaches.filter((reach) => reach.gives !== "none" && capOf(reach.path, false) === null);
  const tree = (path: AbsolutePath): Shape => ({ kind: "tree", path, ignoreCase: foldsCaseAt(facts, path) });
  return { reaches, live, masks, tree };
}

/** With a suffix list, folders can be read as well. They cannot be made or moved, because of their other content. */
function allows(side: ReachSide, right: "read" | "write", pins: readonly Shape[]): readonly FileRule[] {
  return groupsOf(side.live).flatMap((group) => {
    const [{ gives }] = group;
    const masks = new Set(group.flatMap(({ path }) => masksTouching(side.masks, path)));
    const except = [
      ...group.flatMap(({ below }) => below.map(({ path }) => side.tree(path))),
      ...[...masks].map(shapeOf),
      ...pins.filter((pin) => pin.kind === "node" && group.some(({ path }) => isBelow(pin.path, path))),
    ];
    const within = group.map(({ path }): Shape => ({ kind: "tree", path, ignoreCase: false }));
    const rule = (only: Only): FileRule => ({ action: "allow", right, area: { within, only, except } });
    if (gives === "any") return [rule(EVERYTHING)];
    return [
      ...(right === "read" ? [rule({ kind: "folders" })] : []),
      ...(gives.length === 0 || gives === "none" ? [] : [rule({ kind: "files", endings: gives })]),
    ];
  });
}

/** Reaches that give all and are in no other's exceptions, together; those with a suffix list each by itself. */
function groupsOf(live: readonly EntryReach[]): readonly (readonly [EntryReach, ...EntryReach[]])[] {
  const groups: [EntryReach, ...EntryReach[]][] = [];
  for (const reach of live) {
    const fitting =
      reach.gives === "any"
        ? groups.find((group) => group.every((other) => areApart(reach, other)))
        : undefined;
    if (fitting === undefined) groups.push([reach]);
    else fitting.push(reach);
  }
  return groups;
}

function areApart(a: EntryReach, b: EntryReach): boolean {
  const holds = (below: readonly EntryReach[], path: AbsolutePath): boolean =>
    below.some((one) => isBelow(path, one.path));
  return b.gives === "any" && !holds(a.below, b.path) && !holds(b.below, a.path);
}

/** Pinned paths in fully writable places, and files by suffix. A path that differs in case alone may be masked. */
function contentOf({ reaches, masks }: ReachSide, pins: readonly AbsolutePath[]): readonly FileRule[] {
  const byPath = new Map(reaches.map((reach) => [reach.path, reach]));
  const gives = (pin: AbsolutePath): EntryReach["gives"] => nearestIn(byPath, pin)?.gives ?? "none";
  const except = masks.filter((mask) => !mask.ignoreCase).map(shapeOf);
  const rule = (some: readonly AbsolutePath[], only: Only): FileRule => {
    const within = some.map((path) => node(path, false));
    return { action: "allow", right: "change", area: { within, only, except } };
  };
  const open = pins.filter((pin) => gives(pin) === "any");
  const bySuffix = pins.flatMap((pin): readonly FileRule[] => {
    const endings = gives(pin);
    const isFile = typeof endings !== "string" && takesFile(endings, nameOf(pin));
    return isFile ? [rule([pin], { kind: "files", endings })] : [];
  });
  return [...(open.length === 0 ? [] : [rule(open, EVERYTHING)]), ...bySuffix];
}

function denies(
  side: ReachSide,
  right: Right,
  facts: FileFacts,
  passes: readonly AbsolutePath[],
): readonly FileRule[] {
  const touching = new Set(side.live.flatMap(({ path }) => masksTouching(side.masks, path)));
  const masked = side.masks.filter((mask) => touching.has(mask));
  const own = right === "read" ? [FOLDER_ITSELF, CALL, ...(facts.hasGiven ? [GIVEN] : [])] : [CALL];
  const holdsCalls = (path: AbsolutePath): boolean => isBelow(facts.mac.calls, path);
  const isAboutCalls = (mask: Mask): boolean => masksTouching([mask], facts.mac.calls).length > 0;
  const areas = [
    ...side.reaches.flatMap((reach) => areaAround(reach, side, passes, holdsCalls(reach.path) ? own : [])),
    ...[false, true].map(
      (about): Area => ({
        within: masked.filter((mask) => isAboutCalls(mask) === about).map(shapeOf),
        only: EVERYTHING,
        except: about ? own : [],
      }),
    ),
  ];
  const plain = areas.filter(({ only, except }) => only === EVERYTHING && except.length === 0);
  const others = areas.filter((area) => !plain.includes(area));
  const whole: Area = { within: plain.flatMap(({ within }) => within), only: EVERYTHING, except: [] };
  return [whole, ...others]
    .filter(({ within }) => within.length > 0)
    .map((area): FileRule => ({ action: "deny", right, area }));
}

/** `own` are the places of the call, which may lie in the reach. */
function areaAround(
  { path, gives, above, below }: EntryReach,
  { tree }: ReachSide,
  passes: readonly AbsolutePath[],
  own: readonly Shape[],
): readonly Area[] {
  if (gives === "any" || above === null || above.gives === "none") return [];
  const except = [
    ...below.map((other): Shape => ({ kind: "tree", path: other.path, ignoreCase: false })),
    ...passes.filter((pass) => isInside(pass, path)).map((pass) => node(pass, false)),
    ...own,
  ];
  return [
    {
      within: [tree(path)],
      only: gives === "none" ? EVERYTHING : { kind: "other-files", endings: gives },
      except,
    },
  ];
}

function shapeOf({ pattern, ignoreCase, exceptTreesOf }: Mask): Shape {
  const { literal } = pattern;
  return literal === null
    ? { kind: "match", pattern, ignoreCase, exceptTreesOf: exceptTreesOf ?? null }
    : { kind: "tree", path: literal, ignoreCase };
}

function node(path: AbsolutePath, ignoreCase: boolean): Shape {
  return { kind: "node", path, ignoreCase };
}

function allow(right: Right, within: readonly Shape[]): FileRule {
  return { action: "allow", right, area: { within, only: EVERYTHING, except: [] } };
}
