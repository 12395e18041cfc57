import { z } from "zod";
import type { HostMount } from "../backend/facts.ts";
import { inFilesystem } from "../backend/host-mounts.ts";
import type { Profile } from "../profile/profile.ts";

/** A folder or file that a call works on: by its path, and by where it lies whatever its path, as the mount table has it. */
const Place = z.strictObject({
  path: z.string(),
  device: z.string().nullable(),
  root: z.string().nullable(),
  access: z.enum(["read", "write"]),
});
type Place = z.infer<typeof Place>;

/** What a call does, as far as other calls must know. */
export const Work = z.strictObject({
  places: z.array(Place),
  /** It shares no place with another isolated call at the same time, unless both only read there. */
  isIsolated: z.boolean(),
  /** A tool or a model says what is done; false where walls are only made ready for later. */
  acts: z.boolean(),
  /** Walls are built for it. */
  builds: z.boolean(),
});
export type Work = z.infer<typeof Work>;

/** The work of a call under a profile, on a machine with these mounts. */
export function workOf(
  profile: Profile,
  mounts: readonly HostMount[],
  how: Pick<Work, "isIsolated" | "acts" | "builds">,
): Work {
  const places = profile.files.flatMap(({ path, access }): readonly Place[] => {
    if (access === "none") return [];
    const { device, root } = inFilesystem(mounts, path) ?? { device: null, root: null };
    return [{ path, device, root, access }];
  });
  return { places, ...how };
}

/** True when the two share a place that at least one of them may write: together they would have what each has. */
export function doShare(a: Work, b: Work): boolean {
  return mayDisturb(a, b) || mayDisturb(b, a);
}

/** True when one may write where the other works: it could put links in the place of what the other's walls are built on. */
export function mayDisturb(one: Work, other: Work): boolean {
  if (!one.acts) return false;
  const written = one.places.filter(({ access }) => access === "write");
  return written.some((mine) => other.places.some((theirs) => isShared(mine, theirs)));
}

function isShared(a: Place, b: Place): boolean {
  if (areNested(a.path, b.path)) return true;
  return a.device !== null && a.device === b.device && areNested(a.root ?? "", b.root ?? "");
}

function areNested(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return (
    long.startsWith(short) && (long.length === short.length || short === "/" || long[short.length] === "/")
  );
}
