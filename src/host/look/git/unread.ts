import type { RepositorySign } from "../../../backend/repositories.ts";
import { CofferdamError, visible } from "../../../errors.ts";
import { type AbsolutePath, isInside, parentOf } from "../../../profile/path.ts";
import { BY_WHO_ASKS } from "./files.ts";
import { followedTarget, type GitPathTarget } from "./path-targets.ts";
import type { Glance, Unread } from "./settings.ts";

/** Texts of a receipt about unreadable paths, each relative to the first of the folders that contains it. */
export function anything(
  { unread }: Pick<Glance, "unread">,
  folders: readonly AbsolutePath[],
): readonly string[] {
  const lines = unread.map(({ path, why }) => {
    const folder = folders.find((one) => isInside(path, one));
    return `anything (${folder === undefined ? path : path.slice(folder.length + 1)} ${why})`;
  });
  return [...new Set(lines)];
}

/** The target of a file's text; null if it names no path, or the target is unknown. */
export function ledFrom(file: AbsolutePath, written: string, { see, unread }: Glance): GitPathTarget | null {
  const led = followedTarget(written, parentOf(file), see);
  if (led !== "who") return led;
  unread.push({ path: file, why: BY_WHO_ASKS });
  return null;
}

/** The error for a repository that can't be protected. */
export function unreadable({ path }: RepositorySign, unread: Unread): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `the git repository ${visible(path)} can't be protected: ${visible(unread.path)} ${unread.why}`,
    { hint: "repair or remove that file, or move its folder out of the roots" },
  );
}
