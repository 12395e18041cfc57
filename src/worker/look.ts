import type { FileAnswer } from "../tool/files/protocol.ts";
import { linkText } from "./descriptor.ts";
import { Fault } from "./faults.ts";
import type { Grants } from "./grants.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { Answer, RequestOf } from "./request.ts";
import { type Place, walk } from "./walk.ts";

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
  const leadsTo = kind === "link" ? leadOf(place) : null;
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

function leadOf({ folder, names, path }: Place): string {
  const name = names.at(-1);
  if (folder === null || name === undefined) throw new Fault("CHANGED", path, "it is no link any more");
  try {
    return linkText(folder.descriptor, name);
  } catch {
    throw new Fault("CHANGED", path, "it is no link any more");
  }
}
