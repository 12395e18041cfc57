import { constants } from "node:fs";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";
import { linkAt, statsOf } from "../nodes.ts";
import { namesInFolder, openFolder, openFolderIn } from "../open-folder.ts";
import { openPlainFile } from "../plain-file.ts";

/** What something that was taken holds, for people to look at. */
export type HeldContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly names: readonly string[] };

/** Larger files, and more names, are not shown. */
const MAX_BYTES = 1024 ** 2;
const MAX_NAMES = 100;

/** What stands at a path, on the way to which no link may stand; null for what can't be shown. */
export function contentAt(path: AbsolutePath): HeldContent | null {
  const stats = statsOf(path);
  try {
    using folder = openFolder(parentOf(path));
    if (stats?.isSymbolicLink() === true) return { kind: "link", target: linkAt(path) ?? "" };
    if (stats?.isDirectory() === true) {
      using opened = openFolderIn(folder, nameOf(path), parentOf(path));
      return { kind: "folder", names: namesInFolder(opened, MAX_NAMES) };
    }
    using file = openPlainFile(folder.child(nameOf(path)), constants.O_NOFOLLOW);
    return file === null || file.stats.size > MAX_BYTES ? null : { kind: "file", bytes: file.read() };
  } catch {
    return null;
  }
}
