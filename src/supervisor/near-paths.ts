import { resolve } from "node:path";
import type { Near } from "../host/facts.ts";
import { type AbsolutePath, isAbsolutePath, isTooDeep } from "../profile/path.ts";
import { possiblePathWords } from "../shell/path-words.ts";
import { isOpaque } from "../shell/word.ts";
import { lineOf, type ShellInput } from "../tool/call.ts";
import { folderOf } from "./look.ts";
import type { Standing } from "./standing.ts";

/** More paths, or characters of them, are not looked at. */
const MOST_PATHS = 256;
const MOST_CHARACTERS = 64 * 1024;

/**
 * The folder that a call starts in, and the paths among its words as they are written there: no link is followed. They decide what stays
 * writable where not everything can, and never give more than that. Throws `USAGE` where there is no such folder.
 */
export function nearPaths(input: ShellInput, standing: Standing, base: AbsolutePath): Near {
  const start = folderOf(input.cwd, base, standing);
  const named = new Set<AbsolutePath>();
  let left = MOST_CHARACTERS;
  for (const { words } of lineOf(input).commands)
    for (const written of pathsIn(words)) {
      left -= written.length + start.length;
      if (named.size === MOST_PATHS || left < 0) return { start, named: [...named] };
      const path = isTooDeep(written) ? null : resolve(start, written);
      if (path !== null && isAbsolutePath(path)) named.add(path);
    }
  return { start, named: [...named] };
}

/** The program itself, and whatever may be a path in any of the other words: a line for a shell may be one of them. */
function* pathsIn([program, ...words]: readonly [string, ...string[]]): Generator<string> {
  if (program.includes("/") && !isOpaque(program)) yield program;
  yield* possiblePathWords([program, ...words.filter((word) => !isOpaque(word))]);
}
