import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import type { Facts } from "../facts.ts";
import { inFilesystem, mountOf, mountsBelow } from "../host-mounts.ts";
import type { ExpectedMount } from "../plan.ts";
import type { Change } from "./transitions.ts";

/** The mounts that the changes must leave in the kernel's table; of several on one point the last counts. */
export function expectedMounts(changes: readonly Change[], facts: Facts): readonly ExpectedMount[] {
  return changes.flatMap((change) => expectedOf(change, facts));
}

function expectedOf(change: Change, facts: Facts): readonly ExpectedMount[] {
  const { path, access } = change;
  switch (change.kind) {
    case "show":
    case "pin":
      return shown(path, path, access === "read", facts);
    case "cover-link":
      return shown(path, path, true, facts);
    case "hide-folder":
      return [emptyAt(path)];
    case "hide-file":
      if (facts.emptyFile === null) return [emptyAt(path)];
      return shown(path, facts.emptyFile, true, facts).map((mount) => ({ ...mount, hides: true }));
  }
}

function emptyAt(point: AbsolutePath): ExpectedMount {
  return { point, readOnly: true, type: "tmpfs", source: null, optional: false, hides: true };
}

/** A bind includes the mounts below its source; each is read-only if the bind is, or if it was before. */
function shown(
  point: AbsolutePath,
  source: AbsolutePath,
  readOnly: boolean,
  facts: Facts,
): readonly ExpectedMount[] {
  const own = mountOf(facts.mounts, source)?.readOnly ?? false;
  const below = point === source ? mountsBelow(facts.mounts, source) : [];
  return [
    {
      point,
      readOnly: readOnly || own,
      type: null,
      source: inFilesystem(facts.mounts, source),
      optional: false,
      hides: false,
    },
    ...below.map((mount) => ({
      point: joinPath(point, mount.point.slice(source.length + 1)),
      readOnly: readOnly || mount.readOnly,
      type: mount.type,
      source: { device: mount.device, root: mount.root },
      optional: true,
      hides: false,
    })),
  ];
}
