import { type AbsolutePath, isInside } from "../profile/path.ts";
import type { GainedAccess } from "./gained-access.ts";

/** The places that bash itself uses while it runs a line, as the machine has them. */
export interface TouchedPlaces {
  /** Folders that commands may start in, the call's own first; null if only bash will know them all. */
  readonly folders: readonly AbsolutePath[] | null;
  /** Files that bash opens for redirects; a null path is one that only bash will know. */
  readonly opened: readonly { readonly path: AbsolutePath | null; readonly mode: "read" | "write" }[];
}

/** The places of a call without a line of bash. */
export function startingIn(cwd: AbsolutePath): TouchedPlaces {
  return { folders: [cwd], opened: [] };
}

/** A file or folder of bash's own that only approval lets it use, as a reason to ask; null if there is none. */
export function touchesGained({ folders, opened }: TouchedPlaces, gained: GainedAccess): string | null {
  const { readable, writable } = gained;
  const isIn = (path: AbsolutePath, places: readonly AbsolutePath[]): boolean =>
    places.some((place) => isInside(path, place));
  const entered = folders?.find((folder) => isIn(folder, readable));
  if (entered !== undefined) return `reading ${entered} needs approval`;
  if (folders === null && readable.length > 0) return "only bash will know the folder that it changes to";
  for (const { path, mode } of opened) {
    const places = mode === "write" ? writable : readable;
    if (places.length === 0) continue;
    const does = mode === "write" ? "write" : "read";
    if (path === null) return `only bash will know the file that it ${does}s, which may need approval`;
    if (isIn(path, places)) return `${mode === "write" ? "writing" : "reading"} ${path} needs approval`;
  }
  return null;
}
