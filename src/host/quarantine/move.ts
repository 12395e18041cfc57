import { lstatSync, renameSync } from "node:fs";
import { visible } from "../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { type OpenFolder, openFolder, openFolderIn } from "../open-folder.ts";
import { codeOf } from "../system-error.ts";
import { copyTree } from "./copy.ts";
import { withOwnerRights } from "./owner-rights.ts";
import type { QuarantineItem } from "./record.ts";
import { removeByRight } from "./remove.ts";
import type { Entry, ReadBudget } from "./tree.ts";

/** What became of something that was to be moved out of its place. */
export type Moved = Pick<QuarantineItem, "state" | "aside" | "problem">;

/**
 * Moves what stands at a path to another place, or, where it can't be brought there, aside: it stays in its folder under a name
 * that no program obeys. One rename takes it out of its place, whatever it holds. `to` null: there is no other place. `budget`: how much may be copied. Never throws
 * for what the file system says: that is told.
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
  if (to === null) return await moveAside(from, asideName, "nothing can be written in the state folder");
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

/** The name that something gets that stays in its folder: its own, which no program looks for any more. */
export function asideNameOf(path: AbsolutePath, id: string, index: number): string {
  const ending = `.cofferdam-${id.slice(0, 8)}-${index}`;
  return `${nameOf(path).slice(0, MAX_NAME - ending.length)}${ending}`;
}

/** Characters of a name; one takes up to three bytes, of which a name has 255 (limits.h, `NAME_MAX`). */
const MAX_NAME = 80;

/** What a copy is called until it is whole. */
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

/** From another file system it is copied. What is too large for that, or finds no room there, stays aside. */
async function broughtAlong(source: Entry, to: Entry, aside: Moved, budget: ReadBudget): Promise<Moved> {
  const copy: Entry = { ...to, name: unfinishedNameOf(to.name) };
  try {
    const { digest } = await copyTree(source, copy, budget);
    if (digest === null) return { ...aside, problem: UNCOPIED };
    // Whoever is killed before has only what is aside, and after that has all of it here.
    renameSync(copy.folder.child(copy.name), to.folder.child(to.name));
  } catch (cause) {
    return { ...aside, problem: problemOf(cause) };
  }
  const problem = await removeByRight(source);
  const at = visible(joinPath(source.at, source.name));
  return {
    state: "taken",
    aside: null,
    problem: problem === null ? null : `a copy stays at ${at}: ${problem}`,
  };
}

const UNCOPIED =
  "it can't be copied to the state folder: it is too large, can't be read, or holds something else than files, folders and links";

/** A rename takes the right to write in the folder, and in what is renamed where that is one that gets another above it (rename(2)). */
async function renameByRight(from: Entry, to: Entry): Promise<void> {
  const source = from.folder.child(from.name);
  await withOwnerRights([from.folder], async () => {
    using opened = lstatSync(source).isDirectory() ? openFolderIn(from.folder, from.name, from.at) : null;
    await withOwnerRights(opened === null ? [] : [opened], () =>
      renameSync(source, to.folder.child(to.name)),
    );
  });
}

/** Nothing is there any more: behind a link that stands on the way by now there may be something. */
function isGone(cause: unknown, { at, name }: Pick<Entry, "at" | "name">): boolean {
  const code = codeOf(cause);
  return code === "ENOENT" || (isOfWay(code) && statsOf(joinPath(at, name)) === null);
}

function isOfWay(code: string): boolean {
  return code === "ENOTDIR" || code === "ELOOP";
}

function problemOf(cause: unknown): string {
  const code = codeOf(cause);
  return isOfWay(code) ? "a link stands on the way to it" : code || "it could not be moved";
}
