import { resolve } from "node:path";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { Near } from "../host/launch/facts.ts";
import { type AbsolutePath, isAbsolutePath, isTooDeep } from "../profile/path.ts";
import { possiblePathWords } from "../shell/path-words.ts";
import { isOpaque } from "../shell/word.ts";
import { lineOf, type ShellInput } from "../tool/call.ts";
import { folderOf } from "./look.ts";

/** Maximum of paths, and of their characters. */
const MAX_PATHS = 256;
const MAX_CHARACTERS = 64 * 1024;

/**
 * The folder that a call starts in, and the paths among its words as written: no link is followed. They decide which
 * paths stay writable if not all can, and never give more. Throws `USAGE` if the folder is missing.
 */
export function nearPaths(input: ShellInput, policy: CallPolicy, base: AbsolutePath): Near {
  const start = folderOf(input.cwd, base, policy);
  const named = new Set<AbsolutePath>();
  let left = MAX_CHARACTERS;
  for (const { words } of lineOf(input).commands)
    for (const written of pathsIn(words)) {
      left -= written.length + start.length;
      if (named.size === MAX_PATHS || left < 0) return { start, named: [...named] };
      const path = isTooDeep(written) ? null : resolve(start, written);
      if (path !== null && isAbsolutePath(path)) named.add(path);
    }
  return { start, named: [...named] };
}

/** The program, and any possible path in the other words: one of them may be a line for a shell. */
function* pathsIn([program, ...words]: readonly [string, ...string[]]): Generator<string> {
  if (program.includes("/") && !isOpaque(program)) yield program;
  yield* possiblePathWords([program, ...words.filter((word) => !isOpaque(word))]);
}
