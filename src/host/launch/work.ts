import { z } from "zod";
import type { HostMount } from "../../backend/facts.ts";
import { inFilesystem } from "../../backend/host-mounts.ts";
import type { Profile } from "../../profile/profile.ts";

const WorkFolder = z.strictObject({
  path: z.string(),
  device: z.string().nullable(),
  root: z.string().nullable(),
  access: z.enum(["read", "write"]),
});
type WorkFolder = z.infer<typeof WorkFolder>;

/** The part of a call's work that other calls must know. */
export const CallWork = z.strictObject({
  places: z.array(WorkFolder),
  /** It shares no place with another isolated call at the same time, unless both only read there. */
  isIsolated: z.boolean(),
  /** True if a tool or a model decides the work; false if a sandbox is only made ready for later. */
  acts: z.boolean(),
  builds: z.boolean(),
});
export type CallWork = z.infer<typeof CallWork>;

/** The work of a call under a profile, on a machine with these mounts. */
export function workOf(
  profile: Profile,
  mounts: readonly HostMount[],
  how: Pick<CallWork, "isIsolated" | "acts" | "builds">,
): CallWork {
  const places = profile.files.flatMap(({ path, access }): readonly WorkFolder[] => {
    if (access === "none") return [];
    const { device, root } = inFilesystem(mounts, path) ?? { device: null, root: null };
    return [{ path, device, root, access }];
  });
  return { places, ...how };
}

/** True if the two share a place that at least one of them may write: together they would have the access of both. */
export function doShare(a: CallWork, b: CallWork): boolean {
  return mayDisturb(a, b) || mayDisturb(b, a);
}

/** True if one may write where the other works: it could put links in place of folders under the other's sandbox. */
export function mayDisturb(one: CallWork, other: CallWork): boolean {
  if (!one.acts) return false;
  const written = one.places.filter(({ access }) => access === "write");
  return written.some((mine) => other.places.some((theirs) => isShared(mine, theirs)));
}

function isShared(a: WorkFolder, b: WorkFolder): boolean {
  if (areNested(a.path, b.path)) return true;
  return a.device !== null && a.device === b.device && areNested(a.root ?? "", b.root ?? "");
}

function areNested(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return (
    long.startsWith(short) && (long.length === short.length || short === "/" || long[short.length] === "/")
  );
}
