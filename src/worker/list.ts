import { joinPath } from "../profile/path.ts";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { fromRaw, rawText } from "./descriptor.ts";
import { at } from "./faults.ts";
import type { GrantedFolder, GrantedFolders } from "./grants.ts";
import { statOf } from "./names.ts";
import { kindOf, ruledKind } from "./node.ts";
import { nodeOf } from "./read.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { walk } from "./walk.ts";

type Entry = FileAnswer<"list">["entries"][number];

/** The names in a folder. An unreadable entry has its name alone: its kind is `other`, with 0 bytes. */
export function list(
  grants: GrantedFolders,
  { path, after, maxNames }: RequestOf<"list">,
): WorkerAnswer<FileAnswer<"list">> {
  using place = walk(grants, path, "followed");
  const { descriptor } = nodeOf("folder", grants, place);
  const folder: GrantedFolder = { descriptor, path: place.path };
  return at(place.path, () => {
    const all = descriptor.names();
    const behind = after === null ? all : all.filter((name) => name > rawText(after));
    const entries: Entry[] = [];
    const first = firstOf(behind, maxNames);
    for (const name of first) entries.push(entryOf(grants, folder, fromRaw(name)));
    return {
      answer: { target: place.path, entries, total: all.length, isEnd: first.length === behind.length },
    };
  });
}

/**
 * The first names in order. Only names below a sample's bound are sorted: a page of a folder of 100,000 costs a look at
 * each, not a sort.
 */
function firstOf(names: readonly string[], count: number): readonly string[] {
  const share = count / names.length;
  if (names.length > 4096 && share < 0.5) {
    const sample = Array.from(
      { length: 256 },
      (_, at) => names[Math.floor((at * names.length) / 256)] ?? "",
    ).sort();
    const bound = sample[Math.min(255, Math.ceil(256 * share) + 16)] ?? "";
    const below = names.filter((name) => name < bound);
    if (below.length >= count) return below.sort().slice(0, count);
  }
  return names.toSorted().slice(0, count);
}

function entryOf(grants: GrantedFolders, folder: GrantedFolder, name: string): Entry {
  const path = joinPath(folder.path, name);
  const stat = statOf(folder.descriptor, name);
  if (stat === null) return { name, kind: "missing", bytes: 0 };
  const kind = kindOf(stat);
  if (!grants.canRead(path, ruledKind(kind))) return { name, kind: "other", bytes: 0 };
  return { name, kind, bytes: Number(stat.size) };
}
