import { lstatSync, renameSync } from "node:fs";
import { visible } from "../../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../../profile/path.ts";
import { statsOf } from "../../look/nodes.ts";
import { type OpenFolder, openFolder, openFolderIn } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { copyTree } from "./copy.ts";
import { withOwnerRights } from "./owner-rights.ts";
import type { QuarantineItem } from "./record.ts";
import { removeByRight } from "./remove.ts";
import type { Entry, ReadBudget } from "./tree.ts";

/** The result of moving something out of its place. */
export type Moved = Pick<QuarantineItem, "state" | "aside" | "problem">;

/**
 * Moves the entry at a path to another place. If that fails, it goes aside: it stays in its folder under a name that no
 * program obeys. One rename takes it out of its place, with all of its content. `to` null: there is no other place.
 * `budget`: how much may be copied. Errors of the file system are returned, never thrown.
 */
export async function moveAway(
  path: AbsolutePath,
  to: Entry | null,
  asideName: string,
  budget: ReadBudget,
): Promise<Moved> {
  let folder: OpenFolder;
  try {
    folder = openFolder(parentOf(path));
  } catch (cause) {
    return isGone(cause, { at: parentOf(path), name: nameOf(path) })
      ? GONE
      : { state: "live", aside: null, problem: problemOf(cause) };
  }
  using _folder = folder;
  const from: Entry = { folder, name: nameOf(path), at: parentOf(path) };
  if (to === null) return await moveAside(from, asideName, "the state folder is not writable");
  try {
    await renameByRight(from, to);
    return { state: "taken", aside: null, problem: null };
  } catch (cause) {
    if (isGone(cause, from)) return GONE;
    const aside = await moveAside(from, asideName, problemOf(cause));
    return aside.state === "aside"
      ? await broughtAlong({ ...from, name: asideName }, to, aside, budget)
      : aside;
  }
}

/** The name of an entry that stays in its folder: its own with an ending, so that no program looks for it. */
export function asideNameOf(path: AbsolutePath, id: string, index: number): string {
  const ending = `.cofferdam-${id.slice(0, 8)}-${index}`;
  return `${nameOf(path).slice(0, MAX_NAME - ending.length)}${ending}`;
}

/** Characters of a name; one takes up to three bytes, of which a name has 255 (limits.h, `NAME_MAX`). */
const MAX_NAME = 80;

/** The name of a copy until it is whole. */
export function unfinishedNameOf(name: string): string {
  return `${name}.unfinished`;
}

const GONE: Moved = { state: "gone", aside: null, problem: null };

async function moveAside(from: Entry, name: string, problem: string): Promise<Moved> {
  try {
    await renameByRight(from, { ...from, name });
    return { state: "aside", aside: joinPath(from.at, name), problem };
  } catch (cause) {
    return isGone(cause, from) ? GONE : { state: "live", aside: null, problem: problemOf(cause) };
  }
}

/** Copies an entry from another file system. One that is too large for that, or finds no room there, stays aside. */
async function broughtAlong(source: Entry, to: Entry, aside: Moved, budget: ReadBudget): Promise<Moved> {
  const copy: Entry = { ...to, name: unfinishedNameOf(to.name) };
  try {
    const { digest } = await copyTree(source, copy, budget);
    if (digest === null) return { ...aside, problem: UNCOPIED };
    // A process killed before this leaves the entry aside only; one killed later has all of it here.
    renameSync(copy.folder.child(copy.name), to.folder.child(to.name));
  } catch (cause) {
    return { ...aside, problem: problemOf(cause) };
  }
  const problem = await removeByRight(source);
  const at = visible(joinPath(source.at, source.name));
  return {
    state: "taken",
    aside: null,
    problem: problem === null ? null : `a copy remains at ${at}: ${problem}`,
  };
}

const UNCOPIED =
  "it can't be copied to the state folder: it is too large, unreadable, or contains more than files, folders and links";

/** A rename needs the right to write in the folder, and in a folder that gets another one above it (rename(2)). */
async function renameByRight(from: Entry, to: Entry): Promise<void> {
  const source = from.folder.child(from.name);
  await withOwnerRights([from.folder], async () => {
    using opened = lstatSync(source).isDirectory() ? openFolderIn(from.folder, from.name, from.at) : null;
    await withOwnerRights(opened === null ? [] : [opened], () =>
      renameSync(source, to.folder.child(to.name)),
    );
  });
}

/** True if nothing is there; a link that is on the way by now may lead to something. */
function isGone(cause: unknown, { at, name }: Pick<Entry, "at" | "name">): boolean {
  const code = codeOf(cause);
  return code === "ENOENT" || (isOfWay(code) && statsOf(joinPath(at, name)) === null);
}

function isOfWay(code: string): boolean {
  return code === "ENOTDIR" || code === "ELOOP";
}

function problemOf(cause: unknown): string {
  const code = codeOf(cause);
  return isOfWay(code) ? "its path contains a link" : code || "it could not be moved";
}
