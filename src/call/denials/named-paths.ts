import { resolve } from "node:path";
import { BoundedLook, hasDetour, type Lstat, leadsTo } from "../../host/look/leads.ts";
import { accessTo } from "../../profile/access-to.ts";
import { type AbsolutePath, isAbsolutePath, isTooDeep } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { pathWords } from "../../shell/path-words.ts";
import type { NamedPath } from "./program.ts";

const MAX_NAMED = 200;
/** Maximum of characters of possible paths. */
const MAX_READ = 64 * 1024;
/** Maximum of characters of all places on the ways: other work waits meanwhile. */
const MAX_PASSED = 128 * 1024;

/**
 * The paths in the arguments of a call. Only paths visible to the call are checked on the host: the existence and
 * target of any other path stay secret, whatever links the call has made. `links` are the host's links that are made
 * again inside.
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
    if (named.size >= MAX_NAMED || left < 0) break;
    if (isTooDeep(written)) continue;
    const found = foundAt(written, cwd, granted, look.at, links);
    if (look.isOver) break;
    const path = hasDetour(written) ? found.judged : resolve(cwd, written);
    if (isAbsolutePath(path) && !named.has(path)) named.set(path, { written, path, ...found });
  }
  return [...named.values()];
}

const QUOTES = /["'`]/;

/**
 * Homes are unknown here, so text after a `~` is no path; a word with blanks may be a line for a shell, and one with
 * quotes is a program's text, as in `python3 -c 'open("a/b")'`.
 */
function* writtenIn(words: readonly string[]): Generator<string> {
  for (const word of words) {
    // The parts of a URL are no paths of this machine.
    if (/^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(word) && !/^file:/i.test(word)) continue;
    if (/\s/.test(word) || QUOTES.test(word)) {
      if (/\s/.test(word)) yield word;
      yield* writtenIn([...plainParts(word), ...quotedPaths(word)]);
    } else if (!word.includes("~")) yield* pathWords(["", word]);
    else if (!word.startsWith("~")) yield word;
  }
}

/** The parts of a line that are plain text in every shell. */
export function plainParts(line: string): readonly string[] {
  return line
    .split(/(?<!\\)[\s;|&<>()]+/)
    .map((part) => /^(['"])(.*)\1$/.exec(part)?.[2] ?? part)
    .filter((part) => part !== "" && !/['"`$\\{}*?[\]~]/.test(part));
}

/** The paths in quotes of a text in any language, if they are plain. */
function quotedPaths(text: string): readonly string[] {
  return text
    .split(QUOTES)
    .filter((part, at) => at % 2 === 1 && part.includes("/") && !/[\s$\\{}*?[\]~]/.test(part));
}

function foundAt(
  written: string,
  cwd: AbsolutePath,
  granted: Profile,
  look: Lstat,
  links: ReadonlyMap<AbsolutePath, string>,
): Pick<NamedPath, "judged" | "kind"> {
  const canSee = (one: AbsolutePath): boolean =>
    links.has(one) || accessTo(granted, one, { kind: "folder", bornInside: false }) !== "none";
  const { path: judged, kind } = leadsTo(written, cwd, canSee, look);
  // A hidden file looks missing inside, and so it does here.
  const isHidden = accessTo(granted, judged, { kind: "file", bornInside: false }) === "none";
  return { judged, kind: kind === "unseen" || (kind === "missing" && isHidden) ? "file" : kind };
}
