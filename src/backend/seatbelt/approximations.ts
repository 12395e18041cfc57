import { pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import type { Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Approximation } from "../plan.ts";
import { EMPTY_HOME } from "./base.ts";

/**
 * Where these walls are tighter than the profile, besides what links and `search-bound` add: `glob-always`, `suffix-folder`, `pinned-node`,
 * `missing-folder`, `no-sockets`, `no-scratch`. The list is closed.
 */
export function approximationsOf(
  profile: Profile,
  facts: Facts,
  pins: readonly AbsolutePath[],
): readonly Approximation[] {
  const ruler = pathRuler(profile);
  const isWritable = (path: AbsolutePath): boolean =>
    ruler(path, { kind: "folder", bornInside: false }).access === "write";
  return [
    ...profile.masks.flatMap(({ pattern, atMost }): readonly Approximation[] => {
      if (pattern.literal !== null) return [];
      const reason = `what ${pattern.text} matches is capped at ${atMost} even when the call makes it`;
      return [{ name: "glob-always", path: literalPrefix(pattern), reason }];
    }),
    ...profile.files.flatMap(({ path, access, suffixes }): readonly Approximation[] => {
      if (suffixes === "any" || access !== "write") return [];
      return [
        {
          name: "suffix-folder",
          path,
          reason: `folders in ${path} can't be made, removed, renamed or changed`,
        },
      ];
    }),
    ...pins.filter((pin) => pin !== ROOT && isWritable(parentOf(pin))).map((pin) => pinned(pin, facts)),
    ...(profile.sockets === "any" ? [ROOT] : listedSockets(profile.sockets)).map((path) => ({
      name: "no-sockets",
      path,
      reason: path === ROOT ? "no unix socket can be connected to" : `${path} can't be connected to`,
    })),
    {
      name: "no-scratch",
      path: EMPTY_HOME,
      reason: "there is no private temporary folder, and HOME is empty and read-only",
    },
  ];
}

function pinned(path: AbsolutePath, facts: Facts): Approximation {
  return nodeAt(facts, path).kind === "missing"
    ? {
        name: "missing-folder",
        path,
        reason: `${path} can't be made, because what must not be made lies below it`,
      }
    : {
        name: "pinned-node",
        path,
        reason: `${path} can't be removed or renamed, because of what lies below it`,
      };
}
