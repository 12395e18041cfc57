import { readdirSync } from "node:fs";
import type { Repository, RepositorySign } from "../../backend/repositories.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  parentOf,
  pathFromBytes,
} from "../../profile/path.ts";
import { type Host, homesOf } from "../host.ts";
import { realPathOf, statsOf, systemPath } from "../nodes.ts";
import { type GitSetting, parseGitConfig } from "../runtimes/git-config.ts";
import { listedUsers } from "../users.ts";
import { AsRead, targetStatsOf, textAt } from "./files.ts";
import { type Led, ledBy, resolved } from "./led.ts";
import { settingsThatRun } from "./programs.ts";

/** Git gives up where includes go deeper (config.c, `MAX_INCLUDE_DEPTH`). */
const DEEPEST_INCLUDE = 10;

/** Whose configuration counts besides a repository's own. */
type Caller = Pick<Host, "user" | "env">;

/** What holds for every repository of the caller's, by one of the homes. */
interface Everywhere {
  readonly home: AbsolutePath;
  readonly files: readonly AbsolutePath[];
}

/** What one file says: all of it, and its settings where it is a configuration. */
interface GitFile {
  readonly text: string;
  readonly settings: readonly GitSetting[];
}

/**
 * Finds out what git obeys in repositories that were found: it reads their configuration, and the caller's own, as
 * git-config(1) describes it. Files are read again when they changed; no git is run. What can't be read says nothing.
 */
export class RepositoryReader {
  readonly #files = new AsRead<GitFile>();
  readonly #links = new AsRead<readonly AbsolutePath[]>();

  /**
   * Each repository with the folders of hooks and the configurations that are named where it obeys. A folder of hooks that
   * holds the repository's own working tree is left out: nothing in it could be written then.
   */
  read(caller: Caller, signs: readonly RepositorySign[]): readonly Repository[] {
    if (signs.length === 0) return [];
    const xdg = caller.env["XDG_CONFIG_HOME"];
    // The scopes that hold for every repository of the caller's (git-config(1), FILES).
    const scopes = homesOf(caller).map((home): Everywhere => {
      const folder = xdg !== undefined && isAbsolutePath(xdg) ? xdg : joinPath(home, ".config");
      return { home, files: [ETC_GITCONFIG, joinPath(folder, "git/config"), joinPath(home, ".gitconfig")] };
    });
    return signs.map((sign) => {
      const all = scopes.map((scope) => this.#obeyed(sign, scope));
      const [hooks, configs] = [all.flatMap((one) => one.hooks), all.flatMap((one) => one.configs)];
      return { ...sign, hooks: [...new Set(hooks)].sort(), configs: [...new Set(configs)].sort() };
    });
  }

  /**
   * What git may run in a repository by itself: hooks, and settings that name programs or further configurations, as
   * `hooks/pre-commit` and `core.fsmonitor`. Nothing of the caller's own configuration, nor of repositories that are known.
   */
  runs(caller: Caller, sign: RepositorySign, known: readonly RepositorySign[]): readonly string[] {
    const [own, home = own] = homesOf(caller);
    const place = this.#placeOf(sign);
    if (place === null) return [];
    const isKnown = known.some(({ path }) => path === place.common);
    const configs = isKnown ? place.configs.slice(1) : place.configs;
    const settings = configs.flatMap((file) => [
      ...(this.#look(file)?.settings ?? []),
      ...this.#settingsOf(file, home, new Set(), 0),
    ]);
    const hooks = isKnown ? [] : hooksIn(joinPath(place.common, "hooks"));
    return [...hooks.map((name) => `hooks/${name}`), ...settingsThatRun(settings)];
  }

  /** Where a repository's parts lie, and what must stay as it is for that. */
  #placeOf(sign: RepositorySign) {
    const behind = sign.kind === "folder" ? { path: sign.path, kept: [] } : this.#folderBehind(sign);
    if (behind === null) return null;
    const { path: folder } = behind;
    const common = this.#commonOf(folder);
    const configs = [joinPath(common.path, "config"), joinPath(folder, "config.worktree")];
    return { folder, common: common.path, configs, kept: [...behind.kept, ...common.kept] };
  }

  #obeyed(sign: RepositorySign, { home, files }: Everywhere): Pick<Repository, "hooks" | "configs"> {
    const place = this.#placeOf(sign);
    if (place === null) return { hooks: [], configs: [] };
    const { folder, common, configs, kept } = place;
    const [found, hooks] = [new Set(kept), new Set<AbsolutePath>()];
    const settings = [...files, ...configs].flatMap((file) => this.#settingsOf(file, home, found, 0));
    // Where the tree of a worktree lies is told by the file that leads to this part of it.
    const tops = sign.kind === "folder" && common !== folder ? [folder] : topsOf(sign, folder, settings);
    for (const { name, value } of settings) {
      if (name !== "core.hookspath" || value === null || value === "") continue;
      for (const top of tops) {
        const path = resolveWritten(value, top, home);
        if (path !== null && !isInside(top, path)) hooks.add(path);
      }
    }
    for (const at of [joinPath(common, "hooks"), ...hooks])
      for (const link of this.#linksIn(at)) hooks.add(link);
    return { hooks: [...hooks], configs: [...found] };
  }

  /** Where a file `.git` leads, or a link of that name. */
  #folderBehind({ kind, path }: RepositorySign): Led | null {
    const real = kind === "link" ? realPathOf(path) : path;
    if (real === null) return null;
    if (statsOf(real)?.isDirectory() === true) return { path: real, kept: [] };
    // What it says begins at the name that it was found by (setup.c, `read_gitfile_gently`).
    const target = /^gitdir: (.+?)[\r\n]*$/s.exec(this.#textOf(real))?.[1];
    return target === undefined ? null : ledBy(target, parentOf(path));
  }

  #commonOf(folder: AbsolutePath): Led {
    const target = this.#textOf(joinPath(folder, "commondir")).replace(/[\r\n]+$/, "");
    return (target === "" ? null : ledBy(target, folder)) ?? { path: folder, kept: [] };
  }

  /** The links among the hooks in a folder: what they lead to is run, wherever that lies. */
  #linksIn(folder: AbsolutePath): readonly AbsolutePath[] {
    const stats = targetStatsOf(folder);
    return stats?.isDirectory() === true ? this.#links.at(folder, stats, () => linksAt(folder)) : [];
  }

  /** The settings of a file and of those that it includes, whatever their condition; the latter are added to `found`. */
  #settingsOf(
    file: AbsolutePath,
    home: AbsolutePath,
    found: Set<AbsolutePath>,
    depth: number,
  ): readonly GitSetting[] {
    const settings = this.#look(file)?.settings ?? [];
    if (depth >= DEEPEST_INCLUDE) return settings;
    return settings.flatMap((setting) => {
      const { name, value } = setting;
      const isInclude = name === "include.path" || (name.startsWith("includeif.") && name.endsWith(".path"));
      const included = isInclude && value !== null ? resolveWritten(value, parentOf(file), home) : null;
      if (included === null) return [setting];
      found.add(included);
      return this.#settingsOf(included, home, found, depth + 1);
    });
  }

  #textOf(path: AbsolutePath): string {
    return this.#look(path)?.text ?? "";
  }

  #look(path: AbsolutePath): GitFile | null {
    const stats = targetStatsOf(path);
    return stats?.isFile() === true ? this.#files.at(path, stats, () => readGitFile(path)) : null;
  }
}

/** Names of hooks that can be run: git takes no notice of others, nor of its own examples (githooks(5)). */
function hooksIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(systemPath(folder), { encoding: "buffer" })
      .map((name) => pathFromBytes(name))
      .filter((name) => !name.endsWith(".sample") && isProgram(joinPath(folder, name)))
      .sort();
  } catch {
    return [];
  }
}

function readGitFile(path: AbsolutePath): GitFile {
  const text = textAt(path);
  return { text, settings: parseGitConfig(text) };
}

function linksAt(folder: AbsolutePath): readonly AbsolutePath[] {
  try {
    return readdirSync(systemPath(folder), { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => joinPath(folder, pathFromBytes(name)));
  } catch {
    return [];
  }
}

function isProgram(path: AbsolutePath): boolean {
  const real = realPathOf(path);
  const stats = real === null ? null : statsOf(real);
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

const ETC_GITCONFIG = knownPath("/etc/gitconfig");

/**
 * The folders that a relative `core.hooksPath` begins at: where hooks run, the working tree and, for what is pushed into
 * the repository, its own folder (githooks(5)).
 */
function topsOf(
  { kind, path }: RepositorySign,
  folder: AbsolutePath,
  settings: readonly GitSetting[],
): readonly AbsolutePath[] {
  const worktrees = settings.flatMap(({ name, value }) =>
    name === "core.worktree" && value !== null ? (resolved(value, folder) ?? []) : [],
  );
  const own = kind !== "folder" || nameOf(path) === ".git" ? parentOf(path) : path;
  return [...new Set([own, folder, ...worktrees])];
}

/** A path as a configuration writes it: from a folder, from the caller's home, or from that of a user (`~name/`). */
function resolveWritten(written: string, folder: AbsolutePath, home: AbsolutePath): AbsolutePath | null {
  const [start, user] = /^~([^/]*)(?=\/|$)/.exec(written) ?? [];
  if (start === undefined) return resolved(written, folder);
  const top = user === "" ? home : listedUsers().find(({ name }) => name === user)?.home;
  return top === undefined ? null : resolved(`.${written.slice(start.length)}`, top);
}
