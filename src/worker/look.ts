import type { BigIntStats } from "node:fs";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { type Descriptor, linkText } from "./descriptor.ts";
import { changed } from "./expected.ts";
import { Fault } from "./faults.ts";
import type { Grants } from "./grants.ts";
import { statOf } from "./names.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { Answer, RequestOf } from "./request.ts";
import { holderOf, type Place, walk } from "./walk.ts";

/** What stands at a path. Of what may not be read, the kind and nothing more, and that only in a folder that may be listed. */
export function look(grants: Grants, { path, end }: RequestOf<"look">): Answer<FileAnswer<"look">> {
  using place = walk(grants, path, end);
  const { node } = place;
  const kind = node === null ? "missing" : kindOf(node.stat);
  if (!grants.canTell(place.path, ruledKind(kind)))
    throw new Fault("DENIED", place.path, "the profile does not let it be read", "read");
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

/** What the link says: read by its name, so it is looked at once more whether that is still the same link. */
function leadOf(place: Place, seen: BigIntStats): string {
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
