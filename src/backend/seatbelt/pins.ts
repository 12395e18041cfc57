import type { PathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, byPath, parentOf, ROOT, upwards } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { capsBehind } from "../caps-behind.ts";
import type { Facts } from "../facts.ts";

/**
 * Every entry's node, and writable folders above protected paths and on the way to them: moving one would give
 * protected content a name that no rule covers.
 */
export function pinsOf(
  profile: Profile,
  { hits, repositories, ways }: Pick<Facts, "hits" | "repositories" | "ways">,
  ruler: PathRuler,
): readonly AbsolutePath[] {
  const accessOf = (path: AbsolutePath) => ruler(path, { kind: "folder", bornInside: false }).access;
  const entries = profile.files.map((entry) => entry.path);
  const literals = profile.masks.flatMap((mask) => mask.pattern.literal ?? []);
  const covered = hits.filter((hit) => accessOf(hit) !== "write");
  const capOf = capsBehind(profile);
  const unchanged = [...literals, ...covered.filter((hit) => capOf(hit, hit, "file").isFirm)];
  const found = unchanged.flatMap((path) => [...upwards(path)].flatMap((at) => ways.get(at) ?? []));
  const detours = [
    ...repositories.flatMap((one) => one.detours),
    ...found.flatMap((way) => [...way.links, ...way.detours]),
  ];
  const pins = new Set([...entries, ...detours].filter((path) => accessOf(path) === "write"));
  for (const path of [...entries, ...literals, ...covered, ...detours]) {
    if (path === ROOT) continue;
    for (const at of upwards(parentOf(path))) if (accessOf(at) === "write") pins.add(at);
  }
  return [...pins].sort(byPath);
}
