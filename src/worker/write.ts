import type { FileAnswer } from "../tool/files/protocol.ts";
import { changed, demandExpected, demandStill } from "./expected.ts";
import { at, codeOf, Fault } from "./faults.ts";
import { TargetFolder } from "./folders.ts";
import type { Grants } from "./grants.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { Answer, RequestOf } from "./request.ts";
import { Temporary } from "./temporary.ts";
import { holdStill, type Place, walk } from "./walk.ts";

/**
 * Puts bytes in the place of a file, or makes it: whole in a temporary beside it, synced, and then at its name at once.
 * A file that has several names is one of them less: the others keep the old content. Between the last look at the
 * version and the rename nothing else is done, but the kernel has no call for both at once: what is written there by
 * others in these microseconds is replaced. A new file never replaces anything.
 */
export function write(grants: Grants, wanted: RequestOf<"write">, body: Buffer): Answer<FileAnswer<"write">> {
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

/** Throws `DENIED`, `WRONG_KIND`, and the system's own no for a file that this user may not write to. */
function demandWritable(grants: Grants, { path, node }: Place): void {
  const kind = node === null ? "missing" : kindOf(node.stat);
  grants.demandName(path, ruledKind(kind));
  if (node === null) return;
  if (kind !== "file") throw new Fault("WRONG_KIND", path, "it is no file");
  at(path, () => node.descriptor.demandWritable());
}
