import type { Facts } from "../../../src/backend/facts.ts";
import { isAtMost } from "../../../src/profile/access.ts";
import type { Kind } from "../../../src/profile/access-to.ts";
import {
  type AbsolutePath,
  isInside,
  knownPath,
  nameOf,
  parentOf,
  ROOT,
  upwards,
} from "../../../src/profile/path.ts";
import {
  type EntryIndex,
  type FileEntry,
  indexEntries,
  nearestEntry,
  type Profile,
} from "../../../src/profile/profile.ts";
import { sameSuffixes } from "../../../src/profile/suffix.ts";
import { CALL, CALL_PARAMETERS, type MacCase } from "../../support/mac/mac-case.ts";
import type { Query, Reading } from "../query.ts";
import { type AccessOn, accessOn, foldedPath, foldsVolumeAt, isPlain, takesName } from "./access-on.ts";

/**
 * What the portable profile says to a question of the kernel: yes, no, or at most yes, where an approximation may be
 * tighter. `isNamed`: a no that a rule must say, since an allow around the path leaves it out.
 */
export interface Expected {
  readonly answer: "yes" | "no" | "at most";
  readonly isNamed: boolean;
}

/** Answers from the profile and what is known of the machine alone; neither a rule nor the plan is looked at. */
export type Portable = (query: Query, reading: Pick<Reading, "foldsCase" | "precedence">) => Expected;

const RUN = ["process-exec", "process-exec-interpreter", "file-map-executable"];
const READ = ["file-read-data", "file-read-metadata", "file-read-xattr"];
const CHANGE = [
  "file-write-data",
  "file-write-flags",
  "file-write-mode",
  "file-write-times",
  "file-write-xattr",
];
const NAMES = ["file-write-create", "file-write-unlink"];

/** The operations that a profile decides about, by what each needs. */
export const DECIDED = { run: RUN, read: READ, change: CHANGE, names: NAMES } as const;

/** Operations on files that no profile gives, wherever. */
export const NEVER_GIVEN: readonly string[] = [
  "file-write-owner",
  "file-write-setugid",
  "file-link",
  "file-clone",
  "file-mount",
  "file-unmount",
  "file-chroot",
  "file-revoke",
  "file-issue-extension",
  "file-test-existence",
  "network-inbound",
];

const YES: Expected = { answer: "yes", isNamed: false };
const NO: Expected = { answer: "no", isNamed: false };
const AT_MOST: Expected = { answer: "at most", isNamed: false };

/** Compiled once for a profile on a machine. */
export function portable({ profile, facts, hasGiven }: MacCase): Portable {
  const model = modelOf(profile, facts);
  return (query, { foldsCase, precedence }) => {
    if (NEVER_GIVEN.includes(query.operation)) return NO;
    const path = knownPath(query.path ?? "/");
    if (ALIASES.test(path)) return { answer: "no", isNamed: NAMED_BY_ALIAS.has(query.operation) };
    if (path === CALL && query.operation === "file-read-metadata") return YES;
    if (path === CALL && DENIED_WITH_READING.includes(query.operation))
      return { answer: "no", isNamed: false };
    if (isOfTheCall(path)) return tightened(YES, query.operation, precedence);
    const isGiven = hasGiven && isInside(path, GIVEN);
    if (isGiven && READ.includes(query.operation)) return YES;
    if (isGiven && RUN.includes(query.operation)) return AT_MOST;
    return tightened(answerOf(model, query, path, foldsCase !== "nowhere"), query.operation, precedence);
  };
}

/** What denies reading denies all of these: it leaves out the folder of the call, which is to be passed. */
const DENIED_WITH_READING = [...READ, ...RUN];

/** Other names of folders, which the kernel does not ask about: a rule says no, in case that it ever does. */
const ALIASES =
  /^\/(etc|home|tmp|var|System\/Volumes\/Data\/(Applications|Library|Users|Volumes|cores|opt|private|usr))\//;
const NAMED_BY_ALIAS = new Set([
  ...READ,
  "process-exec",
  "process-exec-interpreter",
  "file-write-create",
  "file-write-data",
  "file-write-unlink",
]);

/** A program's parts are outside of `(deny default)`: what denies them stands first, and would win where the first does. */
function tightened(expected: Expected, operation: string, precedence: Reading["precedence"]): Expected {
  if (precedence !== "first" || operation !== "file-map-executable") return expected;
  return { answer: expected.answer === "yes" ? "at most" : expected.answer, isNamed: false };
}

interface Model {
  readonly profile: Profile;
  readonly facts: Facts;
  readonly exact: AccessOn;
  readonly onVolumes: AccessOn;
  readonly everywhere: AccessOn;
  readonly pathsEverywhere: AccessOn;
  readonly held: ReadonlySet<AbsolutePath>;
  readonly heldInAnyCase: ReadonlySet<AbsolutePath>;
  readonly index: EntryIndex;
  /** By their paths in lower case. */
  readonly foldedIndex: EntryIndex;
  readonly isOdd: (path: AbsolutePath) => boolean;
  readonly onTheWay: ReadonlySet<string>;
  readonly mustPass: (path: AbsolutePath) => boolean;
}

function modelOf(profile: Profile, facts: Facts): Model {
  const held = heldNodes(profile, facts);
  return {
    profile,
    facts,
    exact: accessOn(profile, facts, "by mask"),
    onVolumes: accessOn(profile, facts, "by volume"),
    everywhere: accessOn(profile, facts, "everywhere"),
    pathsEverywhere: accessOn(profile, facts, "paths everywhere"),
    held,
    heldInAnyCase: new Set([...held].map(foldedPath)),
    index: indexEntries(profile.files),
    foldedIndex: new Map(profile.files.map((entry) => [foldedPath(entry.path), entry])),
    isOdd: oddSpelling(profile),
    onTheWay: waysTo(profile, facts),
    mustPass: passable(profile, facts),
  };
}

function answerOf(model: Model, query: Query, path: AbsolutePath, isFolded: boolean): Expected {
  const { exact, onVolumes, everywhere, pathsEverywhere, held, heldInAnyCase, index } = model;
  const { operation } = query;
  const kind: Kind = query.vnode === "DIRECTORY" ? "folder" : "file";
  const isName = NAMES.includes(operation);
  const needed = READ.includes(operation) || RUN.includes(operation) ? "read" : "write";
  const gives = (access: AccessOn): boolean =>
    isAtMost(needed, access(path, kind)) && (!isName || isAtMost(needed, access(parentOf(path), "folder")));
  const isHeld = held.has(path);
  const isHeldOnVolume = isHeld || (foldsVolumeAt(model.facts, path) && heldInAnyCase.has(foldedPath(path)));
  // A kernel that folds nothing meets what an entry names by its one spelling on the disk.
  if (isName && isHeldOnVolume) return { answer: "no", isNamed: isHeld || isFolded };
  const spellings = [path, path.normalize("NFC"), path.normalize("NFD")].map(knownPath);
  const isOnTheWay = spellings.some((one) => model.onTheWay.has(foldedPath(one)));
  if (!gives(onVolumes) && !(isFolded && (gives(everywhere) || gives(pathsEverywhere)))) {
    if (operation === "file-read-metadata" && isOnTheWay)
      return kind === "folder" && model.mustPass(path) ? YES : AT_MOST;
    const isHidden = (access: AccessOn): boolean => access(path, "folder") === "none";
    // What no text can spell is on the way in every case of its volume.
    const isHiddenThere = isFolded ? isHidden(everywhere) : isHidden(model.isOdd(path) ? onVolumes : exact);
    const isPassed = needed === "read" && isOnTheWay && isHiddenThere;
    const asked = { path, kind, needed, isRun: RUN.includes(operation) } as const;
    const isNamed = !isPassed && isLeftOut(model, asked, isFolded);
    return { answer: "no", isNamed };
  }
  const isYes = gives(exact) && gives(onVolumes) && (!isFolded || gives(everywhere));
  const isTighter =
    !isYes ||
    !isPlain(path) ||
    model.isOdd(path) ||
    // What is held has one spelling on the disk.
    (needed === "write" && !isHeld && heldInAnyCase.has(foldedPath(path))) ||
    (nearestEntry(index, path).suffixes !== "any" &&
      (RUN.includes(operation) || (kind === "folder" && needed === "write")));
  return isTighter ? AT_MOST : YES;
}

/**
 * What may be written and has to stay where it is, under its name: entries, and all above an entry, a literal mask, or what
 * a glob covers. If it went, what lies below it would be found where the profile gives more.
 */
export function heldNodes(profile: Profile, facts: Facts): ReadonlySet<AbsolutePath> {
  const access = accessOn(profile, facts, "by mask", "as it is");
  const isWritable = (path: AbsolutePath): boolean => access(path, "folder") === "write";
  const entries = profile.files.map((entry) => entry.path);
  const detours = facts.repositories.flatMap((one) => one.detours);
  const literals = profile.masks.flatMap(({ pattern }) => pattern.literal ?? []);
  const hits = facts.hits.filter((hit) => !isWritable(hit));
  const above = [...entries, ...literals, ...hits, ...detours].flatMap((path) =>
    path === "/" ? [] : [...upwards(parentOf(path))],
  );
  return new Set([...entries, ...detours, ...above].filter(isWritable));
}

const placeOf = (name: string): AbsolutePath => knownPath(CALL_PARAMETERS.get(name) ?? "/none");
const [HOME, TMP, GIVEN] = [placeOf("HOME"), placeOf("TMP"), placeOf("GIVEN")];

/** True in the places that are made for the call, where everything may be done, whatever lies around them. */
export function isOfTheCall(path: AbsolutePath): boolean {
  return [HOME, TMP].some((place) => isInside(path, place));
}

/** Whether a path goes through something that an entry names in another case: on the disk there is one of them. */
function oddSpelling({ files }: Profile): (path: AbsolutePath) => boolean {
  const spellings = new Map(files.map((entry) => [foldedPath(entry.path), entry.path]));
  return (path) => [...upwards(path)].some((at) => (spellings.get(foldedPath(at)) ?? at) !== at);
}

/** What every Mac has at its top, and every program passes. */
const WAYS = ["/etc", "/private/etc", "/private/tmp", "/private/var", "/tmp", "/var"].map(knownPath);

/** Folders that lead to what is given, or to where calls have their places, in lower case. */
export function waysTo({ files }: Profile, { mac }: Facts): ReadonlySet<string> {
  const given = files.flatMap(({ path, access }) =>
    access === "none" || path === ROOT ? [] : [parentOf(path)],
  );
  const ends = [...given, ...WAYS, ...(mac === null ? [] : [mac.calls])];
  return new Set(ends.flatMap((end) => [...upwards(end)].map(foldedPath)));
}

/** Folders that can be looked at although nothing in them is given, unless a mask hides them or what they lead to. */
function passable(profile: Profile, facts: Facts): (path: AbsolutePath) => boolean {
  const access = accessOn(profile, facts, "by volume");
  const all = { ...profile, files: [{ path: ROOT, access: "write", suffixes: "any" } as const] };
  const masked = (["by volume", "everywhere"] as const).map((folding) => accessOn(all, facts, folding));
  const live = profile.files.filter(({ path }) => access(path, "folder") !== "none");
  const ends = [...live.map(({ path }) => parentOf(path)), ...(facts.mac === null ? [] : [facts.mac.calls])];
  const ways = new Set(ends.flatMap((end) => [...upwards(end)]));
  return (path) => ways.has(path) && masked.every((one) => one(path, "folder") !== "none");
}

/** What is asked of a path. */
interface Asked {
  readonly path: AbsolutePath;
  readonly kind: Kind;
  readonly needed: "read" | "write";
  readonly isRun: boolean;
}

/**
 * Whether something around the path gives what is asked, so that a rule must say no to it: the nearest entry gives it, and a
 * mask takes it away; or an entry above that one gives it. What is spelled unlike an entry is left out where that is known
 * to be the same, below the spelling that is given.
 */
function isLeftOut(model: Model, asked: Asked, isFolded: boolean): boolean {
  const { path } = asked;
  if (isFolded || !model.isOdd(path)) return giverOf(model, asked, isFolded) !== null;
  const giver = foldsVolumeAt(model.facts, path) ? giverOf(model, asked, true) : null;
  return giver !== null && isInside(path, giver.path);
}

/** The entry around a path that gives what is taken away there. */
function giverOf(model: Model, { path, kind, needed, isRun }: Asked, isFolded: boolean): FileEntry | null {
  const entry = nearest(model, path, isFolded);
  const gives = isAtMost(needed, entry.access);
  const isListed = kind === "folder" || takesName(entry.suffixes, nameOf(path), false);
  // A kernel may fold what rules say of paths and not what they say by regexes, as suffixes are.
  if (isFolded && kind === "file" && isListed !== takesName(entry.suffixes, nameOf(path), true)) return null;
  if (gives && isListed) {
    const readings = [model.exact, model.onVolumes, ...(isFolded ? [model.everywhere] : [])];
    return readings.every((access) => isAtMost(needed, access(entry.path, "folder"))) ? entry : null;
  }
  if (gives && isRun) return null;
  const isSame = (one: FileEntry): boolean =>
    gives
      ? isAtMost(needed, one.access) && sameSuffixes(one.suffixes, entry.suffixes)
      : !isAtMost(needed, one.access);
  let [denied, above] = [entry, entryAbove(model, entry, isFolded)];
  while (above !== null && isSame(above)) [denied, above] = [above, entryAbove(model, above, isFolded)];
  if (above === null || !isAtMost(needed, above.access)) return null;
  return isTellable(model, path, denied) ? above : null;
}

/** Whether a text can tell a path from the entries in what it denies: of two names that none can spell, either may be meant. */
function isTellable({ profile }: Model, path: AbsolutePath, denied: FileEntry): boolean {
  const isPlainBelow = (one: AbsolutePath): boolean => isPlain(one.slice(denied.path.length));
  const inside = profile.files.filter((one) => isInside(foldedPath(one.path), foldedPath(denied.path)));
  return isPlainBelow(path) || inside.every((one) => isPlainBelow(one.path));
}

function nearest({ index, foldedIndex }: Model, path: AbsolutePath, isFolded: boolean): FileEntry {
  return isFolded ? nearestEntry(foldedIndex, foldedPath(path)) : nearestEntry(index, path);
}

function entryAbove(model: Model, { path }: FileEntry, isFolded: boolean): FileEntry | null {
  return path === ROOT ? null : nearest(model, parentOf(path), isFolded);
}
