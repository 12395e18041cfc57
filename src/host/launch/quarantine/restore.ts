import { lchownSync, linkSync, lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { type AbsolutePath, nameOf, parentOf } from "../../../profile/path.ts";
import { type OpenFolder, openFolder } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { copyTree } from "./copy.ts";
import { withOwnerRights } from "./owner-rights.ts";
import type { QuarantineItem } from "./record.ts";
import { removeTree } from "./remove.ts";
import { type Entry, readTree } from "./tree.ts";

/**
 * Puts an item back where it was found, as a new copy: open files and other names of the old one change nothing. It
 * must match its digest, and its path must be free. Returns null, or the reason of a failure.
 */
export async function restoreItem(
  { digest, kind }: Pick<QuarantineItem, "digest" | "kind">,
  source: Entry,
  path: AbsolutePath,
  temporary: string,
): Promise<string | null> {
  if (digest === null)
    return "it is too large, unreadable, or contains more than files, folders and links: move it yourself";
  try {
    using folder = openFolder(parentOf(path));
    const target: Entry = { folder, name: nameOf(path), at: parentOf(path) };
    return await withOwnerRights([folder], async () => {
      if (isThere(target)) return THERE;
      const copy: Entry = { ...target, name: temporary };
      await removeTree(copy);
      const copied = await copyTree(source, copy);
      try {
        if (copied.digest !== digest) return "it changed after it was quarantined";
        putInPlace(copy, target, kind);
      } finally {
        await removeTree(copy);
      }
      return staysAt(target, digest);
    });
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EEXIST") return THERE;
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return "its folder no longer exists";
    return code || "it could not be restored";
  }
}

/** Reads again: a call may have changed the copy before it was in place. Later changes are found at that call's end. */
async function staysAt(target: Entry, digest: string): Promise<string | null> {
  const put = await readTree(target);
  if (put.digest === digest && !put.isLinked) return null;
  await removeTree(target);
  return "it was changed or linked while it was restored";
}

/** Ends a killed process's restoring and removes its copy. True if the item was put back. Throws node's errors. */
export async function endRestoring(
  { digest }: Pick<QuarantineItem, "digest">,
  path: AbsolutePath,
  temporary: string,
): Promise<boolean> {
  const folder = openIfThere(parentOf(path));
  if (folder === null) return false;
  using _folder = folder;
  const target: Entry = { folder, name: nameOf(path), at: parentOf(path) };
  await withOwnerRights([folder], () => removeTree({ ...target, name: temporary }));
  if (digest === null || !isThere(target)) return false;
  const found = await readTree(target);
  if (found.digest !== digest) return false;
  // The taken item is still whole.
  if (found.isLinked) await withOwnerRights([folder], () => removeTree(target));
  return !found.isLinked;
}

/** The name of an item's copy until it is put in place. */
export function temporaryNameOf(id: string, index: number): string {
  return `.cofferdam-kept-${id.slice(0, 8)}-${index}`;
}

const THERE = "another file is there now";

/** Replaces nothing: making a link fails if the name exists, and a folder is only ever renamed over an empty one. */
function putInPlace(copy: Entry, target: Entry, kind: QuarantineItem["kind"]): void {
  const [from, to] = [copy.folder.child(copy.name), target.folder.child(target.name)];
  if (kind === "folder") {
    if (isThere(target)) throw Object.assign(new Error(THERE), { code: "EEXIST" });
    renameSync(from, to);
  } else if (kind === "link") {
    // Some systems follow a link that is to be linked (link(2) of macOS).
    symlinkSync(readlinkSync(from, { encoding: "buffer" }), to);
    const { uid, gid } = lstatSync(from);
    lchownSync(to, uid, gid);
  } else linkSync(from, to);
}

function isThere({ folder, name }: Entry): boolean {
  return lstatSync(folder.child(name), { throwIfNoEntry: false }) !== undefined;
}

function openIfThere(path: AbsolutePath): OpenFolder | null {
  try {
    return openFolder(path);
  } catch (cause) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause))) return null;
    throw cause;
  }
}
