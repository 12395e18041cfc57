import { resolve } from "node:path";
import { BoundedLook, hasDetour, type Look, leadsTo } from "../host/leads.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isAbsolutePath, isTooDeep } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { pathWords } from "../shell/path-words.ts";
import type { NamedPath } from "./program-denials.ts";

/** More words are not looked at. */
const MOST_NAMED = 200;
/** Nor are more characters of what may be paths. */
const MAX_READ = 64 * 1024;
/** The places that the paths lead through have so many characters together: everything else waits meanwhile. */
const MAX_PASSED = 128 * 1024;

/**
 * The paths that the arguments of a call name. Only what the call can see anyway is looked at on the host: whether
 * something stands at any other path, and where it leads, is told to nobody, whatever links the call has made. `links` are
 * those of the host's that are made again inside.
 */
export function namedPaths(
  words: readonly string[],
  cwd: AbsolutePath,
  granted: Profile,
  links: ReadonlyMap<AbsolutePath, string> = new Map(),
): readonly NamedPath[] {
  const named = new Map<string, NamedPath>();
  const look = new BoundedLook(MAX_PASSED);
  let left = MAX_READ;
  for (const written of writtenIn(words)) {
    left -= written.length;
    if (named.size >= MOST_NAMED || left < 0) break;
    if (isTooDeep(written)) continue;
    const found = foundAt(written, cwd, granted, look.at, links);
    if (look.isOver) break;
    const path = hasDetour(written) ? found.judged : resolve(cwd, written);
    if (isAbsolutePath(path) && !named.has(path)) named.set(path, { written, path, ...found });
  }
  return [...named.values()];
}

/** A home is not known here, so what stands behind a `~` is no path; a word with blanks may be a line for a shell. */
function* writtenIn(words: readonly string[]): Generator<string> {
  for (const word of words) {
    // A URL's parts are no paths of this machine.
    if (/^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(word) && !/^file:/i.test(word)) continue;
    if (/\s/.test(word)) {
      yield word;
      yield* writtenIn(plainParts(word));
    } else if (!word.includes("~")) yield* pathWords(["", word]);
    else if (!word.startsWith("~")) yield word;
  }
}

/** The parts of a line that are plain text to whatever shell, and that no shell makes something else of. */
export function plainParts(line: string): readonly string[] {
  return line
    .split(/(?<!\\)[\s;|&<>()]+/)
    .map((part) => /^(['"])(.*)\1$/.exec(part)?.[2] ?? part)
    .filter((part) => part !== "" && !/['"`$\\{}*?[\]~]/.test(part));
}

function foundAt(
  written: string,
  cwd: AbsolutePath,
  granted: Profile,
  look: Look,
  links: ReadonlyMap<AbsolutePath, string>,
): Pick<NamedPath, "judged" | "kind"> {
  const canSee = (one: AbsolutePath): boolean =>
    links.has(one) || accessTo(granted, one, { kind: "folder", bornInside: true }) !== "none";
  const { path: judged, kind } = leadsTo(written, cwd, canSee, look);
  // A file that is hidden looks like one that is not there, and so it does here.
  const isHidden = accessTo(granted, judged, { kind: "file", bornInside: false }) === "none";
  return { judged, kind: kind === "unseen" || (kind === "missing" && isHidden) ? "file" : kind };
}
