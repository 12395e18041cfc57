import { visible } from "../errors.ts";
import { accessTo } from "../profile/access-to.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Root } from "../tool/facts.ts";

/** Folders that a call can use only after approval, `/` for all: to read them at all, or to write in them. */
export interface GainedAccess {
  readonly readable: readonly AbsolutePath[];
  readonly writable: readonly AbsolutePath[];
}

const FOLDER = { kind: "folder", bornInside: false } as const;

/** The access that approval adds to a call; null if both profiles give the same. */
export function gainedAccess(unapproved: Profile, approved: Profile): GainedAccess | null {
  if (unapproved === approved) return null;
  const paths = [...new Set([...unapproved.files, ...approved.files].map(({ path }) => path))];
  const changed = paths.flatMap((path) => {
    const [before, after] = [accessTo(unapproved, path, FOLDER), accessTo(approved, path, FOLDER)];
    return before === after ? [] : [{ path, before, after }];
  });
  if (changed.length === 0) return null;
  return {
    readable: changed.flatMap(({ path, before, after }) =>
      before === "none" && after !== "none" ? [path] : [],
    ),
    writable: changed.flatMap(({ path, after }) => (after === "write" ? [path] : [])),
  };
}

/** The access in words, as a reason to ask: `it may write in workspace, where writing needs approval`. */
export function gainInWords({ readable, writable }: GainedAccess, roots: readonly Root[]): string {
  const names = (paths: readonly AbsolutePath[]): string =>
    paths.map((path) => visible(roots.find((root) => root.path === path)?.name ?? path)).join(", ");
  const onlyRead = readable.filter((path) => !writable.includes(path));
  const gains = [
    ...(onlyRead.length === 0 ? [] : [`read ${names(onlyRead)}, where reading needs approval`]),
    ...(writable.length === 0 ? [] : [`write in ${names(writable)}, where writing needs approval`]),
  ];
  return `it may ${gains.join(", and ")}`;
}
