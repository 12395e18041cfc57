import type { FileAnswer } from "../tool/files/protocol.ts";
import { changed, demandExpected, demandStill } from "./expected.ts";
import { at, codeOf, WorkerFault } from "./faults.ts";
import { TargetFolder } from "./folders.ts";
import type { GrantedFolders } from "./grants.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { Temporary } from "./temporary.ts";
import { holdStill, type WalkedPlace, walk } from "./walk.ts";

/**
 * Replaces a file's bytes, or creates the file: whole in a temporary beside it, synced, then at its name atomically.
 * Other names of the file keep the old content. The kernel has no call for the last check of the version and the rename
 * together: bytes written by others in between are replaced. A new file never replaces anything.
 */
export function write(
  grants: GrantedFolders,
  wanted: RequestOf<"write">,
  body: Buffer,
): WorkerAnswer<FileAnswer<"write">> {
  const { path, expected, temporary, folders } = wanted;
  using place = walk(grants, path, "followed");
  demandWritable(grants, place);
  demandExpected(expected, place.node, place.path);
  using target = TargetFolder.open(grants, place, folders);
  const { folder, name } = target;
  const old = place.node?.stat ?? null;
  const version = at(place.path, () => {
    using file = new Temporary(folder, temporary);
    file.append(body);
    file.dress(old);
    file.sync();
    holdStill(folder);
    demandStill(expected, folder, name, place.path);
    if (old === null) appear(file, name, place.path);
    else file.replace(name);
    target.keep();
    return versionOf(file.stat());
  });
  return { answer: { target: place.path, version, isNew: old === null } };
}

function appear(file: Temporary, name: string, path: string): void {
  try {
    file.appear(name);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw changed(path);
    throw error;
  }
}

/** Throws `DENIED`, `WRONG_KIND`, and the system's error for a file that this user may not write to. */
function demandWritable(grants: GrantedFolders, { path, node }: WalkedPlace): void {
  const kind = node === null ? "missing" : kindOf(node.stat);
  grants.demandName(path, ruledKind(kind));
  if (node === null) return;
  if (kind !== "file") throw new WorkerFault("WRONG_KIND", path, "it is not a file");
  at(path, () => node.descriptor.demandWritable());
}
