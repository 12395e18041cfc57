import type { AbsolutePath } from "../profile/path.ts";
import { joinPath } from "../profile/path.ts";
import type { NodeKind } from "../tool/files/protocol.ts";
import { fromRaw } from "./descriptor.ts";
import { at, WorkerFault } from "./faults.ts";
import type { GrantedFolder } from "./grants.ts";
import { rawNames, statOf } from "./names.ts";
import { kindOf } from "./node.ts";

const MAX_ENTRIES = 10_000;

/** An entry below a folder. */
export interface Below {
  readonly path: AbsolutePath;
  readonly kind: NodeKind;
}

/**
 * Everything below a folder, folders too, regardless of the profile; each folder before its entries. Throws `TOO_LARGE`
 * after 10,000 names, and the system's errors for an unreadable folder.
 */
export function* entriesBelow(top: GrantedFolder): Generator<Below> {
  let left = MAX_ENTRIES;
  const waiting: AbsolutePath[] = [top.path];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    using open = openBelow(top, folder);
    for (const raw of at(folder, () => rawNames(open.descriptor))) {
      if (left === 0)
        throw new WorkerFault("TOO_LARGE", top.path, `it contains more than ${MAX_ENTRIES} names`);
      left -= 1;
      const name = fromRaw(raw);
      const stat = at(folder, () => statOf(open.descriptor, name));
      if (stat === null) continue;
      const path = joinPath(folder, name);
      const kind = kindOf(stat);
      if (kind === "folder") waiting.push(path);
      yield { path, kind };
    }
  }
}

/** A folder below another, reached from it name by name: few are open at the same time, however deep the tree is. */
function openBelow(top: GrantedFolder, path: AbsolutePath): GrantedFolder & Disposable {
  const names = path
    .slice(top.path.length)
    .split("/")
    .filter((name) => name !== "");
  let [descriptor, isOwned] = [top.descriptor, false];
  for (const name of names) {
    const above = descriptor;
    try {
      descriptor = at(path, () => above.folder(name));
    } finally {
      if (isOwned) above[Symbol.dispose]();
    }
    isOwned = true;
  }
  const close = (): void => {
    if (isOwned) descriptor[Symbol.dispose]();
  };
  return { descriptor, path, [Symbol.dispose]: close };
}
