import type { RepositorySign } from "../../backend/repositories.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";
import type { Look } from "../leads.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { listedUsers } from "../users.ts";
import { type Led, namedBy } from "./led.ts";

/** A path as a configuration writes it: from a folder, from the caller's home, or from that of a user (`~name/`). */
export function resolveWritten(
  written: string,
  folder: AbsolutePath,
  home: AbsolutePath,
  see: Look,
): Led | "who" | null {
  const [start, user] = /^~([^/]*)(?=\/|$)/.exec(written) ?? [];
  if (start === undefined) return namedBy(written, folder, see);
  const top = user === "" ? home : listedUsers().find(({ name }) => name === user)?.home;
  return top === undefined ? null : namedBy(`.${written.slice(start.length)}`, top, see);
}

/** What a setting includes, as it writes it, whatever the condition (git-config(1), INCLUDES); null for any other. */
export function includeOf({ name, value }: GitSetting): string | null {
  return name === "include.path" || (name.startsWith("includeif.") && name.endsWith(".path")) ? value : null;
}

/**
 * The folders that a relative `core.hooksPath` begins at: where hooks run, the working trees and, for what is pushed into
 * the repository, its own folder (githooks(5)).
 */
export function topsOf(
  { kind, path }: RepositorySign,
  folder: AbsolutePath,
  worktrees: readonly AbsolutePath[],
): readonly AbsolutePath[] {
  const own = kind !== "folder" || nameOf(path) === ".git" ? parentOf(path) : path;
  return [...new Set([own, folder, ...worktrees])];
}
