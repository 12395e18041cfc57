import type { Expected } from "../tool/files/protocol.ts";
import { WorkerFault } from "./faults.ts";
import type { GrantedFolder } from "./grants.ts";
import { statOf } from "./names.ts";
import { versionOf } from "./node.ts";
import type { WalkedInode } from "./walk.ts";

/** Throws `CHANGED` if the inode is not the one that the change was decided for. */
export function demandExpected(expected: Expected, node: WalkedInode | null, path: string): void {
  const version = node === null ? null : versionOf(node.stat);
  if (version !== wantedVersion(expected)) throw changed(path);
}

/** The same for the inode at the name now, right before it is changed. */
export function demandStill(expected: Expected, folder: GrantedFolder, name: string, path: string): void {
  const stat = statOf(folder.descriptor, name);
  if ((stat === null ? null : versionOf(stat)) !== wantedVersion(expected)) throw changed(path);
}

/** The error for an inode that is not the expected one. */
export function changed(path: string): WorkerFault {
  return new WorkerFault("CHANGED", path, "it differs from the version that was checked");
}

function wantedVersion(expected: Expected): string | null {
  return expected.kind === "missing" ? null : expected.version;
}
