import type { FileAnswer } from "../tool/files/protocol.ts";
import { Budget } from "./budget.ts";
import { at } from "./faults.ts";
import { globTest } from "./glob.ts";
import type { GrantedFolders } from "./grants.ts";
import { statOf } from "./names.ts";
import { kindOf, ruledKind } from "./node.ts";
import { nodeOf } from "./read.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { filesBelow } from "./tree.ts";
import { walk } from "./walk.ts";

/** The matching paths below a folder, without folders and without unreadable paths. */
export function find(grants: GrantedFolders, wanted: RequestOf<"find">): WorkerAnswer<FileAnswer<"find">> {
  const { path, glob, maxFound, timeMs } = wanted;
  using place = walk(grants, path, "followed");
  const { descriptor } = nodeOf("folder", grants, place);
  const matches = globTest(glob, place.path);
  const budget = new Budget(maxFound, timeMs);
  const found: FileAnswer<"find">["found"][number][] = [];
  at(place.path, () => {
    for (const entry of filesBelow(grants, { descriptor, path: place.path }, budget)) {
      if (!matches(entry.path) || !grants.canRead(entry.path, "file")) continue;
      const stat = statOf(entry.folder.descriptor, entry.name);
      if (stat === null || ruledKind(kindOf(stat)) === "folder") continue;
      if (!budget.takeFound()) break;
      found.push({ path: entry.path, kind: kindOf(stat), bytes: Number(stat.size) });
    }
  });
  return { answer: { target: place.path, found, stopped: budget.stopped } };
}
