import type { BigIntStats } from "node:fs";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { type Descriptor, linkText } from "./descriptor.ts";
import { changed } from "./expected.ts";
import { WorkerFault } from "./faults.ts";
import type { GrantedFolders } from "./grants.ts";
import { statOf } from "./names.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { holderOf, type WalkedPlace, walk } from "./walk.ts";

/** The node at a path. An unreadable one has only its kind, and that only in a folder that may be listed. */
export function look(
  grants: GrantedFolders,
  { path, end }: RequestOf<"look">,
): WorkerAnswer<FileAnswer<"look">> {
  using place = walk(grants, path, end);
  const { node } = place;
  const kind = node === null ? "missing" : kindOf(node.stat);
  if (!grants.canTell(place.path, ruledKind(kind)))
    throw new WorkerFault("DENIED", place.path, "the profile does not allow reading it", "read");
  const folder = place.folder?.path ?? place.path;
  const bare = { target: place.path, kind, folder, version: "", bytes: 0, mode: 0, leadsTo: null };
  if (node === null || !grants.canRead(place.path, ruledKind(kind))) return { answer: bare };
  const { stat } = node;
  const leadsTo = kind === "link" ? leadOf(place, stat) : null;
  return {
    answer: {
      ...bare,
      version: versionOf(stat),
      bytes: Number(stat.size),
      mode: Number(stat.mode & 0o7777n),
      leadsTo,
    },
  };
}

/** The text of a link. It is read by name, so the link is compared again afterwards. */
function leadOf(place: WalkedPlace, seen: BigIntStats): string {
  const { folder, name } = holderOf(place);
  const text = readQuietly(folder.descriptor, name);
  const now = statOf(folder.descriptor, name);
  if (text === null || now === null || versionOf(now) !== versionOf(seen)) throw changed(place.path);
  return text;
}

function readQuietly(folder: Descriptor, name: string): string | null {
  try {
    return linkText(folder, name);
  } catch {
    return null;
  }
}
