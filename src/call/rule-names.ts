import { resolve } from "node:path";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { CommandFacts } from "../decide/judged-line.ts";
import { rulesIn } from "../decide/meet-policies.ts";
import { plainPath } from "../host/look/leads.ts";
import { realPathOf, statsOf } from "../host/look/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, nameOf } from "../profile/path.ts";
import { fileNameOf, shellAction } from "../shell/rule.ts";
import { isManyInOne } from "../shell/unread.ts";

/**
 * First words of deny and ask rules that also name a program: they lead to the same file, by the PATH inside or by a
 * path from the call's folder or the workspace. For a glob its folder counts: under `/bin/*`, `/usr/bin/rm` is also
 * `/bin/rm` if one leads to the other. Each link on the way to the program counts as well. For a file that is many
 * programs (`busybox`), the file name must be the same too. The words are looked up once for all programs of a call.
 */
export class RuleNames {
  readonly all: readonly string[];
  readonly #policy: CallPolicy;
  readonly #cwd: AbsolutePath;
  #words: readonly RuleWord[] | null = null;

  constructor(policy: CallPolicy, cwd: AbsolutePath) {
    this.#policy = policy;
    this.#cwd = cwd;
    this.all = strictWords(policy);
  }

  of({ program, way: { links } }: Pick<CommandFacts, "program" | "way">): readonly string[] {
    const { path, real, id } = program;
    if (path === null || real === null) return [];
    this.#words ??= this.all.map((word) => lookedUp(word, placesOf(word, this.#policy, this.#cwd)));
    return this.#words.flatMap(({ word, files, folders }): readonly string[] => {
      if (word.includes("*"))
        return folders.flatMap((folder) => [real, ...links].flatMap((one) => nameUnder(word, folder, one)));
      const isOther = isManyInOne(nameOf(real)) && fileNameOf(word) !== nameOf(path);
      return !isOther && (files.has(real) || (id !== null && files.has(id))) ? [word] : [];
    });
  }
}

interface RuleWord {
  readonly word: string;
  /** The files that it may mean, each by its path and by `device:inode`. */
  readonly files: ReadonlySet<string>;
  /** The folders that it may mean, if it is a glob. */
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

function strictWords(policy: CallPolicy): readonly string[] {
  const patterns = [
    ...policy.ceiling.approval.rules.flatMap((rule) => ("shell" in rule ? [rule.shell] : [])),
    ...rulesIn(policy)
      .flatMap(({ config }) => config.shell.rules)
      .flatMap((rule) => (shellAction(rule) === "allow" ? [] : [rule.pattern])),
  ];
  return [...new Set(patterns.map((pattern) => pattern.trim().split(/\s+/, 1)[0] ?? ""))];
}

/** The paths that a rule's word may mean; a glob must be written as a path. */
function placesOf(word: string, { settings, config }: CallPolicy, cwd: AbsolutePath): readonly string[] {
  if (word.includes("/")) {
    const places = [cwd, config.workspace].flatMap((from) =>
      word.includes("*") ? resolve(from, word) : (plainPath(word, from) ?? []),
    );
    return [...new Set(places)];
  }
  if (word.includes("*")) return [];
  return settings.runtimes.flatMap((runtime) => runtime.path).map((folder) => `${folder}/${word}`);
}

/** The program's name by a glob's own folder, if that leads to a folder above the program. */
function nameUnder(word: string, folder: AbsolutePath, real: AbsolutePath): readonly string[] {
  const written = folderBeforeGlob(word);
  if (written === null || folder === real || !isInside(real, folder)) return [];
  return [`${written}/${real.slice(folder === "/" ? 1 : folder.length + 1)}`];
}

function folderBeforeGlob(word: string): string | null {
  const end = word.lastIndexOf("/", word.indexOf("*"));
  return end < 0 ? null : word.slice(0, end);
}
