import { chmodSync, statSync } from "node:fs";
import type { OpenFolder } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";

/** Runs a change of names in folders, with the owner's rights to it if they were removed. Throws node's errors. */
export async function withOwnerRights<Done>(
  folders: readonly OpenFolder[],
  act: () => Done | Promise<Done>,
): Promise<Done> {
  try {
    return await act();
  } catch (cause) {
    if (!["EACCES", "EPERM"].includes(codeOf(cause))) throw cause;
    using rights = new OwnerRights();
    for (const folder of folders) rights.give(folder);
    return await act();
  }
}

/** All rights of the owner to folders, withdrawn at the end: the folders must be open until then. */
class OwnerRights implements Disposable {
  readonly #before: (readonly [folder: OpenFolder, mode: number])[] = [];

  give(folder: OpenFolder): void {
    const mode = modeOf(folder);
    chmodSync(folder.self(), mode | 0o700);
    this.#before.push([folder, mode]);
  }

  [Symbol.dispose](): void {
    for (const [folder, mode] of this.#before) chmodSync(folder.self(), mode);
  }
}

/** A folder's mode, without its kind. Throws node's errors. */
export function modeOf(folder: OpenFolder): number {
  return statSync(folder.self()).mode & 0o7777;
}
