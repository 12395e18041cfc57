import { type AbsolutePath, isInside, joinPath, parentOf } from "../../../profile/path.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import { isWholeRepository } from "./above.ts";
import { textAt } from "./files.ts";
import { resolved } from "./path-targets.ts";
import { withoutLineEnds } from "./written.ts";

/** A folder of git's outside all roots that a root's `.git` leads to: without it git does not work there. */
export interface GitElsewhere {
  /** The file that names it: `.git`, `commondir` or `objects/info/alternates`. */
  readonly from: AbsolutePath;
  readonly path: AbsolutePath;
  /** The access that git needs: it writes in a repository, and only reads objects of another one. */
  readonly mode: "rw" | "ro";
  /** True if the folder itself names the root, so that the root's files alone can't lead to any other folder. */
  readonly isMutual: boolean;
}

/** Maximum depth of a chain that git follows (object-file.c, `link_alt_odb_entries`). */
const DEEPEST_ALTERNATES = 5;

/** Maximum of alternates of a repository; real ones have fewer. */
const MAX_ALTERNATES = 32;

/**
 * Folders outside all roots (all of them real paths) that git uses from a folder: the repository of a linked worktree,
 * of a submodule or of `--separate-git-dir`, and the objects that it borrows. Only folders that look like git's own
 * count, because a repository must not be able to propose a grant for any folder.
 */
export function gitElsewhere(folder: AbsolutePath, roots: readonly AbsolutePath[]): readonly GitElsewhere[] {
  const pointer = joinPath(folder, ".git");
  const found = repositoryOf(folder);
  if (found === null || !isWholeRepository(found.common, statsOf)) return [];
  const { gitdir, common } = found;
  const isMutual = pointsBack(gitdir, common, pointer, folder);
  const parts: readonly GitElsewhere[] = [
    { from: pointer, path: common, mode: "rw", isMutual },
    ...(isInside(gitdir, common) ? [] : [{ from: pointer, path: gitdir, mode: "rw", isMutual } as const]),
    ...borrowed(joinPath(common, "objects")).map((one) => ({ ...one, mode: "ro", isMutual: false }) as const),
  ];
  return parts.filter(({ path }) => !roots.some((root) => isInside(path, root)));
}

/** The repository folder that git uses for a working tree, and the common folder; null without any. */
export function repositoryOf(
  folder: AbsolutePath,
): { readonly gitdir: AbsolutePath; readonly common: AbsolutePath } | null {
  const gitdir = gitdirOf(joinPath(folder, ".git"));
  if (gitdir === null) return null;
  const written = withoutLineEnds(textAt(joinPath(gitdir, "commondir")));
  return { gitdir, common: ledTo(written, gitdir) ?? gitdir };
}

/** The folder at `.git`, or the one that a file there names. */
function gitdirOf(pointer: AbsolutePath): AbsolutePath | null {
  const real = realPathOf(pointer);
  if (real === null) return null;
  if (statsOf(real)?.isDirectory() === true) return real;
  const [, written = ""] = /^gitdir: (.+)$/s.exec(withoutLineEnds(textAt(real))) ?? [];
  return ledTo(written, parentOf(pointer));
}

/** The real path of a folder that git's text names, from another folder. */
function ledTo(written: string, from: AbsolutePath): AbsolutePath | null {
  if (written === "" || /[\p{Cc}]/u.test(written)) return null;
  const named = resolved(written, from);
  const real = named === null ? null : realPathOf(named);
  return real !== null && statsOf(real)?.isDirectory() === true ? real : null;
}

/** A worktree's part names the worktree's `.git`; a submodule's configuration names its working tree. */
function pointsBack(
  gitdir: AbsolutePath,
  common: AbsolutePath,
  pointer: AbsolutePath,
  folder: AbsolutePath,
): boolean {
  if (gitdir !== common && !isInside(gitdir, joinPath(common, "worktrees"))) return false;
  if (gitdir !== common) return fileNamed(joinPath(gitdir, "gitdir")) === realPathOf(pointer);
  const [, written = ""] = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textAt(joinPath(gitdir, "config"))) ?? [];
  return ledTo(written, gitdir) === folder;
}

function fileNamed(by: AbsolutePath): AbsolutePath | null {
  const named = resolved(withoutLineEnds(textAt(by)), parentOf(by));
  return named === null ? null : realPathOf(named);
}

/** The folders of borrowed objects, with the file that names each (gitrepository-layout(5)). */
function borrowed(objects: AbsolutePath): readonly Pick<GitElsewhere, "from" | "path">[] {
  const found = new Map<AbsolutePath, AbsolutePath>();
  let folders: readonly AbsolutePath[] = [objects];
  for (let depth = 0; depth < DEEPEST_ALTERNATES && folders.length > 0; depth += 1)
    folders = folders.flatMap((folder) => {
      const from = joinPath(folder, "info/alternates");
      const lines = textAt(from).split("\n").slice(0, MAX_ALTERNATES);
      return lines.flatMap((line) => {
        const path = line.startsWith("#") ? null : ledTo(line, folder);
        if (path === null || found.has(path) || found.size >= MAX_ALTERNATES || !isObjects(path)) return [];
        found.set(path, from);
        return [path];
      });
    });
  return [...found].map(([path, from]) => ({ from, path }));
}

function isObjects(folder: AbsolutePath): boolean {
  return ["pack", "info"].some((name) => statsOf(joinPath(folder, name))?.isDirectory() === true);
}
