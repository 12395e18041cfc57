import { rmdirSync, unlinkSync } from "node:fs";
import { joinPath } from "../profile/path.ts";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { demandExpected, demandStill } from "./expected.ts";
import { at, WorkerFault } from "./faults.ts";
import type { GrantedFolders } from "./grants.ts";
import { rawNames, statOf } from "./names.ts";
import { kindOf, ruledKind } from "./node.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { holderOf, holdStill, walk } from "./walk.ts";

/** Removes a file, a link or an empty folder. */
export function remove(
  grants: GrantedFolders,
  { path, expected }: RequestOf<"remove">,
): WorkerAnswer<FileAnswer<"remove">> {
  using place = walk(grants, path, "itself");
  const kind = place.node === null ? "missing" : kindOf(place.node.stat);
  grants.demandName(place.path, ruledKind(kind));
  if (place.node === null) throw new WorkerFault("NOT_FOUND", place.path, "ENOENT");
  if (kind === "other") throw new WorkerFault("WRONG_KIND", place.path, "it is a pipe, a socket or a device");
  demandExpected(expected, place.node, place.path);
  const { folder, name } = holderOf(place);
  at(place.path, () => {
    holdStill(folder);
    demandStill(expected, folder, name, place.path);
    if (kind === "folder") rmdirSync(folder.descriptor.child(name));
    else unlinkSync(folder.descriptor.child(name));
  });
  return { answer: { target: place.path } };
}

/** Removes the temporaries that writes left. Nodes with such a name that are not files are not ours. */
export function sweep(
  grants: GrantedFolders,
  { folder, prefix }: RequestOf<"sweep">,
): WorkerAnswer<FileAnswer<"sweep">> {
  using place = walk(grants, folder, "followed");
  grants.demand("write", place.path, "folder");
  const { node, path } = place;
  if (node === null) return { answer: { removed: 0 } };
  if (kindOf(node.stat) !== "folder") throw new WorkerFault("WRONG_KIND", path, "it is not a folder");
  const { descriptor } = node;
  const left = at(path, () => rawNames(descriptor)).filter((name) => name.startsWith(prefix));
  let removed = 0;
  for (const name of left)
    at(joinPath(path, name), () => {
      holdStill({ descriptor, path });
      if (statOf(descriptor, name)?.isFile() !== true) return;
      unlinkSync(descriptor.child(name));
      removed += 1;
    });
  return { answer: { removed } };
}
