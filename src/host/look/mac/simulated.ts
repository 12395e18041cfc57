import { type AbsolutePath, isInside, joinPath, knownPath, nameOf, parentOf } from "../../../profile/path.ts";
import { realPathOf } from "../nodes.ts";

/** A folder of this machine, and the folder of the simulated Mac that it represents. */
export interface FolderMapping {
  readonly here: AbsolutePath;
  readonly there: AbsolutePath;
}

/**
 * A Mac that does not exist, so that its rules can be read on another system. Unknown facts are as on most Macs.
 * Folders of this machine represent its own; all other paths are the same on both.
 */
export interface SimulatedMac {
  readonly release: string;
  readonly arch: "arm64";
  readonly home: AbsolutePath;
  readonly brew: AbsolutePath;
  /** The longest match counts, and among equals the first. */
  readonly mappings: readonly FolderMapping[];
}

/** The folders of homes, and the targets of macOS's links at its top (hier(7)). */
const PLACES: readonly FolderMapping[] = Object.entries({
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
export function simulatedMac({ name, home }: Readonly<{ name: string; home: AbsolutePath }>): SimulatedMac {
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
    mappings: [...homes.map((here) => ({ here, there })), ...PLACES],
  };
}

/** The Mac's path for a path of this machine. */
export function there({ mappings }: SimulatedMac, path: AbsolutePath): AbsolutePath {
  return moved(path, mappings);
}

/** This machine's path for a path of the Mac; a path that only the Mac has stays the same. */
export function here({ mappings }: SimulatedMac, path: AbsolutePath): AbsolutePath {
  return moved(
    path,
    mappings.map((mapping) => ({ here: mapping.there, there: mapping.here })),
  );
}

function moved(path: AbsolutePath, mappings: readonly FolderMapping[]): AbsolutePath {
  const around = mappings.filter((mapping) => isInside(path, mapping.here));
  const [mapping] = around.sort((a, b) => b.here.length - a.here.length);
  if (mapping === undefined) return path;
  return path === mapping.here ? mapping.there : joinPath(mapping.there, path.slice(mapping.here.length + 1));
}
