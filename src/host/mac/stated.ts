import { type AbsolutePath, isInside, joinPath, knownPath, nameOf, parentOf } from "../../profile/path.ts";
import { realPathOf } from "../nodes.ts";

/** A folder of this machine, and the one on the stated Mac that it stands for. */
export interface Twin {
  readonly here: AbsolutePath;
  readonly there: AbsolutePath;
}

/**
 * A Mac that nobody has at hand, stated so that its rules can be read on another system: what of it can't be looked up is
 * as on most of them. Folders of this machine stand for its own; all else has the same path on both.
 */
export interface StatedMac {
  readonly release: string;
  readonly arch: "arm64";
  readonly home: AbsolutePath;
  /** Where Homebrew keeps what it installs. */
  readonly brew: AbsolutePath;
  /** Where several hold, the longest counts, and of these the first. */
  readonly twins: readonly Twin[];
}

/** Where homes are kept, and what macOS has behind links at its top (hier(7)). */
const PLACES: readonly Twin[] = Object.entries({
  "/home": "/Users",
  "/etc": "/private/etc",
  "/tmp": "/private/tmp",
  "/var": "/private/var",
}).map(([here, there]) => ({ here: knownPath(here), there: knownPath(there) }));

/** What a Mac has by the same path, so that no home is taken for it: services' accounts have such homes. */
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

/** A Mac like those that are sold now, on which this person has an account. */
export function statedMac({ name, home }: { readonly name: string; readonly home: AbsolutePath }): StatedMac {
  const there = joinPath(knownPath("/Users"), parentOf(home) === "/home" ? nameOf(home) : name);
  // What roots are is told by real paths, what is written by others as well.
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

/** What a path of this machine stands for. */
export function there({ twins }: StatedMac, path: AbsolutePath): AbsolutePath {
  return moved(path, twins);
}

/** Where on this machine lies what a path of the Mac stands for; of what is there alone, its own path. */
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
