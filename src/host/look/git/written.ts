import type { RepositorySign } from "../../../backend/repositories.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../../profile/path.ts";
import { type Lstat, wayOf } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { listedUsers } from "../users.ts";
import { type GitPathTarget, namedBy } from "./path-targets.ts";

/** A path as a configuration writes it: from a folder, from the caller's home, or from that of a user (`~name/`). */
export function resolveWritten(
  written: string,
  folder: AbsolutePath,
  home: AbsolutePath,
  see: Lstat,
): GitPathTarget | "who" | null {
  const start = startOf(written, folder, home);
  return start === null ? null : namedBy(start.rest, start.from, see);
}

/** The canonical folder of a path written like this; null if there is none. */
export function folderOfWritten(
  written: string,
  folder: AbsolutePath,
  home: AbsolutePath,
  see: Lstat,
): AbsolutePath | null {
  const start = startOf(written, folder, home);
  if (start === null) return null;
  const { rest, from } = start;
  return wayOf(rest.slice(0, rest.lastIndexOf("/") + 1), from, see).end;
}

function startOf(written: string, folder: AbsolutePath, home: AbsolutePath) {
  const [start, user] = /^~([^/]*)(?=\/|$)/.exec(written) ?? [];
  if (start === undefined) return { rest: written, from: folder };
  const from = user === "" ? home : listedUsers().find(({ name }) => name === user)?.home;
  return from === undefined ? null : { rest: `.${written.slice(start.length)}`, from };
}

/** The path that a setting includes, as written, under any condition (git-config(1), INCLUDES); null for any other. */
export function includeOf({ name, value }: GitSetting): string | null {
  return name === "include.path" || (name.startsWith("includeif.") && name.endsWith(".path")) ? value : null;
}

/** Start folders of a relative `core.hooksPath`: working trees and, for pushes, the repository's own (githooks(5)). */
export function topsOf(
  { kind, path }: RepositorySign,
  folder: AbsolutePath,
  worktrees: readonly AbsolutePath[],
): readonly AbsolutePath[] {
  const own = kind !== "folder" || nameOf(path) === ".git" ? parentOf(path) : path;
  return [...new Set([own, folder, ...worktrees])];
}

/** Settings from the environment (git-config(1), ENVIRONMENT). */
export function settingsFrom(env: Readonly<Record<string, string | undefined>>): readonly GitSetting[] {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  const max = Number.isInteger(count) ? Math.min(count, Object.keys(env).length) : 0;
  return Array.from({ length: Math.max(0, max) }).flatMap((_, at) => {
    const [key, value] = [env[`GIT_CONFIG_KEY_${at}`], env[`GIT_CONFIG_VALUE_${at}`]];
    return key === undefined || value === undefined ? [] : [{ name: plainName(key), value }];
  });
}

/** Section and key in lower case, the subsection between them as it is. */
function plainName(key: string): string {
  const [section, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return key.slice(0, section).toLowerCase() + key.slice(section, last) + key.slice(last).toLowerCase();
}

/** A git file's text without all line ends at its end (setup.c, `read_gitfile_gently`, `get_common_dir_noenv`). */
export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && "\r\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
