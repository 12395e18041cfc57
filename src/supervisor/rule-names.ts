import { resolve } from "node:path";
import { plainPath } from "../host/leads.ts";
import { realPathOf, statsOf } from "../host/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, nameOf } from "../profile/path.ts";
import { fileNameOf, shellAction } from "../shell/rule.ts";
import { isManyInOne } from "../shell/unread.ts";
import type { ProgramFacts } from "./binding.ts";
import type { CommandFacts } from "./judged-line.ts";
import type { Standing } from "./standing.ts";

/**
 * The first words of rules that deny or ask, by which a program is known as well: those that lead to the same file, by
 * the PATH inside or by a path from the call's folder or the workspace. Of a glob, its folder counts: under `/bin/*` the
 * program `/usr/bin/rm` is also `/bin/rm`, where one leads to the other, and so does each link on the way to the program. For a file that is many programs (`busybox`)
 * the file name must be the same too.
 */
export function ruleNames(
  { program, way: { links } }: Pick<CommandFacts, "program" | "way">,
  standing: Standing,
  cwd: AbsolutePath,
): readonly string[] {
  const { path, real } = program;
  if (path === null || real === null) return [];
  return strictWords(standing).flatMap((word): readonly string[] => {
    const places = placesOf(word, standing, cwd);
    if (word.includes("*"))
      return places.flatMap((place) => [real, ...links].flatMap((one) => nameUnder(word, place, one)));
    const isOther = isManyInOne(nameOf(real)) && fileNameOf(word) !== nameOf(path);
    return !isOther && places.some((place) => isSame(place, program)) ? [word] : [];
  });
}

/** The first words of all rules that deny or ask. */
export function strictWords({ ceiling, config }: Standing): readonly string[] {
  const patterns = [
    ...ceiling.approval.rules.flatMap((rule) => ("shell" in rule ? [rule.shell] : [])),
    ...config.shell.rules.flatMap((rule) => (shellAction(rule) === "allow" ? [] : [rule.pattern])),
  ];
  return [...new Set(patterns.map((pattern) => pattern.trim().split(/\s+/, 1)[0] ?? ""))];
}

/** The paths that a rule's word may mean; of a glob, only one that is written as a path. */
function placesOf(word: string, { settings, config }: Standing, cwd: AbsolutePath): readonly string[] {
  if (word.includes("/")) {
    const places = [cwd, config.workspace].flatMap((from) =>
      word.includes("*") ? resolve(from, word) : (plainPath(word, from) ?? []),
    );
    return [...new Set(places)];
  }
  if (word.includes("*")) return [];
  return settings.runtimes.flatMap((runtime) => runtime.path).map((folder) => `${folder}/${word}`);
}

function isSame(place: string, { real, id }: ProgramFacts): boolean {
  const target = isAbsolutePath(place) ? realPathOf(place) : null;
  if (target === null) return false;
  const stats = statsOf(target);
  return target === real || (stats !== null && `${stats.dev}:${stats.ino}` === id);
}

/** The program as it is called by a glob's own folder, when that leads to a folder above the program. */
function nameUnder(word: string, place: string, real: AbsolutePath): readonly string[] {
  const [written, folder] = [folderBeforeGlob(word), folderBeforeGlob(place)];
  const target = written !== null && folder !== null && isAbsolutePath(folder) ? realPathOf(folder) : null;
  if (target === null || target === real || !isInside(real, target)) return [];
  return [`${written}/${real.slice(target === "/" ? 1 : target.length + 1)}`];
}

function folderBeforeGlob(word: string): string | null {
  const end = word.lastIndexOf("/", word.indexOf("*"));
  return end < 0 ? null : word.slice(0, end);
}
