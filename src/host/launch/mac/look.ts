import type { MacFacts, Volume } from "../../../backend/facts.ts";
import { type AbsolutePath, joinPath, knownPath, nameOf, parentOf, ROOT } from "../../../profile/path.ts";
import type { Root } from "../../../tool/facts.ts";
import type { Host } from "../../look/host.ts";
import { namesIn } from "../../look/names-in.ts";
import { realPathOf, statsOf } from "../../look/nodes.ts";
import { Volumes } from "../../look/volume.ts";

/** The tools' user, if it is not the supervisor's. */
type Owner = { readonly uid: number } | null;

/** The folder of inserted disks, and the volume of all other data (hier(7)). */
const VOLUMES = knownPath("/Volumes");
const DATA = knownPath("/System/Volumes/Data");

/** Looks at facts that only macOS has. Writes and starts nothing. */
export function lookAtMac(host: Host, owner: Owner, roots: readonly Pick<Root, "path">[]): MacFacts {
  const names = namesIn(VOLUMES).toSorted();
  const disks = names.map((name) => joinPath(VOLUMES, name));
  return {
    calls: callsFolder(host, owner),
    volumes: volumesBelow([ROOT, DATA, ...disks], roots),
    proxyPort: null,
  };
}

/** The folder for calls, which their user can reach; links resolved, because the kernel compares resolved paths. */
export function callsFolder({ stateFolder }: Pick<Host, "stateFolder">, owner: Owner): AbsolutePath {
  if (owner === null) return joinPath(resolved(stateFolder), "calls");
  return joinPath(resolved(knownPath("/var/run")), `cofferdam/${owner.uid}`);
}

/** The path with links resolved as far as it exists. */
function resolved(path: AbsolutePath): AbsolutePath {
  const real = realPathOf(path);
  if (real !== null || path === ROOT) return real ?? path;
  return joinPath(resolved(parentOf(path)), nameOf(path));
}

/** Disks by their names, and the volume of any root on a separate one. */
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
