import { chmodSync, lstatSync, renameSync } from "node:fs";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { type OpenFolder, openFolder, openFolderIn } from "../open-folder.ts";
import { codeOf } from "../system-error.ts";
import { copyTree, removeTree } from "./copy.ts";
import type { QuarantineItem } from "./record.ts";
import type { Entry } from "./tree.ts";

/** What became of something that was to be moved out of its place. */
export type Moved = Pick<QuarantineItem, "state" | "aside" | "problem">;

/**
 * Moves what stands at a path to another place, or, where it can't be brought there, aside: it stays in its folder under a name
 * that no program obeys. One rename takes it out of its place, whatever it holds. `to` null: there is no other place. Never throws
 * for what the file system says: that is told.
 */
export async function moveAway(path: AbsolutePath, to: Entry | null, asideName: string): Promise<Moved> {
  let folder: OpenFolder;
  try {
    folder = openFolder(parentOf(path));
  } catch (cause) {
    return isGone(cause) ? GONE : { state: "live", aside: null, problem: problemOf(cause) };
  }
  using _folder = folder;
  const from: Entry = { folder, name: nameOf(path), at: parentOf(path) };
  if (to === null) return moveAside(from, asideName, "there is no room in the state folder");
  try {
    renameByRight(from, to.folder.child(to.name));
    return { state: "taken", aside: null, problem: null };
  } catch (cause) {
    if (isGone(cause)) return GONE;
    const aside = moveAside(from, asideName, problemOf(cause));
    return aside.state === "aside" ? await broughtAlong(from, asideName, to, aside) : aside;
  }
}

/** The name that something gets that stays in its folder: its own, which no program looks for any more. */
export function asideNameOf(path: AbsolutePath, id: string, index: number): string {
  const ending = `.cofferdam-${id.slice(0, 8)}-${index}`;
  return `${nameOf(path).slice(0, MAX_NAME - ending.length)}${ending}`;
}

/** Characters of a name; one takes up to three bytes, of which a name has 255 (limits.h, `NAME_MAX`). */
const MAX_NAME = 80;

const GONE: Moved = { state: "gone", aside: null, problem: null };

function moveAside(from: Entry, name: string, problem: string): Moved {
  try {
    renameByRight(from, from.folder.child(name));
    return { state: "aside", aside: joinPath(from.at, name), problem };
  } catch (cause) {
    return isGone(cause) ? GONE : { state: "live", aside: null, problem: problemOf(cause) };
  }
}

/** From another file system it is copied. What is too large for that, or finds no room there, stays aside. */
async function broughtAlong(from: Entry, name: string, to: Entry, aside: Moved): Promise<Moved> {
  const source: Entry = { ...from, name };
  try {
    const { digest } = await copyTree(source, to);
    if (digest === null) return { ...aside, problem: "it is too large to be copied to the state folder" };
  } catch (cause) {
    return { ...aside, problem: problemOf(cause) };
  }
  try {
    await removeTree(source);
    return { state: "taken", aside: null, problem: null };
  } catch (cause) {
    return { state: "taken", aside: aside.aside, problem: `a copy stays there: ${problemOf(cause)}` };
  }
}

/**
 * Renames an entry. Its owner may have taken from the folder, or from itself where it is one, the right to be written in, which
 * a rename takes (rename(2), EACCES): that is given for as long as it takes.
 */
function renameByRight(from: Entry, to: Buffer): void {
  const source = from.folder.child(from.name);
  try {
    renameSync(source, to);
  } catch (cause) {
    if (!["EACCES", "EPERM"].includes(codeOf(cause))) throw cause;
    using rights = new Rights();
    rights.give(from.folder.child("."));
    const isFolder = lstatSync(source).isDirectory();
    using opened = isFolder ? openFolderIn(from.folder, from.name, from.at) : null;
    if (opened !== null) rights.give(opened.child("."));
    renameSync(source, to);
  }
}

/** Rights of the owner to folders, taken back at the end. */
class Rights implements Disposable {
  readonly #before: (readonly [path: Buffer, mode: number])[] = [];

  give(folder: Buffer): void {
    const { mode } = lstatSync(folder);
    chmodSync(folder, (mode & 0o7777) | 0o700);
    this.#before.push([folder, mode & 0o7777]);
  }

  [Symbol.dispose](): void {
    for (const [folder, mode] of this.#before) chmodSync(folder, mode);
  }
}

/** It is not there any more, or a link stands on the way to it by now: then what stands behind that is something else. */
function isGone(cause: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause));
}

function problemOf(cause: unknown): string {
  return codeOf(cause) || "it could not be moved";
}
