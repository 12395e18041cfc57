import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { namesInFolder, type OpenFolder, openFolderIn } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { WorkTurn } from "../../turns.ts";
import { modeOf, withOwnerRights } from "./owner-rights.ts";
import type { Entry } from "./tree.ts";

/**
 * Removes an entry with all of its content, folder by folder in open ones: a link that is put in the way is removed,
 * and leads nowhere. A missing entry is fine. Throws node's errors.
 */
export async function removeTree(entry: Entry): Promise<void> {
  const path = entry.folder.child(entry.name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) return unlinkSync(path);
  await new Removal().removeFolder(entry, null, 0);
}

/** The same if the owner has removed the right to that from the folder; returns the reason of a failure, or null. */
export async function removeByRight(entry: Entry): Promise<string | null> {
  try {
    await withOwnerRights([entry.folder], () => removeTree(entry));
    return null;
  } catch (cause) {
    return codeOf(cause) || "it could not be removed";
  }
}

const NAMES_AT_A_TIME = 1_024;

/** Maximum of nested folders kept open at the same time: deeper ones are brought up first. */
const MAX_OPEN = 64;

interface Opened {
  readonly folder: OpenFolder;
  readonly at: AbsolutePath;
}

/** The removal of one folder; `top` is the outermost, once it is open. */
class Removal {
  readonly #turn = new WorkTurn();

  async removeFolder({ folder, name, at }: Entry, top: Opened | null, depth: number): Promise<void> {
    {
      using opened = openFolderIn(folder, name, at);
      const here: Opened = { folder: opened, at: joinPath(at, name) };
      const mode = modeOf(opened);
      if ((mode & 0o700) !== 0o700) chmodSync(opened.self(), mode | 0o700);
      for (;;) {
        const names = namesInFolder(opened, NAMES_AT_A_TIME);
        if (names.length === 0) break;
        for (const child of names) await this.#remove(here, child, top ?? here, depth);
      }
    }
    rmdirSync(folder.child(name));
  }

  async #remove({ folder, at }: Opened, name: string, top: Opened, depth: number): Promise<void> {
    await this.#turn.step();
    const path = folder.child(name);
    if (!lstatSync(path).isDirectory()) unlinkSync(path);
    else if (depth < MAX_OPEN) await this.removeFolder({ folder, name, at }, top, depth + 1);
    else bringUp({ folder, name, at }, top);
  }
}

/** A folder that gets another one above it must be one that may be written in (rename(2), EACCES). */
function bringUp({ folder, name, at }: Entry, top: Opened): void {
  using opened = openFolderIn(folder, name, at);
  chmodSync(opened.self(), 0o700);
  renameSync(folder.child(name), top.folder.child(randomUUID()));
}
