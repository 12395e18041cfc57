import { type AbsolutePath, isInside, joinPath, knownPath, nameOf, parentOf } from "../../../profile/path.ts";
import { realPathOf } from "../nodes.ts";

/** A folder of this machine, and the folder of the stated Mac that it represents. */
export interface Twin {
  readonly here: AbsolutePath;
  readonly there: AbsolutePath;
}

/**
 * A hypothetical Mac, stated so that its rules can be read on another system. Unknown facts are as on most Macs.
 * Folders of this machine represent its own; all other paths are the same on both.
 */
export interface StatedMac {
  readonly release: string;
  readonly arch: "arm64";
  readonly home: AbsolutePath;
  readonly brew: AbsolutePath;
  /** The longest match counts, and among equals the first. */
  readonly twins: readonly Twin[];
}

/** The folders of homes, and the targets of macOS's links at its top (hier(7)). */
const PLACES: readonly Twin[] = Object.entries({
  "/home": "/Users",
  "/etc": "/private/etc",
  "/tmp": "/private/tmp",
  "/var": "/private/var",
}).map(([here, there]) => ({ here: knownPath(here), there: knownPath(there) }));

/** Paths that a Mac has itself, so that they are not taken for homes: services' accounts have such homes. */
const OWN = [
  "/Applications",
  "/Library",
  "/System",
  "/bin",
  "/dev",
  "/opt/homebrew",
  "/private",
  "/sbin",
  "/usr",
];

/** A current Mac with an account for this person. */
export function statedMac({ name, home }: { readonly name: string; readonly home: AbsolutePath }): StatedMac {
  const there = joinPath(knownPath("/Users"), parentOf(home) === "/home" ? nameOf(home) : name);
  // Roots are given by real paths; other written paths may pass links.
  const homes = [realPathOf(home) ?? home, home].filter(
    (one) => !OWN.map(knownPath).some((own) => isInside(one, own) || isInside(own, one)),
  );
  return {
    release: "15",
    arch: "arm64",
    home: there,
    brew: knownPath("/opt/homebrew"),
    twins: [...homes.map((here) => ({ here, there })), ...PLACES],
  };
}

/** The Mac's path for a path of this machine. */
export function there({ twins }: StatedMac, path: AbsolutePath): AbsolutePath {
  return moved(path, twins);
}

/** This machine's path for a path of the Mac; a path that only the Mac has stays the same. */
export function here({ twins }: StatedMac, path: AbsolutePath): AbsolutePath {
  return moved(
    path,
    twins.map((twin) => ({ here: twin.there, there: twin.here })),
  );
}

function moved(path: AbsolutePath, twins: readonly Twin[]): AbsolutePath {
  const around = twins.filter((twin) => isInside(path, twin.here));
  const [twin] = around.sort((a, b) => b.here.length - a.here.length);
  if (twin === undefined) return path;
  return path === twin.here ? twin.there : joinPath(twin.there, path.slice(twin.here.length + 1));
}
