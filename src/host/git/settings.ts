import { type AbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import { type Look, wayOf } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { type GitFile, GitFiles } from "./files.ts";
import { type Led, type Upheld, UpheldByAll } from "./led.ts";
import { folderOfWritten, includeOf, resolveWritten } from "./written.ts";

/** Git gives up where includes go deeper (config.c, `MAX_INCLUDE_DEPTH`). */
const DEEPEST_INCLUDE = 10;

/** Nobody's configuration includes more files, and each takes a look. */
const MOST_INCLUDED = 1_000;

/** The most characters of a configuration that are read, together with all that it includes. */
const MOST_CHARACTERS = 1024 ** 2;

/** What can't be read as git would read it: git may obey anything there. */
export interface Unread {
  readonly path: AbsolutePath;
  readonly why: string;
}

/** One look, in which each place is seen once, and what of it can't be read as git would read it. */
export interface Glance {
  readonly see: Look;
  readonly unread: Unread[];
  /** What configurations say, includes and all, by their names and the home: many repositories may have the same. */
  readonly said: Map<string, Said>;
}

/** A look that has seen nothing yet. */
export function newGlance(see: Look): Glance {
  return { see, unread: [], said: new Map() };
}

/** What is said of one name, each value once. */
export function valuesOf(settings: readonly GitSetting[], name: string): readonly string[] {
  return [...new Set(settings.flatMap((one) => (one.name === name ? (one.value ?? []) : [])))];
}

/** All that one configuration says. */
export interface Said {
  readonly settings: readonly GitSetting[];
  /** What it depends on to say that. */
  readonly upheld: Upheld;
  readonly unread: readonly Unread[];
}

/** Git goes no further than a line that it does not understand, and runs nothing then. */
export const CUT = "is not understood";

/** A file that is to be read for its settings. `base` is where what it includes begins. */
interface Ahead {
  readonly path: AbsolutePath;
  readonly base: AbsolutePath;
}

/** Reads configurations with all that they include. */
export class SettingsReader {
  readonly #files = new GitFiles();

  /** One file by itself; what can't be read is added to the glance. */
  look(path: AbsolutePath, { see, unread }: Pick<Glance, "see" | "unread">): GitFile {
    const file = this.#files.at(path, see);
    if (file.unread !== null) unread.push({ path, why: file.unread });
    return file;
  }

  /** The settings of a file and of those that it includes, whatever their condition. */
  of(file: AbsolutePath, home: AbsolutePath, glance: Glance): Said {
    const key = `${home}\0${file}`;
    const base = wayOf(parentOf(file), ROOT, glance.see).end ?? parentOf(file);
    const said = glance.said.get(key) ?? this.#read([{ path: file, base }], [], home, glance.see);
    glance.said.set(key, said);
    return said;
  }

  /** Settings that stand in no file, with those of the files that they include. */
  with(settings: readonly GitSetting[], home: AbsolutePath, { see }: Glance): Said {
    return this.#read([], settings, home, see);
  }

  /**
   * Git reads a file as often as it is included; here each is read once for each folder that what it includes begins in:
   * that of the name that it is included by, which may be a link (config.c, `handle_path_include`).
   */
  #read(first: readonly Ahead[], loose: readonly GitSetting[], home: AbsolutePath, see: Look): Said {
    const said = new Gathered(home, see);
    const read = new Set<string>();
    let left = MOST_CHARACTERS;
    let files = [...first, ...said.add(loose, { path: ROOT, base: ROOT })];
    for (let depth = 0; depth <= DEEPEST_INCLUDE && files.length > 0; depth += 1)
      files = files.flatMap((one) => {
        const key = `${one.base}\0${one.path}`;
        if (read.has(key)) return [];
        read.add(key);
        if (left < 0) return [];
        const file = this.look(one.path, { see, unread: said.unread });
        left -= file.characters;
        if (left < 0) said.unread.push({ path: one.path, why: "is too much, with what includes it" });
        if (!file.isWhole) said.unread.push({ path: one.path, why: CUT });
        return said.add(file.settings, one);
      });
    return said;
  }
}

/** What was gathered so far of a configuration with all that it includes. */
class Gathered implements Said {
  readonly settings: GitSetting[] = [];
  readonly upheld = new UpheldByAll();
  readonly unread: Unread[] = [];
  readonly #asked = new Set<string>();
  readonly #home: AbsolutePath;
  readonly #see: Look;

  constructor(home: AbsolutePath, see: Look) {
    this.#home = home;
    this.#see = see;
  }

  /** Adds the settings of a file; what it includes is to be read next. */
  add(settings: readonly GitSetting[], file: Ahead): readonly Ahead[] {
    return settings.flatMap((setting) => {
      const written = includeOf(setting);
      const next = written === null ? null : this.#included(written, file);
      if (next === null) this.settings.push(setting);
      return next ?? [];
    });
  }

  /** The file that a name leads to, none where it was asked for before; null where it leads nowhere. */
  #included(written: string, { path, base }: Ahead): readonly Ahead[] | null {
    const key = `${base}\0${written}`;
    if (this.#asked.has(key) || this.#asked.size > MOST_INCLUDED) return [];
    this.#asked.add(key);
    if (this.#asked.size > MOST_INCLUDED)
      this.unread.push({ path, why: `includes more than ${MOST_INCLUDED} files` });
    const led = resolveWritten(written, base, this.#home, this.#see);
    const included = keptOf(led, path, this.upheld, this.unread);
    if (included === null) return null;
    this.upheld.add({ kept: [included] });
    // What lies in no folder says nothing, or can't be read, which is told where it is looked at.
    const folder = folderOfWritten(written, base, this.#home, this.#see) ?? parentOf(included);
    return [{ path: included, base: folder }];
  }
}

/** Where a name in a configuration leads; what that depends on is added. Null where it leads nowhere, or who knows. */
export function keptOf(
  led: Led | "who" | null,
  config: AbsolutePath,
  upheld: UpheldByAll,
  unread: Unread[],
): AbsolutePath | null {
  if (led === "who") unread.push({ path: config, why: "names a path through /proc" });
  if (led === null || led === "who") return null;
  upheld.add({ kept: [...led.kept].filter((path) => path !== led.path), detours: led.detours });
  return led.path;
}
