import { type AbsolutePath, parentOf, ROOT } from "../../../profile/path.ts";
import { type Lstat, wayOf } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { type GitFile, GitFiles } from "./files.ts";
import { AllPathNeeds, type GitPathTarget, type PathNeeds } from "./path-targets.ts";
import { folderOfWritten, includeOf, resolveWritten } from "./written.ts";

/** Maximum depth of includes; git stops there (config.c, `MAX_INCLUDE_DEPTH`). */
const DEEPEST_INCLUDE = 10;

/** Maximum of included files, since each takes a look. */
const MAX_INCLUDED = 1_000;

/** Maximum of characters read of a configuration, together with all includes. */
const MAX_CHARACTERS = 1024 ** 2;

/** A file that can't be read as git would read it: git may obey anything there. */
export interface Unread {
  readonly path: AbsolutePath;
  readonly why: string;
}

/** One look, in which each place is seen once, and the places that can't be read as git would read them. */
export interface Glance {
  readonly see: Lstat;
  readonly unread: Unread[];
  /** Settings of configurations, includes and all, by their names and the home: many repositories may have the same. */
  readonly said: Map<string, GitSettings>;
}

/** A look that has seen nothing yet. */
export function newGlance(see: Lstat): Glance {
  return { see, unread: [], said: new Map() };
}

/** The values of one name, each once. */
export function valuesOf(settings: readonly GitSetting[], name: string): readonly string[] {
  return [...new Set(settings.flatMap((one) => (one.name === name ? (one.value ?? []) : [])))];
}

/** All settings of one configuration. */
export interface GitSettings {
  readonly settings: readonly GitSetting[];
  readonly needs: PathNeeds;
  readonly unread: readonly Unread[];
}

/** Git stops at a line that it does not understand, and runs nothing then. */
export const CUT = "can't be parsed";

/** A file that is to be read for its settings. `base` is the start of relative includes. */
interface Ahead {
  readonly path: AbsolutePath;
  readonly base: AbsolutePath;
}

/** Reads configurations with all that they include. */
export class SettingsReader {
  readonly #files = new GitFiles();

  /** Reads one file by itself; if it is unreadable, it is added to the glance. */
  look(path: AbsolutePath, { see, unread }: Pick<Glance, "see" | "unread">): GitFile {
    const file = this.#files.at(path, see);
    if (file.unread !== null) unread.push({ path, why: file.unread });
    return file;
  }

  /** The settings of a file and of all its includes, whatever their condition. */
  of(file: AbsolutePath, home: AbsolutePath, glance: Glance): GitSettings {
    const key = `${home}\0${file}`;
    const base = wayOf(parentOf(file), ROOT, glance.see).end ?? parentOf(file);
    const said = glance.said.get(key) ?? this.#read([{ path: file, base }], [], home, glance.see);
    glance.said.set(key, said);
    return said;
  }

  /** Settings outside any file, with those of the files that they include. */
  with(settings: readonly GitSetting[], home: AbsolutePath, { see }: Glance): GitSettings {
    return this.#read([], settings, home, see);
  }

  /**
   * Git reads a file as often as it is included. Here each is read once for each start of its relative includes: the
   * folder of the including name, which may be a link (config.c, `handle_path_include`).
   */
  #read(first: readonly Ahead[], loose: readonly GitSetting[], home: AbsolutePath, see: Lstat): GitSettings {
    const said = new Gathered(home, see);
    const read = new Set<string>();
    let left = MAX_CHARACTERS;
    let files = [...first, ...said.add(loose, { path: ROOT, base: ROOT })];
    for (let depth = 0; depth <= DEEPEST_INCLUDE && files.length > 0; depth += 1)
      files = files.flatMap((one) => {
        const key = `${one.base}\0${one.path}`;
        if (read.has(key)) return [];
        read.add(key);
        if (left < 0) return [];
        const file = this.look(one.path, { see, unread: said.unread });
        left -= file.characters;
        if (left < 0) said.unread.push({ path: one.path, why: "is too large together with its includes" });
        if (!file.isWhole) said.unread.push({ path: one.path, why: CUT });
        return said.add(file.settings, one);
      });
    return said;
  }
}

class Gathered implements GitSettings {
  readonly settings: GitSetting[] = [];
  readonly needs = new AllPathNeeds();
  readonly unread: Unread[] = [];
  readonly #asked = new Set<string>();
  readonly #home: AbsolutePath;
  readonly #see: Lstat;

  constructor(home: AbsolutePath, see: Lstat) {
    this.#home = home;
    this.#see = see;
  }

  /** Adds the settings of a file; returns its includes, to be read next. */
  add(settings: readonly GitSetting[], file: Ahead): readonly Ahead[] {
    return settings.flatMap((setting) => {
      const written = includeOf(setting);
      const next = written === null ? null : this.#included(written, file);
      if (next === null) this.settings.push(setting);
      return next ?? [];
    });
  }

  /** The file that a name leads to, none if it was already requested; null if it leads nowhere. */
  #included(written: string, { path, base }: Ahead): readonly Ahead[] | null {
    const key = `${base}\0${written}`;
    if (this.#asked.has(key) || this.#asked.size > MAX_INCLUDED) return [];
    this.#asked.add(key);
    if (this.#asked.size > MAX_INCLUDED)
      this.unread.push({ path, why: `includes more than ${MAX_INCLUDED} files` });
    const led = resolveWritten(written, base, this.#home, this.#see);
    const included = keptOf(led, path, this.needs, this.unread);
    if (included === null) return null;
    this.needs.add({ kept: [included] });
    // A file in a missing folder is empty, or can't be read, which is reported when it is looked at.
    const folder = folderOfWritten(written, base, this.#home, this.#see) ?? parentOf(included);
    return [{ path: included, base: folder }];
  }
}

/** The target of a name in a configuration; its needs are added. Null if it leads nowhere, or is unknown. */
export function keptOf(
  led: GitPathTarget | "who" | null,
  config: AbsolutePath,
  needs: AllPathNeeds,
  unread: Unread[],
): AbsolutePath | null {
  if (led === "who") unread.push({ path: config, why: "names a path through /proc" });
  if (led === null || led === "who") return null;
  needs.add({ kept: [...led.kept].filter((path) => path !== led.path), detours: led.detours });
  return led.path;
}
