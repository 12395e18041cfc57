import type { Repository, RepositorySign } from "../../backend/repositories.ts";
import { CofferdamError, visible } from "../../errors.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  knownPath,
  parentOf,
  ROOT,
} from "../../profile/path.ts";
import { type Host, homesOf } from "../host.ts";
import { hasDetour, type Look, lookingOnce, wayOf } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { AsRead, BY_WHO_ASKS, CLOSED, type GitFile, GitFiles } from "./files.ts";
import { hooksIn, linksAt } from "./hooks.ts";
import { dependsOnWho, type Led, ledBy, namedBy } from "./led.ts";
import { settingsThatRun } from "./programs.ts";
import { includeOf, resolveWritten, topsOf } from "./written.ts";

/** Git gives up where includes go deeper (config.c, `MAX_INCLUDE_DEPTH`). */
const DEEPEST_INCLUDE = 10;

/** Whose configuration counts besides a repository's own. */
type Caller = Pick<Host, "user" | "env">;

/** What holds for every repository of the caller's, by one of the homes. */
interface Everywhere {
  readonly home: AbsolutePath;
  readonly files: readonly AbsolutePath[];
}

/** What can't be read as git would read it: git may obey anything there. */
interface Unread {
  readonly path: AbsolutePath;
  readonly why: string;
}

/** One look, in which each place is seen once, and what of it can't be read as git would read it. */
interface Glance {
  readonly see: Look;
  readonly unread: Unread[];
}

/** Where a repository's parts lie, and what must stay as it is for that. */
interface Place {
  readonly folder: AbsolutePath;
  readonly common: AbsolutePath;
  readonly configs: readonly AbsolutePath[];
  readonly kept: readonly AbsolutePath[];
}

/**
 * Finds out what git obeys in repositories that were found: it reads their configuration, and the caller's own, as
 * git-config(1) describes it. Files are read again when they changed; no git is run.
 */
export class RepositoryReader {
  readonly #files = new GitFiles();
  readonly #links = new AsRead<readonly AbsolutePath[]>();

  /**
   * Each repository with the folders of hooks and the configurations that are named where it obeys. A folder of hooks that
   * holds the repository's own working tree is left out: nothing in it could be written then.
   * Throws `NOT_ENFORCEABLE` where something that names them can't be read as git would read it.
   */
  read(caller: Caller, signs: readonly RepositorySign[]): readonly Repository[] {
    if (signs.length === 0) return [];
    const xdg = caller.env["XDG_CONFIG_HOME"];
    // The scopes that hold for every repository of the caller's (git-config(1), FILES).
    const scopes = homesOf(caller).map((home): Everywhere => {
      const folder = xdg !== undefined && isAbsolutePath(xdg) ? xdg : joinPath(home, ".config");
      return { home, files: [ETC_GITCONFIG, joinPath(folder, "git/config"), joinPath(home, ".gitconfig")] };
    });
    const see = lookingOnce();
    return signs.map((sign) => {
      const glance: Glance = { see, unread: [] };
      const all = scopes.map((scope) => this.#obeyed(sign, scope, glance));
      const unread = glance.unread.find(({ why }) => why !== CUT);
      if (unread !== undefined) throw unreadable(sign, unread);
      const [hooks, configs] = [all.flatMap((one) => one.hooks), all.flatMap((one) => one.configs)];
      return { ...sign, hooks: [...new Set(hooks)].sort(), configs: [...new Set(configs)].sort() };
    });
  }

  /**
   * What git may run in a repository by itself: hooks, and settings that name programs or further configurations, as
   * `hooks/pre-commit` and `core.fsmonitor`; `anything (config holds a NUL)` where that can't be told; and `core.worktree`
   * where git writes to a folder that is not the repository's. Nothing of the caller's own configuration, nor of
   * repositories that are known.
   */
  runs(caller: Caller, sign: RepositorySign, known: readonly RepositorySign[]): readonly string[] {
    const glance: Glance = { see: lookingOnce(), unread: [] };
    const place = this.#placeOf(sign, glance);
    if (place === null) return anything(glance, sign.kind === "folder" ? [sign.path] : []);
    const [own, home = own] = homesOf(caller);
    const isKnown = known.some(({ path }) => path === place.common);
    const configs = isKnown ? place.configs.slice(1) : place.configs;
    const said = configs.map((file) => ({
      base: parentOf(file),
      settings: [...this.#look(file, glance).settings, ...this.#settingsOf(file, home, new Set(), glance)],
    }));
    // By it a worktree's part takes all settings for its own (git-worktree(1), CONFIGURATION FILE).
    const isSplit = said.some(({ settings }) => settings.some(({ name }) => name === PER_WORKTREE));
    const settings = said.flatMap(({ base, settings: these }) => {
      const bases = isSplit ? [base, place.folder] : [base];
      return these.filter((one) => !bases.every((at) => this.#namesOwnTree(one, at, glance)));
    });
    const folder = joinPath(place.common, "hooks");
    const hooks = isKnown ? [] : this.#hooksOf(folder, glance);
    const names = [...hooks.map((name) => `hooks/${name}`), ...settingsThatRun(settings)];
    return [...anything(glance, [place.common, place.folder]), ...names];
  }

  #hooksOf(folder: AbsolutePath, { see, unread }: Glance): readonly string[] {
    const isSure = !dependsOnWho(wayOf(folder, ROOT, see));
    const hooks = isSure ? hooksIn(folder, see) : [];
    if (!isSure || hooks === null) unread.push({ path: folder, why: isSure ? CLOSED : BY_WHO_ASKS });
    return hooks ?? [];
  }

  /** Whether a setting names a working tree that leads git to this repository again, as that of a submodule does. */
  #namesOwnTree({ name, value }: GitSetting, folder: AbsolutePath, glance: Glance): boolean {
    if (name !== "core.worktree" || value === null) return false;
    const { end: tree, links } = wayOf(value, folder, glance.see);
    // Whoever can put a link on the way, or another there, decides where it leads.
    if (tree === null || links.length > 0 || hasDetour(value)) return false;
    const git = joinPath(tree, ".git");
    const stats = glance.see(git);
    if (stats === null) return false;
    const kind = stats.isSymbolicLink() ? "link" : "file";
    return this.#folderBehind({ kind, path: git, isWhole: true }, { ...glance, unread: [] })?.path === folder;
  }

  #placeOf(sign: RepositorySign, glance: Glance): Place | null {
    const behind = sign.kind === "folder" ? { path: sign.path, kept: [] } : this.#folderBehind(sign, glance);
    if (behind === null) return null;
    const { path: folder } = behind;
    const common = this.#commonOf(folder, glance);
    if (common === null) return null;
    const configs = [joinPath(common.path, "config"), joinPath(folder, "config.worktree")];
    return { folder, common: common.path, configs, kept: [...behind.kept, ...common.kept] };
  }

  #obeyed(
    sign: RepositorySign,
    { home, files }: Everywhere,
    glance: Glance,
  ): Pick<Repository, "hooks" | "configs"> {
    const place = this.#placeOf(sign, glance);
    if (place === null) return { hooks: [], configs: [] };
    const { folder, common, configs, kept } = place;
    const [found, hooks] = [new Set(kept), new Set<AbsolutePath>()];
    const ours: Glance = { ...glance, unread: [] };
    const settings = [
      ...files.flatMap((file) => this.#settingsOf(file, home, found, ours)),
      ...configs.flatMap((file) => this.#settingsOf(file, home, found, glance)),
    ];
    // Git of the caller's passes over what the caller may not read of these (config.c, `ACCESS_EACCES_OK`).
    glance.unread.push(...ours.unread.filter(({ why }) => why !== CLOSED));
    // Where the tree of a worktree lies is told by the file that leads to this part of it.
    const keep = (led: Led | "who" | null): AbsolutePath | null =>
      keptOf(led, joinPath(common, "config"), found, glance);
    const worktrees = valuesOf(settings, "core.worktree").flatMap(
      (value) => keep(namedBy(value, folder, glance.see)) ?? [],
    );
    const tops = sign.kind === "folder" && common !== folder ? [folder] : topsOf(sign, folder, worktrees);
    for (const value of valuesOf(settings, "core.hookspath"))
      for (const top of value === "" ? [] : tops) {
        const path = keep(resolveWritten(value, top, home, glance.see));
        if (path !== null && !isInside(top, path)) hooks.add(path);
      }
    for (const at of [joinPath(common, "hooks"), ...hooks])
      for (const link of this.#linksIn(at, glance)) hooks.add(link);
    return { hooks: [...hooks], configs: [...found] };
  }

  /** Where a file `.git` leads, or a link of that name. */
  #folderBehind({ kind, path }: RepositorySign, glance: Glance): Led | null {
    const way = kind === "link" ? wayOf(path, ROOT, glance.see) : null;
    const real = way === null ? path : way.end;
    if (way !== null && dependsOnWho(way)) glance.unread.push({ path, why: BY_WHO_ASKS });
    if (real === null) return null;
    if (glance.see(real)?.isDirectory() === true) return { path: real, kept: [] };
    // What it says begins at the name that it was found by (setup.c, `read_gitfile_gently`).
    const target = /^gitdir: (.+?)[\r\n]*$/s.exec(this.#look(real, glance).text)?.[1];
    return target === undefined ? null : ledFrom(path, target, glance);
  }

  /** Null where it can't be told. */
  #commonOf(folder: AbsolutePath, glance: Glance): Led | null {
    const file = joinPath(folder, "commondir");
    const target = this.#look(file, glance).text.replace(/[\r\n]+$/, "");
    return target === "" ? { path: folder, kept: [] } : ledFrom(file, target, glance);
  }

  /** The links among the hooks in a folder: what they lead to is run, wherever that lies. */
  #linksIn(folder: AbsolutePath, { see, unread }: Glance): readonly AbsolutePath[] {
    const way = wayOf(folder, ROOT, see);
    const stats = way.end === null ? null : see(way.end);
    const isFolder = stats?.isDirectory() === true;
    const links = isFolder ? this.#links.at(folder, stats, () => linksAt(folder)) : [];
    if (dependsOnWho(way)) unread.push({ path: folder, why: BY_WHO_ASKS });
    for (const path of links)
      if (dependsOnWho(wayOf(path, ROOT, see))) unread.push({ path, why: BY_WHO_ASKS });
    return links;
  }

  /**
   * The settings of a file and of those that it includes, whatever their condition; the latter are added to `found`. Git
   * reads a file as often as it is included; here each is read once, where it is found first.
   */
  #settingsOf(
    file: AbsolutePath,
    home: AbsolutePath,
    found: Set<AbsolutePath>,
    glance: Glance,
  ): readonly GitSetting[] {
    const all: GitSetting[] = [];
    let files = [file];
    for (let depth = 0; depth <= DEEPEST_INCLUDE && files.length > 0; depth += 1) {
      const next: AbsolutePath[] = [];
      for (const at of files) {
        const { settings, isWhole } = this.#look(at, glance);
        if (!isWhole) glance.unread.push({ path: at, why: CUT });
        for (const setting of settings) {
          const written = includeOf(setting);
          const led = written === null ? null : resolveWritten(written, parentOf(at), home, glance.see);
          const included = keptOf(led, at, found, glance);
          if (included === null) all.push(setting);
          else if (!found.has(included)) next.push(included);
          if (included !== null) found.add(included);
        }
      }
      files = next;
    }
    return all;
  }

  #look(path: AbsolutePath, { see, unread }: Glance): GitFile {
    const file = this.#files.at(path, see);
    if (file.unread !== null) unread.push({ path, why: file.unread });
    return file;
  }
}

/** Where a name in a configuration leads; what must stay for that is added. Null where it leads nowhere, or who knows. */
function keptOf(
  led: Led | "who" | null,
  config: AbsolutePath,
  found: Set<AbsolutePath>,
  { unread }: Glance,
): AbsolutePath | null {
  if (led === "who") unread.push({ path: config, why: "names a path through /proc" });
  if (led === null || led === "who") return null;
  for (const path of led.kept) if (path !== led.path) found.add(path);
  return led.path;
}

function valuesOf(settings: readonly GitSetting[], name: string): readonly string[] {
  return settings.flatMap((one) => (one.name === name ? (one.value ?? []) : []));
}

function ledFrom(file: AbsolutePath, written: string, { see, unread }: Glance): Led | null {
  const led = ledBy(written, parentOf(file), see);
  if (led !== "who") return led;
  unread.push({ path: file, why: BY_WHO_ASKS });
  return null;
}

/** What a receipt says of what could not be read, told from the first of the folders that it lies in. */
function anything({ unread }: Glance, folders: readonly AbsolutePath[]): readonly string[] {
  const told = unread.map(({ path, why }) => {
    const folder = folders.find((one) => isInside(path, one));
    return `anything (${folder === undefined ? path : path.slice(folder.length + 1)} ${why})`;
  });
  return [...new Set(told)];
}

function unreadable({ path }: RepositorySign, unread: Unread): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `what git obeys in ${visible(path)} can't be told, so it can't be protected: ${visible(unread.path)} ${unread.why}`,
    { hint: "look at that file; put it right or remove it, or leave its folder out of the roots" },
  );
}

/** Git goes no further than a line that it does not understand, and runs nothing then. */
const CUT = "is not understood";

const PER_WORKTREE = "extensions.worktreeconfig";

const ETC_GITCONFIG = knownPath("/etc/gitconfig");
