import type { Repository, RepositorySign } from "../../../backend/repositories.ts";
import { type AbsolutePath, isInside, joinPath, parentOf, ROOT } from "../../../profile/path.ts";
import { BoundedLook, hasDetour, type Lstat, lookingOnce, wayOf } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { homeOfPrograms } from "../user.ts";
import { AsRead, BY_ANOTHER_NAME, BY_WHO_ASKS, CLOSED, isLinkedTwice } from "./files.ts";
import { type FoundHook, type GitRuns, gitRuns } from "./git-runs.ts";
import { hooksOf, type InHooks, linksAt } from "./hooks.ts";
import { AllPathNeeds, dependsOnWho, type GitPathTarget, itself, namedBy } from "./path-targets.ts";
import { obeyedElsewhere, type RepositoryPlace } from "./place.ts";
import { settingsThatRun } from "./programs.ts";
import { type Caller, type Everywhere, scopesOf } from "./scopes.ts";
import { CUT, type Glance, keptOf, newGlance, SettingsReader, valuesOf } from "./settings.ts";
import { anything, ledFrom, unreadable } from "./unread.ts";
import { resolveWritten, topsOf, withoutLineEnds } from "./written.ts";

/** Maximum of characters of paths in one new repository (see `BoundedLook`), as all other calls wait meanwhile. */
const MAX_LOOKED = 150_000;

/** Finds the files that git obeys in repositories, by theirs and the caller's git-config(1). It does not run git. */
export class RepositoryReader {
  readonly #settings = new SettingsReader();
  readonly #links = new AsRead<InHooks<AbsolutePath>>();

  /**
   * Each repository with the folders of hooks and the configurations named in files it obeys. A folder of hooks that
   * contains the repository's own working tree is left out: otherwise nothing in the tree could be written. The
   * caller's own configuration, which every other repository obeys, counts as a repository of its home: the part in
   * these folders, or led there by links, with the paths there that it names. Throws `NOT_ENFORCEABLE` if something
   * that names a repository's files can't be read as git would read it. A step for each.
   */
  *read(
    caller: Caller,
    signs: readonly RepositorySign[],
    folders: readonly AbsolutePath[] = [],
    see: Lstat = lookingOnce(),
  ): Generator<void, readonly Repository[]> {
    if (signs.length + folders.length === 0) return [];
    const [scopes, glance] = [scopesOf(caller), newGlance(see)];
    const isThere = (path: AbsolutePath): boolean =>
      wayOf(path, ROOT, see).places.some((place) => folders.some((folder) => isInside(place, folder)));
    const own = scopes.map((scope) => this.#everywhere(scope, glance));
    const found: Repository[] = [];
    for (const sign of signs) {
      found.push(this.#repository(scopes, sign, glance));
      yield;
    }
    return [
      ...found,
      ...own.flatMap((one) => {
        const [hooks, configs] = [one.hooks.filter(isThere), one.configs.filter(isThere)];
        const detours = one.detours.filter(isThere);
        return hooks.length + configs.length + detours.length === 0
          ? []
          : [{ ...one, hooks, configs, detours }];
      }),
    ];
  }

  #repository(scopes: readonly Everywhere[], sign: RepositorySign, whole: Glance): Repository {
    // The texts of the others are not kept: they may be many, and large.
    const glance: Glance = { ...whole, unread: [], said: new Map(whole.said) };
    const all = scopes.map((scope) => this.#obeyed(sign, scope, glance));
    const unread = glance.unread.find(({ why }) => why !== CUT);
    if (unread !== undefined) throw unreadable(sign, unread);
    const each = (of: (one: Obeyed) => readonly AbsolutePath[]) => inOrder(all.flatMap(of));
    return {
      ...sign,
      hooks: each(({ hooks }) => hooks),
      configs: each(({ configs }) => configs),
      parts: each(({ parts }) => parts),
      detours: each(({ detours }) => detours),
    };
  }

  /** Programs that git may run by itself. `caller` and `known` count only by a relative `core.hooksPath` in here. */
  runs(caller: Caller, sign: RepositorySign, known: readonly RepositorySign[]): GitRuns {
    const look = new BoundedLook(MAX_LOOKED);
    const found = this.#runs(caller, sign, known, newGlance(look.at));
    return look.isOver ? gitRuns(["anything (its path has too many links)"], [], [], []) : found;
  }

  #runs(caller: Caller, sign: RepositorySign, known: readonly RepositorySign[], glance: Glance): GitRuns {
    const place = this.#placeOf(sign, glance);
    if (place === null)
      return gitRuns(anything(glance, sign.kind === "folder" ? [sign.path] : []), [], [], []);
    const home = homeOfPrograms(caller);
    const isKnown = known.some(({ path }) => path === place.common);
    const leading = [joinPath(place.folder, "commondir"), ...(sign.kind === "file" ? [sign.path] : [])];
    for (const path of isKnown ? leading : [...leading, ...place.configs])
      if (isLinkedTwice(path, glance)) glance.unread.push({ path, why: BY_ANOTHER_NAME });
    const configs = isKnown ? place.configs.slice(1) : place.configs;
    const said = configs.map((file) => ({
      base: parentOf(file),
      settings: [
        ...this.#settings.look(file, glance).settings,
        ...this.#said(file, home, new AllPathNeeds(), glance),
      ],
    }));
    // With it a worktree's part takes all settings for its own (git-worktree(1), CONFIGURATION FILE).
    const isSplit = said.some(({ settings }) => settings.some(({ name }) => name === PER_WORKTREE));
    const settings = said.flatMap(({ base, settings: these }) => {
      const bases = isSplit ? [base, place.folder] : [base];
      const trees = valuesOf(these, "core.worktree");
      const isOwn =
        trees.length <= MAX_NAMED &&
        trees.every((tree) => bases.every((at) => this.#isOwnTree(tree, at, glance)));
      return isOwn ? these.filter(({ name }) => name !== "core.worktree") : these;
    });
    const folder = joinPath(place.common, "hooks");
    const own = isKnown ? [] : hooksOf(folder, glance);
    const hooks = [
      ...own.map((hook) => ({ ...hook, name: `hooks/${hook.name}` })),
      ...this.#namedHooks(sign, place, scopesOf(caller), glance),
    ];
    const unclear = anything(glance, [place.common, place.folder]);
    return gitRuns(unclear, hooks, settingsThatRun(settings), configs);
  }

  /** Hooks in this repository's tree, by a relative `core.hooksPath` of any configuration in effect there. */
  #namedHooks(
    sign: RepositorySign,
    { folder, configs }: RepositoryPlace,
    scopes: readonly Everywhere[],
    glance: Glance,
  ): readonly FoundHook[] {
    // Their unreadable parts are reported, or ignored, when they are read for themselves.
    const apart = newGlance(glance.see);
    const values = scopes.flatMap(({ home, files, settings }) => {
      const said = [...files, ...configs].flatMap((file) =>
        this.#said(file, home, new AllPathNeeds(), apart),
      );
      return valuesOf([...settings, ...said], "core.hookspath").filter((value) => !/^(?:[/~]|$)/.test(value));
    });
    return [...new Set(values)].slice(0, MAX_NAMED).flatMap((value) =>
      topsOf(sign, folder, []).flatMap((top) => {
        const way = wayOf(value, top, glance.see);
        const { end, links } = way;
        if (way.isTooLong) glance.unread.push({ path: top, why: BY_WHO_ASKS });
        return (end === null ? [] : hooksOf(end, glance)).map((hook) => ({
          ...hook,
          name: `${value}/${hook.name}`,
          links: [...links, ...hook.links],
        }));
      }),
    );
  }

  /** True if a working tree leads git to this repository again, as that of a submodule does. */
  #isOwnTree(value: string, folder: AbsolutePath, glance: Glance): boolean {
    const { end: tree, links } = wayOf(value, folder, glance.see);
    // A program that can replace a link, or another part of the path, decides the target.
    if (tree === null || links.length > 0 || hasDetour(value)) return false;
    const git = joinPath(tree, ".git");
    const stats = glance.see(git);
    if (stats === null) return false;
    const kind = stats.isSymbolicLink() ? "link" : "file";
    return this.#folderBehind({ kind, path: git, isWhole: true }, { ...glance, unread: [] })?.path === folder;
  }

  #placeOf(sign: RepositorySign, glance: Glance): RepositoryPlace | null {
    const behind = sign.kind === "folder" ? itself(sign.path) : this.#folderBehind(sign, glance);
    if (behind === null) return null;
    const { path: folder } = behind;
    const common = this.#commonOf(folder, glance);
    if (common === null) return null;
    const configs = [joinPath(common.path, "config"), joinPath(folder, "config.worktree")];
    const needs = new AllPathNeeds();
    for (const one of [behind, common]) needs.add(one);
    return { folder, common: common.path, configs, needs };
  }

  #obeyed(sign: RepositorySign, { home, files, settings: loose }: Everywhere, glance: Glance): Obeyed {
    const place = this.#placeOf(sign, glance);
    if (place === null) return { hooks: [], configs: [], parts: [], detours: [] };
    const { folder, common, configs } = place;
    const [needs, hooks] = [new AllPathNeeds(), new Set<AbsolutePath>()];
    needs.add(place.needs);
    const ours: Glance = { ...glance, unread: [] };
    const given = this.#settings.with(loose, home, glance);
    needs.add(given.needs);
    const settings = [
      ...given.settings,
      ...files.flatMap((file) => this.#said(file, home, needs, ours)),
      ...configs.flatMap((file) => this.#said(file, home, needs, glance)),
    ];
    // The caller's git ignores those that the caller may not read (config.c, `ACCESS_EACCES_OK`).
    glance.unread.push(...[...given.unread, ...ours.unread].filter(({ why }) => why !== CLOSED));
    // The file that leads to this part of a worktree determines the path of its tree.
    const config = joinPath(common, "config");
    const keep = (led: GitPathTarget | "who" | null): AbsolutePath | null =>
      keptOf(led, config, needs, glance.unread);
    const [trees, folders] = [valuesOf(settings, "core.worktree"), valuesOf(settings, "core.hookspath")];
    if (trees.length + folders.length > MAX_NAMED)
      glance.unread.push({ path: config, why: `names more than ${MAX_NAMED} folders` });
    const worktrees = trees
      .slice(0, MAX_NAMED)
      .flatMap((value) => keep(namedBy(value, folder, glance.see)) ?? []);
    const tops = sign.kind === "folder" && common !== folder ? [folder] : topsOf(sign, folder, worktrees);
    for (const value of folders.slice(0, MAX_NAMED))
      for (const top of value === "" ? [] : tops) {
        const path = keep(resolveWritten(value, top, home, glance.see));
        if (path !== null && !isInside(top, path)) hooks.add(path);
      }
    for (const at of [joinPath(common, "hooks"), ...hooks])
      for (const link of this.#linksIn(at, glance)) hooks.add(link);
    const { kept, detours } = needs;
    return {
      hooks: [...hooks],
      configs: [...kept],
      parts: obeyedElsewhere(sign, place),
      detours: [...detours],
    };
  }

  /** The caller's configuration, which all other repositories obey. It may be in a root, or name paths in one. */
  #everywhere({ home, files, settings: loose }: Everywhere, glance: Glance): Repository {
    const needs = new AllPathNeeds();
    const given = this.#settings.with(loose, home, glance);
    for (const one of [{ kept: files }, given.needs]) needs.add(one);
    const settings = [...given.settings, ...files.flatMap((file) => this.#said(file, home, needs, glance))];
    // A template's contents, hooks and configuration, are copied into each new repository (git-init(1)).
    const hooks = ["core.hookspath", "init.templatedir"]
      .flatMap((name) => valuesOf(settings, name).slice(0, MAX_NAMED))
      .filter((value) => value.startsWith("/") || value.startsWith("~"))
      .flatMap((value) => keptOf(resolveWritten(value, ROOT, home, glance.see), ROOT, needs, []) ?? []);
    return {
      kind: "file",
      path: joinPath(home, ".gitconfig"),
      isWhole: true,
      hooks: inOrder(hooks),
      configs: inOrder(needs.kept),
      parts: [],
      detours: inOrder(needs.detours),
    };
  }

  /** All settings of a configuration; its needs are added. */
  #said(file: AbsolutePath, home: AbsolutePath, needs: AllPathNeeds, glance: Glance): readonly GitSetting[] {
    const said = this.#settings.of(file, home, glance);
    needs.add(said.needs);
    glance.unread.push(...said.unread);
    return said.settings;
  }

  /** The target of a file `.git`, or of a link of that name. */
  #folderBehind({ kind, path }: RepositorySign, glance: Glance): GitPathTarget | null {
    const way = kind === "link" ? wayOf(path, ROOT, glance.see) : null;
    const real = way === null ? path : way.end;
    if (way !== null && dependsOnWho(way)) glance.unread.push({ path, why: BY_WHO_ASKS });
    if (real === null) return null;
    if (glance.see(real)?.isDirectory() === true) return itself(real);
    // Its path begins at the name by which it was found (setup.c, `read_gitfile_gently`).
    const { text } = this.#settings.look(real, glance);
    const target = text.startsWith(GITDIR) ? withoutLineEnds(text.slice(GITDIR.length)) : "";
    return target === "" ? null : ledFrom(path, target, glance);
  }

  #commonOf(folder: AbsolutePath, glance: Glance): GitPathTarget | null {
    const file = joinPath(folder, "commondir");
    const { text } = this.#settings.look(file, glance);
    const target = withoutLineEnds(text);
    return target === "" ? itself(folder) : ledFrom(file, target, glance);
  }

  /** The links among the hooks in a folder: git runs their targets, wherever these are. */
  #linksIn(folder: AbsolutePath, { see, unread }: Glance): readonly AbsolutePath[] {
    const way = wayOf(folder, ROOT, see);
    const stats = way.end === null ? null : see(way.end);
    const isFolder = stats?.isDirectory() === true;
    const { found: links, unread: why } = isFolder
      ? this.#links.at(folder, stats, () => linksAt(folder))
      : { found: [], unread: null };
    if (why !== null) unread.push({ path: folder, why });
    if (dependsOnWho(way)) unread.push({ path: folder, why: BY_WHO_ASKS });
    for (const path of links)
      if (dependsOnWho(wayOf(path, ROOT, see))) unread.push({ path, why: BY_WHO_ASKS });
    return links;
  }
}

type Obeyed = Pick<Repository, "hooks" | "configs" | "parts" | "detours">;

function inOrder(paths: Iterable<AbsolutePath>): readonly AbsolutePath[] {
  return [...new Set(paths)].sort();
}

const GITDIR = "gitdir: ";

/** Maximum of named folders of hooks and of working trees; each of the former is looked for in each of the latter. */
const MAX_NAMED = 100;

const PER_WORKTREE = "extensions.worktreeconfig";
