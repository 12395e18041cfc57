import { type AbsolutePath, ROOT } from "./path.ts";
import { literalPattern, literalPrefix, type Pattern, readPattern } from "./pattern.ts";
import { type Mask, normalProfile, type Profile } from "./profile.ts";
import { listedSockets } from "./sockets.ts";

/** Maps a path to the one that replaces it. */
export type Move = (path: AbsolutePath) => AbsolutePath;

/** The pattern with its folder before the first wildcard replaced. */
export function movedPattern(pattern: Pattern, move: Move): Pattern {
  const folder = literalPrefix(pattern);
  const moved = move(folder);
  if (moved === folder) return pattern;
  const behind = pattern.text.slice(folder === ROOT ? 0 : literalPattern(folder).text.length);
  return readPattern(moved === ROOT && behind !== "" ? behind : `${literalPattern(moved).text}${behind}`);
}

function movedMask({ exceptTreesOf, ...mask }: Mask, move: Move): Mask {
  const moved = { ...mask, pattern: movedPattern(mask.pattern, move) };
  return exceptTreesOf === undefined ? moved : { ...moved, exceptTreesOf: exceptTreesOf.map(move) };
}

/**
 * The profile with other paths. If the move is one to one and keeps paths within each other, also for patterns'
 * matches, `accessTo(movedProfile(profile, move), move(path))` is `accessTo(profile, path)`.
 */
export function movedProfile(profile: Profile, move: Move): Profile {
  const { files, masks, sockets } = profile;
  return normalProfile({
    ...profile,
    files: files.map((entry) => ({ ...entry, path: move(entry.path) })),
    masks: masks.map((mask) => movedMask(mask, move)),
    sockets: typeof sockets === "string" ? sockets : listedSockets(sockets).map(move),
  });
}
