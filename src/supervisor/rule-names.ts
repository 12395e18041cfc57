import { resolve } from "node:path";
import { plainPath } from "../host/leads.ts";
import { realPathOf, statsOf } from "../host/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, nameOf } from "../profile/path.ts";
import { fileNameOf, shellAction } from "../shell/rule.ts";
import { isManyInOne } from "../shell/unread.ts";
import type { CommandFacts } from "./judged-line.ts";
import type { Standing } from "./standing.ts";

/**
 * The first words of rules that deny or ask, by which a program is known as well: those that lead to the same file, by
 * the PATH inside or by a path from the call's folder or the workspace. Of a glob, its folder counts: under `/bin/*` the
 * program `/usr/bin/rm` is also `/bin/rm`, where one leads to the other, and so does each link on the way to the program.
 * For a file that is many programs (`busybox`) the file name must be the same too. Where the words lead is looked up once
 * for all programs of a call.
 */
export class RuleNames {
  /** All of them. */
  readonly all: readonly string[];
  readonly #standing: Standing;
  readonly #cwd: AbsolutePath;
  #words: readonly RuleWord[] | null = null;

  constructor(standing: Standing, cwd: AbsolutePath) {
    this.#standing = standing;
    this.#cwd = cwd;
    this.all = strictWords(standing);
  }

  of({ program, way: { links } }: Pick<CommandFacts, "program" | "way">): readonly string[] {
    const { path, real, id } = program;
    if (path === null || real === null) return [];
    this.#words ??= this.all.map((word) => lookedUp(word, placesOf(word, this.#standing, this.#cwd)));
    return this.#words.flatMap(({ word, files, folders }): readonly string[] => {
      if (word.includes("*"))
        return folders.flatMap((folder) => [real, ...links].flatMap((one) => nameUnder(word, folder, one)));
      const isOther = isManyInOne(nameOf(real)) && fileNameOf(word) !== nameOf(path);
      return !isOther && (files.has(real) || (id !== null && files.has(id))) ? [word] : [];
    });
  }
}

/** The first word of a rule, and where it leads. */
interface RuleWord {
  readonly word: string;
  /** The files that it may mean, each by its path and by `device:inode`. */
  readonly files: ReadonlySet<string>;
  /** The folders that it may mean, where it is a glob. */
  readonly folders: readonly AbsolutePath[];
}

function lookedUp(word: string, places: readonly string[]): RuleWord {
  const targets = (of: readonly (string | null)[]): readonly AbsolutePath[] =>
    of.flatMap((place) => (place !== null && isAbsolutePath(place) ? (realPathOf(place) ?? []) : []));
  if (word.includes("*")) return { word, files: new Set(), folders: targets(places.map(folderBeforeGlob)) };
  const files = targets(places).flatMap((target) => {
    const stats = statsOf(target);
    return stats === null ? [target] : [target, `${stats.dev}:${stats.ino}`];
  });
  return { word, files: new Set(files), folders: [] };
}

/** The first words of all rules that deny or ask. */
function strictWords({ ceiling, config }: Standing): readonly string[] {
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

/** The program as it is called by a glob's own folder, when that leads to a folder above the program. */
function nameUnder(word: string, folder: AbsolutePath, real: AbsolutePath): readonly string[] {
  const written = folderBeforeGlob(word);
  if (written === null || folder === real || !isInside(real, folder)) return [];
  return [`${written}/${real.slice(folder === "/" ? 1 : folder.length + 1)}`];
}

function folderBeforeGlob(word: string): string | null {
  const end = word.lastIndexOf("/", word.indexOf("*"));
  return end < 0 ? null : word.slice(0, end);
}
