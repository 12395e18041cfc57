import type { Place } from "../battery/place.ts";

/** Roots as the documentation has them: notes that are written after a yes, a cache, docs to read, and something private. */
export function rootsIn(place: Place): Readonly<Record<string, unknown>> {
  return {
    ws: { root: place.ws, mode: "rw", write_approval: false },
    notes: { root: place.folder("notes"), mode: "rw", suffixes: [".txt", ".md"], write_approval: true },
    cache: { root: place.folder("cache"), mode: "rw", write_approval: false },
    docs: { root: place.folder("docs"), mode: "ro" },
    diary: { root: place.folder("diary"), mode: "ro", read_approval: true },
  };
}
