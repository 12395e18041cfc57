import type { MacFacts, Volume } from "../../backend/facts.ts";
import { type AbsolutePath, joinPath, knownPath, nameOf, parentOf, ROOT } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import type { Host } from "../host.ts";
import { namesIn } from "../names-in.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import { Volumes } from "../volume.ts";

/** Whom tools run as, where that is not the supervisor. */
type Owner = { readonly uid: number } | null;

/** Volumes of disks that were put in, and what all else is kept on (hier(7)). */
const VOLUMES = knownPath("/Volumes");
const DATA = knownPath("/System/Volumes/Data");

/** Looks at what only macOS has. Writes and starts nothing. */
export function lookAtMac(host: Host, owner: Owner, roots: readonly Pick<Root, "path">[]): MacFacts {
  return {
    calls: callsFolder(host, owner),
    volumes: volumesBelow([ROOT, DATA, ...mountedIn(VOLUMES)], roots),
    proxyPort: null,
  };
}

/**
 * Where folders of calls are made: in the state folder, or, for another user than root, where that one can reach it. The
 * kernel compares what is left when every link is followed.
 */
export function callsFolder({ stateFolder }: Pick<Host, "stateFolder">, owner: Owner): AbsolutePath {
  if (owner === null) return joinPath(resolved(stateFolder), "calls");
  return joinPath(resolved(knownPath("/var/run")), `cofferdam/${owner.uid}`);
}

/** The path with links followed as far as it exists. */
function resolved(path: AbsolutePath): AbsolutePath {
  const real = realPathOf(path);
  if (real !== null || path === ROOT) return real ?? path;
  return joinPath(resolved(parentOf(path)), nameOf(path));
}

/** Those of disks by their names, and wherever else a root lies on one of its own. */
function volumesBelow(
  points: readonly AbsolutePath[],
  roots: readonly Pick<Root, "path">[],
): readonly Volume[] {
  const volumes = new Volumes(true);
  const found = [
    ...points
      .filter((point) => statsOf(point)?.isDirectory() === true)
      .map((point): Volume => ({ point, foldsCase: volumes.at(point).foldsCase })),
    ...roots.map(({ path }) => volumes.at(path)),
  ];
  return [...new Map(found.map((volume) => [volume.point, volume])).values()];
}

function mountedIn(folder: AbsolutePath): readonly AbsolutePath[] {
  return namesIn(folder)
    .toSorted()
    .map((name) => joinPath(folder, name));
}
