import { mkdirSync, rmdirSync } from "node:fs";
import { joinPath } from "../profile/path.ts";
import type { Descriptor } from "./descriptor.ts";
import { changed } from "./expected.ts";
import { codeOf, faultFrom, WorkerFault } from "./faults.ts";
import type { GrantedFolder, GrantedFolders } from "./grants.ts";
import { holderOf, holdStill, type WalkedPlace } from "./walk.ts";

/** The folder for a new name. Unless `keep` was called, disposal removes those created for it that are still empty. */
export class TargetFolder implements Disposable {
  readonly folder: GrantedFolder;
  readonly name: string;
  readonly #made: readonly Made[];
  #isKept = false;

  private constructor(folder: GrantedFolder, name: string, made: readonly Made[]) {
    this.folder = folder;
    this.name = name;
    this.#made = made;
  }

  /**
   * Creates the folders above a missing place if `isMaking`. Throws `NOT_FOUND` otherwise, and `DENIED` for a folder
   * that may not be created, before any is.
   */
  static open(grants: GrantedFolders, place: WalkedPlace, isMaking: boolean): TargetFolder {
    const holder = holderOf(place);
    const above = place.names.slice(0, -1);
    if (above.length > 0 && !isMaking)
      throw new WorkerFault("NOT_FOUND", joinPath(holder.folder.path, above[0] ?? ""), "ENOENT");
    let path = holder.folder.path;
    for (const name of above) {
      path = joinPath(path, name);
      grants.demandName(path, "folder");
    }
    const made: Made[] = [];
    let folder = holder.folder;
    try {
      for (const name of above) {
        const next = make(folder, name);
        made.push({ above: folder, name, folder: next });
        folder = next;
      }
    } catch (error) {
      unmake(made, false);
      throw error;
    }
    return new TargetFolder(folder, holder.name, made);
  }

  keep(): void {
    this.#isKept = true;
  }

  [Symbol.dispose](): void {
    unmake(this.#made, this.#isKept);
  }
}

interface Made {
  readonly above: GrantedFolder;
  readonly name: string;
  readonly folder: GrantedFolder;
}

function make(above: GrantedFolder, name: string): GrantedFolder {
  const path = joinPath(above.path, name);
  holdStill(above);
  let descriptor: Descriptor | null = null;
  try {
    mkdirSync(above.descriptor.child(name));
    descriptor = above.descriptor.folder(name);
    const folder = { descriptor, path };
    holdStill(folder);
    return folder;
  } catch (error) {
    descriptor?.[Symbol.dispose]();
    throw codeOf(error) === "EEXIST" ? changed(path) : faultFrom(error, path);
  }
}

function unmake(made: readonly Made[], isKept: boolean): void {
  for (const { above, name, folder } of made.toReversed()) {
    folder.descriptor[Symbol.dispose]();
    if (!isKept) tryQuietly(() => rmdirSync(above.descriptor.child(name)));
  }
}

/** For cleaning up after a failure, which is the error reported; leftovers have a name that shows their owner. */
export function tryQuietly(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
