import { maskRuler, type PathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, byPath, parentOf, ROOT, upwards } from "../../profile/path.ts";
import type { Mask } from "../../profile/profile.ts";
import type { EntryReach } from "./reach.ts";

/** The folders and links that lead to granted paths and to the places of calls, topmost first. */
export function passesTo(
  { live, masks }: { readonly live: readonly EntryReach[]; readonly masks: readonly Mask[] },
  hops: readonly AbsolutePath[],
  ruler: PathRuler,
): readonly AbsolutePath[] {
  const capOf = maskRuler(masks);
  const above = [
    ...live.flatMap(({ path }) => (path === ROOT ? [] : [...upwards(parentOf(path))])),
    ...hops.flatMap((hop) => [...upwards(hop)]),
  ];
  return [...new Set(above)]
    .filter((path) => ruler(path, FOLDER).access === "none" && capOf(path, false) === null)
    .sort(byPath);
}

const FOLDER = { kind: "folder", bornInside: false } as const;
