import { mkdirSync, rmdirSync } from "node:fs";
import { joinPath } from "../profile/path.ts";
import type { Descriptor } from "./descriptor.ts";
import { changed } from "./expected.ts";
import { codeOf, Fault, faultFrom } from "./faults.ts";
import type { Grants, OpenFolder } from "./grants.ts";
import { holderOf, holdStill, type Place } from "./walk.ts";

/**
 * The folder that a name is put into, with those that were made for it. Unless `keep` was called, they are removed when
 * it is disposed of, as far as they are still empty.
 */
export class TargetFolder implements Disposable {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly #made: readonly Made[];
  #isKept = false;

  private constructor(folder: OpenFolder, name: string, made: readonly Made[]) {
    this.folder = folder;
    this.name = name;
    this.#made = made;
  }

  /**
   * Makes the folders above a missing place, when they are to be made. Throws `NOT_FOUND` when they are not, `DENIED`
   * for one that may not be made, before any is.
   */
  static open(grants: Grants, place: Place, isMaking: boolean): TargetFolder {
    const holder = holderOf(place);
    const above = place.names.slice(0, -1);
    if (above.length > 0 && !isMaking)
      throw new Fault("NOT_FOUND", joinPath(holder.folder.path, above[0] ?? ""), "ENOENT");
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
  readonly above: OpenFolder;
  readonly name: string;
  readonly folder: OpenFolder;
}

function make(above: OpenFolder, name: string): OpenFolder {
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

/** For tidying up behind a failure, which is what is told; what is left over has a name that says whose it is. */
export function tryQuietly(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
