import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { makeFolders, OTHER_STATE } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import { printFailure } from "./safe-file.ts";

/** Writes a file of this user alone in a folder of the state folder, whole or not at all. */
export function writePrivate(host: Host, file: AbsolutePath, text: string): void {
  const folder = parentOf(file);
  makeFolders(folder);
  assertOwn(host, host.stateFolder);
  assertOwn(host, folder);
  const beside = joinPath(folder, `${host.id()}.tmp`);
  try {
    writeFileSync(beside, text, { flag: "wx", mode: 0o600, flush: true });
    chmodSync(beside, 0o600);
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Removes such a file, also a broken one; false if there was none. */
export function removePrivate(host: Host, file: AbsolutePath): boolean {
  return changing(file, () => {
    const folder = parentOf(file);
    if (![host.stateFolder, folder, file].every(isThere)) return false;
    assertOwn(host, host.stateFolder);
    assertOwn(host, folder);
    rmSync(file);
    return true;
  });
}

/** Changes a private file. Throws `CONFIG_INVALID` with the reason if that fails. */
export function changing<Made>(file: AbsolutePath, change: () => Made): Made {
  try {
    return change();
  } catch (error) {
    if (error instanceof CofferdamError) throw error;
    throw new CofferdamError("CONFIG_INVALID", `${visible(file)} ${printFailure(error, "written")}`, {
      hint: OTHER_STATE,
      cause: error,
    });
  }
}

/** True if there is anything under this path. */
export function isThere(path: AbsolutePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Checks that only the owner can read or change the path; another user can't create one that passes. */
export function assertOwn(host: Host, path: AbsolutePath): void {
  const stats = lstatSync(path);
  if (stats.uid === host.user.uid && !stats.isSymbolicLink() && (stats.mode & 0o077) === 0) return;
  const hint =
    stats.uid === host.user.uid && !stats.isSymbolicLink()
      ? `run ${quote(["chmod", "go-rwx", path])}`
      : `move it away: ${quote(["mv", path, `${path}.old`])}`;
  throw new CofferdamError(
    "CONFIG_INVALID",
    `${visible(path)} is not private to this user, so it is ignored`,
    { hint },
  );
}
