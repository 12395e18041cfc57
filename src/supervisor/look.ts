import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { CofferdamError, visible } from "../errors.ts";
import { contentIdOf } from "../host/content.ts";
import { realPathOf, statsOf } from "../host/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, upwards } from "../profile/path.ts";
import { pathWords } from "../shell/rule.ts";
import { type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { CallFacts, ProgramFacts } from "./prepare.ts";

/** No path that is longer leads anywhere (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_LENGTH = 4_095;
/** Each folder of each path is looked at, while everything else waits: no more than so many characters of path in a call. */
const MOST_LOOKED_UP = 64 * 1024;

/** What one call is about, as the machine has it now: where it starts, its program, the paths among its words. */
export function lookAtCall(
  input: ShellInput,
  settings: ToolSettings,
  base: AbsolutePath,
): Pick<CallFacts, "cwd" | "program" | "paths"> {
  const cwd = folderOf(input.cwd, base);
  const words = wordsOf(input);
  return {
    cwd,
    program: lookAtProgram(words[0], cwd, settings),
    paths: realTargets(pathWords(words).map((word) => resolve(cwd, word))),
  };
}

/** The folder that a call starts in, canonical. Throws `USAGE` when there is none. */
function folderOf(written: string | undefined, base: AbsolutePath): AbsolutePath {
  const path = resolve(base, written ?? ".");
  const real = isAbsolutePath(path) ? realPathOf(path) : null;
  if (real !== null && statsOf(real)?.isDirectory() === true) return real;
  throw new CofferdamError("USAGE", `there is no folder ${visible(path)} to start in`, {
    hint: "name an existing folder as `cwd`",
  });
}

/** A word with a slash is a path; any other is looked for in the PATH inside, never in the caller's. */
function lookAtProgram(word: string, cwd: AbsolutePath, settings: ToolSettings): ProgramFacts {
  const folders = settings.runtimes.flatMap((runtime) => runtime.path);
  const candidates = word.includes("/") ? [resolve(cwd, word)] : folders.map((folder) => `${folder}/${word}`);
  for (const path of candidates) {
    const real = isAbsolutePath(path) ? realPathOf(path) : null;
    const stats = real === null ? null : statsOf(real);
    if (!isAbsolutePath(path) || real === null || stats?.isFile() !== true || !isExecutable(real)) continue;
    const isWritable = settings.roots.some((root) => root.mode === "rw" && isInside(real, root.path));
    const id = `${stats.dev}:${stats.ino}`;
    return { path, real, id, content: isWritable ? contentIdOf(real, id) : null };
  }
  return { path: null, real: null, id: null, content: null };
}

function isExecutable(path: AbsolutePath): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the paths lead; null for one that the kernel takes for too long (`PATH_MAX`), and for all beyond what is looked up. */
function realTargets(paths: readonly string[]): CallFacts["paths"] {
  let length = 0;
  return paths.map((path) => {
    length += path.length;
    return path.length > MOST_PATH_LENGTH || length > MOST_LOOKED_UP ? null : realTarget(path);
  });
}

/** Where a path leads, links resolved as far as it exists; null when that can't be told. */
function realTarget(path: string): AbsolutePath | null {
  if (!isAbsolutePath(path)) return null;
  for (const at of upwards(path)) {
    const stats = statsOf(at);
    if (stats === null) continue;
    const real = realPathOf(at);
    if (real === null) return null;
    return at === path ? real : joinPath(real, path.slice(at === "/" ? 1 : at.length + 1));
  }
  return null;
}
