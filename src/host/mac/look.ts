import { readdirSync, readlinkSync } from "node:fs";
import type { MacFacts, Volume } from "../../backend/facts.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  joinPath,
  knownPath,
  nameOf,
  parentOf,
  ROOT,
} from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import type { Host } from "../host.ts";
import { fitHelper } from "../launcher.ts";
import { realPathOf, statsOf } from "../nodes.ts";
import { ask } from "../spawn.ts";
import { Volumes } from "../volume.ts";

/** Whom tools run as, where that is not the supervisor. */
type Owner = { readonly uid: number } | null;

/** Volumes of disks that were put in, and what all else is kept on (hier(7)). */
const VOLUMES = knownPath("/Volumes");
const DATA = knownPath("/System/Volumes/Data");

/** In the order in which `xcode-select` looks, after what was chosen (xcode-select(1)). */
const DEVELOPER = ["/Applications/Xcode.app/Contents/Developer", "/Library/Developer/CommandLineTools"].map(
  knownPath,
);
const CHOSEN = "/var/db/xcode_select_link";

/** Looks at what only macOS has. Writes nothing; the one thing that is started is getconf(1). */
export async function lookAtMac(
  host: Host,
  owner: Owner,
  roots: readonly Pick<Root, "path">[],
): Promise<MacFacts> {
  return {
    calls: callsFolder(host, owner),
    volumes: volumesBelow([ROOT, DATA, ...mountedIn(VOLUMES)], roots),
    proxyPort: null,
    userFolders: owner === null ? await userFolders(host) : null,
    developer: developerFolder(),
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
  return namesIn(folder).map((name) => joinPath(folder, name));
}

/** `confstr(3)` keeps them for each user; what it says ends with a slash, and leads through a link. */
async function userFolders(host: Host): Promise<MacFacts["userFolders"]> {
  const getconf = fitHelper(host, "getconf");
  if (getconf === null) return null;
  const [temporary, cache] = await Promise.all(
    ["DARWIN_USER_TEMP_DIR", "DARWIN_USER_CACHE_DIR"].map(async (name) => {
      const { status, stdout } = await ask(getconf, [name]);
      const path = stdout.trim().replace(/(?<=.)\/+$/, "");
      return status === 0 && isAbsolutePath(path) ? realPathOf(path) : null;
    }),
  );
  return (temporary ?? null) === null || (cache ?? null) === null || !temporary || !cache
    ? null
    : { temporary, cache };
}

function developerFolder(): AbsolutePath | null {
  const [found] = [chosenDeveloper(), ...DEVELOPER].flatMap((path) => {
    const real = path === null ? null : realPathOf(path);
    return real === null || statsOf(real)?.isDirectory() !== true ? [] : [real];
  });
  return found ?? null;
}

function chosenDeveloper(): AbsolutePath | null {
  try {
    const target = readlinkSync(CHOSEN);
    return isAbsolutePath(target) ? target : null;
  } catch {
    return null;
  }
}

function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
