import { linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { isAbsolutePath, nameOf, parentOf } from "../../profile/path.ts";
import { openFolder } from "../open-folder.ts";
import { codeOf } from "../system-error.ts";
import { copyTree, removeTree } from "./copy.ts";
import type { QuarantineItem } from "./record.ts";
import type { Entry } from "./tree.ts";

/**
 * Puts an item back where it was found, as a copy that is new: what still has a file of it open from before changes nothing. It must
 * be what was looked at, by its digest, and nothing may stand there by now. Null where that was done, else why not.
 */
export async function restoreItem(
  item: QuarantineItem,
  source: Entry,
  temporary: string,
): Promise<string | null> {
  const { path } = item;
  if (!isAbsolutePath(path)) return "its path is none";
  if (item.digest === null)
    return "it is too large, can't be read, or holds something else than files, folders and links: move it yourself";
  try {
    using folder = openFolder(parentOf(path));
    const target: Entry = { folder, name: nameOf(path), at: parentOf(path) };
    if (isThere(target)) return THERE;
    const copy: Entry = { ...target, name: temporary };
    const { digest } = await copyTree(source, copy);
    if (digest !== item.digest) {
      if (digest !== null) await removeTree(copy);
      return "it is not what it was when it was taken";
    }
    try {
      putInPlace(copy, target, item.kind === "folder");
    } catch (cause) {
      await removeTree(copy);
      throw cause;
    }
    return null;
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EEXIST") return THERE;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code))
      return "the folder that it lay in is not there any more";
    return code || "it could not be put there";
  }
}

const THERE = "something else stands there by now";

/** Replaces nothing: to link a name fails where one is, and a folder is only ever renamed over an empty one. */
function putInPlace(copy: Entry, target: Entry, isFolder: boolean): void {
  const [from, to] = [copy.folder.child(copy.name), target.folder.child(target.name)];
  if (isFolder) {
    if (isThere(target)) throw Object.assign(new Error(THERE), { code: "EEXIST" });
    renameSync(from, to);
  } else {
    linkSync(from, to);
    unlinkSync(from);
  }
}

function isThere({ folder, name }: Entry): boolean {
  return lstatSync(folder.child(name), { throwIfNoEntry: false }) !== undefined;
}
