import { type Access, isAtMost, lesser } from "./access.ts";
import { DEVICE_GROUPS, type Devices } from "./devices.ts";
import { type EnvPattern, normalEnv } from "./env-pattern.ts";
import { meetGroups } from "./groups.ts";
import { type Limits, normalLimits } from "./limits.ts";
import { MACOS_GROUPS, type Macos } from "./macos.ts";
import { type Network, normalNetwork } from "./network.ts";
import { type AbsolutePath, byPath, isInside, ROOT, upwards } from "./path.ts";
import { literalPrefix, type Pattern } from "./pattern.ts";
import { normalPorts, type Ports } from "./ports.ts";
import { normalSockets, type Sockets } from "./sockets.ts";
import { meetSuffixes, normalSuffixes, type Suffixes, sameSuffixes } from "./suffix.ts";
import { SYSCALL_GROUPS, type Syscalls } from "./syscalls.ts";

/** The access to a path and all below it, until a nearer entry says otherwise. */
export interface FileEntry {
  readonly path: AbsolutePath;
  readonly access: Access;
  readonly suffixes: Suffixes;
}

/**
 * A cap on the pattern's matches, and on all below them. A literal mask also holds for missing paths; a glob mask holds
 * for matches that exist when the call starts. With `ignoreCase` other spellings count.
 */
export interface Mask {
  readonly pattern: Pattern;
  readonly atMost: "none" | "read";
  readonly ignoreCase: boolean;
  /**
   * Roots in whose dependency and build trees the mask covers nothing (`dependency-trees.ts`), so that such trees can
   * be removed as a whole. Sorted; only on a mask with wildcards. Left out: no such exception. Empty: anywhere.
   */
  readonly exceptTreesOf?: readonly AbsolutePath[];
}

/**
 * A portable statement of a process's permissions. Every value of this type is in normal form: it comes from
 * `normalProfile`, `intersect` or `parseProfile`, so that equal meaning mostly has equal text.
 */
export interface Profile {
  readonly files: readonly FileEntry[];
  readonly masks: readonly Mask[];
  readonly network: Network;
  readonly sockets: Sockets;
  readonly env: readonly EnvPattern[];
  readonly terminal: boolean;
  readonly syscalls: Syscalls;
  readonly devices: Devices;
  readonly macos: Macos;
  readonly ports: Ports;
  readonly limits: Limits;
}

/** True if a profile allows any write. */
export function mayWrite({ files }: Pick<Profile, "files">): boolean {
  return files.some(({ access }) => access === "write");
}

/** The folders and files that a profile lets calls write, by the names of its entries. */
export function writableIn({ files }: Pick<Profile, "files">): readonly AbsolutePath[] {
  return files.flatMap(({ path, access }) => (access === "write" ? [path] : []));
}

/** The parts of a profile: a field left out is the bottom, except `limits` and `masks`, which only take away. */
export type ProfileParts = Partial<Profile>;

/**
 * The profile in normal form: entries and masks in order, without those that change nothing. Two entries for one path
 * mean the lesser of them. Throws `USAGE` for invalid limits and `HOST_INVALID` for invalid ports.
 */
export function normalProfile(parts: ProfileParts): Profile {
  const files = normalFiles(parts.files ?? []);
  return {
    files,
    masks: normalMasks(parts.masks ?? [], files),
    network: normalNetwork(parts.network ?? "none"),
    sockets: normalSockets(parts.sockets ?? "none"),
    env: normalEnv(parts.env ?? []),
    terminal: parts.terminal ?? false,
    syscalls: meetGroups(SYSCALL_GROUPS, parts.syscalls ?? []),
    devices: meetGroups(DEVICE_GROUPS, parts.devices ?? []),
    macos: meetGroups(MACOS_GROUPS, parts.macos ?? []),
    ports: normalPorts(parts.ports ?? []),
    limits: normalLimits(parts.limits ?? {}),
  };
}

/** The entry above every other: no access. It and `EVERYTHING` come first because `CLOSED` and `OPEN` need them. */
export const NOTHING: FileEntry = { path: ROOT, access: "none", suffixes: "any" };
const EVERYTHING: FileEntry = { path: ROOT, access: "write", suffixes: "any" };

/** Nothing is allowed: the zero of `intersect`. */
export const CLOSED: Profile = normalProfile({
  limits: {
    wallMs: 0,
    cpuSeconds: 0,
    memoryBytes: 0,
    processes: 0,
    fileBytes: 0,
    openFiles: 0,
    outputBytes: 0,
    scratchBytes: 0,
    sharedMemoryBytes: 0,
    connections: 0,
    transferBytes: 0,
    connectionMs: 0,
    strict: true,
  },
});

/** Everything is allowed: the unit of `intersect`. */
export const OPEN: Profile = normalProfile({
  files: [EVERYTHING],
  network: "host",
  sockets: "any",
  env: ["*"],
  terminal: true,
  syscalls: SYSCALL_GROUPS,
  devices: DEVICE_GROUPS,
  macos: MACOS_GROUPS,
  ports: "any",
});

/** Entries by their path; the fast way to the nearest one. */
export type EntryIndex = ReadonlyMap<string, FileEntry>;

/** Indexes entries that have one path each. */
export function indexEntries(files: readonly FileEntry[]): EntryIndex {
  return new Map(files.map((entry) => [entry.path, entry]));
}

/** The entry that decides about a path: the one for the path itself or for the nearest folder above it. */
export function nearestEntry(index: EntryIndex, path: AbsolutePath): FileEntry {
  for (let at: string = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const entry = index.get(at);
    if (entry !== undefined) return entry;
  }
  return index.get(ROOT) ?? NOTHING;
}

function normalFiles(given: readonly FileEntry[]): readonly FileEntry[] {
  const byOwnPath = new Map<AbsolutePath, FileEntry>();
  for (const entry of given.map(normalEntry)) {
    const other = byOwnPath.get(entry.path);
    byOwnPath.set(entry.path, other === undefined ? entry : meetEntries(entry.path, entry, other));
  }
  return meetFiles(
    [...byOwnPath.values()].sort((a, b) => byPath(a.path, b.path)),
    [EVERYTHING],
  );
}

function normalEntry(entry: FileEntry): FileEntry {
  if (entry.suffixes === "any") return entry;
  return { ...entry, suffixes: entry.access === "none" ? "any" : normalSuffixes(entry.suffixes) };
}

interface Reach {
  readonly path: AbsolutePath;
  readonly a: FileEntry;
  readonly b: FileEntry;
  readonly both: FileEntry;
}

/**
 * The entries that give every path the lesser access of both lists, without those that change nothing. Both lists have
 * one entry a path, in the order of `byPath`. Access changes only at entries, so one walk along both is enough.
 */
export function meetFiles(a: readonly FileEntry[], b: readonly FileEntry[]): readonly FileEntry[] {
  const open: Reach[] = [];
  const kept: FileEntry[] = [];
  for (let [atA, atB] = [0, 0]; ; ) {
    const [nextA, nextB] = [a[atA], b[atB]];
    const order = nextA === undefined ? 1 : nextB === undefined ? -1 : byPath(nextA.path, nextB.path);
    const path = (order <= 0 ? nextA : nextB)?.path;
    if (path === undefined) return kept;
    const above = nearestReach(open, path);
    const inA = (order <= 0 ? nextA : undefined) ?? above.a;
    const inB = (order >= 0 ? nextB : undefined) ?? above.b;
    const both = meetEntries(path, inA, inB);
    open.push({ path, a: inA, b: inB, both });
    if (both.access !== above.both.access || !sameSuffixes(both.suffixes, above.both.suffixes))
      kept.push(both);
    if (order <= 0) atA += 1;
    if (order >= 0) atB += 1;
  }
}

/** Drops reaches that end before the path. All paths that begin with one text are adjacent in the order of `byPath`. */
function nearestReach(open: Reach[], path: AbsolutePath): Reach {
  while (!path.startsWith(open.at(-1)?.path ?? "")) open.pop();
  const found = open.findLast((reach) => isInside(path, reach.path));
  return found ?? { path: ROOT, a: NOTHING, b: NOTHING, both: NOTHING };
}

function meetEntries(path: AbsolutePath, a: FileEntry, b: FileEntry): FileEntry {
  const access = lesser(a.access, b.access);
  return { path, access, suffixes: access === "none" ? "any" : meetSuffixes(a.suffixes, b.suffixes) };
}

/**
 * The masks in order, without duplicates and without those that cap nothing because no entry there allows more. A mask
 * in a folder of a granted one stays even if the inner folder allows no more: a link in it may lead to the outer one.
 * Of two masks that differ only in `atMost` both stay if `none` lets a covered path move: `read` keeps it in place.
 */
export function normalMasks(given: readonly Mask[], files: readonly FileEntry[]): readonly Mask[] {
  const maxAround = maxAccessAround(files);
  const maxIn = new Map<AbsolutePath, Access>();
  const kept = new Map<string, Mask>();
  for (const mask of given) {
    const { meaning, region } = readingOf(mask);
    const max = maxIn.get(region) ?? maxAround(region);
    maxIn.set(region, max);
    if (isAtMost(max, mask.atMost)) continue;
    const known = kept.get(meaning);
    if (known === undefined || isAtMost(mask.atMost, known.atMost)) kept.set(meaning, mask);
  }
  return [...kept.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mask]) => mask);
}

/** `meaning` is a text, equal for masks of which the tightest counts; `region` is the folder around all covered paths. */
interface MaskReading {
  readonly meaning: string;
  readonly region: AbsolutePath;
}

/** Masks are immutable, and the same ones are intersected with others for every call. */
const readings = new WeakMap<Mask, MaskReading>();

function readingOf(mask: Mask): MaskReading {
  const known = readings.get(mask);
  if (known !== undefined) return known;
  const { pattern, atMost, ignoreCase, exceptTreesOf } = mask;
  const isFirm = pattern.literal !== null && !ignoreCase;
  const written = `${ignoreCase ? "i" : "c"}${pattern.text}${isFirm ? "" : `\0${atMost}`}`;
  const meaning = exceptTreesOf === undefined ? written : [written, "", ...exceptTreesOf].join("\0");
  const reading = { meaning, region: ignoreCase ? ROOT : literalPrefix(pattern) };
  readings.set(mask, reading);
  return reading;
}

/** Finds the maximum access of entries on a path and below. All paths below it are adjacent in the order of `byPath`. */
function maxAccessAround(files: readonly FileEntry[]): (path: AbsolutePath) => Access {
  const index = indexEntries(files);
  const [reads, writes] = [countsBefore(files, "read"), countsBefore(files, "write")];
  return (path) => {
    const stem = path === ROOT ? "" : path;
    const [first, end] = [firstAfter(files, `${stem}/`), firstAfter(files, `${stem}0`)];
    const isAmong = (counts: readonly number[]): boolean => counts[end] !== counts[first];
    const above = [...upwards(path)].map((at) => index.get(at)?.access);
    if (above.includes("write") || isAmong(writes)) return "write";
    return above.includes("read") || isAmong(reads) ? "read" : "none";
  };
}

function countsBefore(files: readonly FileEntry[], access: Access): readonly number[] {
  const counts = [0];
  for (const [at, entry] of files.entries())
    counts.push((counts[at] ?? 0) + (entry.access === access ? 1 : 0));
  return counts;
}

/** The index of the first entry whose path is not before the text; `0` is the character after `/`. */
function firstAfter(files: readonly FileEntry[], text: string): number {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]?.path ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** True if a granted path lies below this one, so that a process may pass through it. */
export function isOnTheWay(profile: Profile, path: AbsolutePath): boolean {
  return profile.files.some(
    (entry) => entry.access !== "none" && entry.path !== path && isInside(entry.path, path),
  );
}
