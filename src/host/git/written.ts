import type { RepositorySign } from "../../backend/repositories.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { listedUsers } from "../users.ts";
import { resolved } from "./led.ts";

/** A path as a configuration writes it: from a folder, from the caller's home, or from that of a user (`~name/`). */
export function resolveWritten(
  written: string,
  folder: AbsolutePath,
  home: AbsolutePath,
): AbsolutePath | null {
  const [start, user] = /^~([^/]*)(?=\/|$)/.exec(written) ?? [];
  if (start === undefined) return resolved(written, folder);
  const top = user === "" ? home : listedUsers().find(({ name }) => name === user)?.home;
  return top === undefined ? null : resolved(`.${written.slice(start.length)}`, top);
}

/** The configuration that a setting of one includes, whatever the condition (git-config(1), INCLUDES); null for any other. */
export function includedBy(
  { name, value }: GitSetting,
  file: AbsolutePath,
  home: AbsolutePath,
): AbsolutePath | null {
  const isInclude = name === "include.path" || (name.startsWith("includeif.") && name.endsWith(".path"));
  return isInclude && value !== null ? resolveWritten(value, parentOf(file), home) : null;
}

/**
 * The folders that a relative `core.hooksPath` begins at: where hooks run, the working tree and, for what is pushed into
 * the repository, its own folder (githooks(5)).
 */
export function topsOf(
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
