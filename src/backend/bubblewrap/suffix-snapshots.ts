import { type AbsolutePath, isInside } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Limit } from "../plan.ts";
import type { BubblewrapApproximationName } from "./approximations.ts";

/** Folders with a suffix list show only files that match at the start. A missing one cannot be made. */
export function snapshots(profile: Profile, facts: Facts, mounts: readonly AbsolutePath[]): readonly Limit[] {
  return profile.files.flatMap(({ path, access, suffixes }) => {
    const { kind } = nodeAt(facts, path);
    if (suffixes === "any" || access === "none" || (kind !== "folder" && kind !== "missing")) return [];
    const shown = facts.shown.get(path) ?? [];
    const what =
      kind === "missing"
        ? "it does not exist"
        : shown.length === 0
          ? "none of its files are shown"
          : `${shown.length} of its files are shown one by one`;
    return [
      {
        name: "suffix-snapshot" satisfies BubblewrapApproximationName,
        path,
        atMost: shown.length === 0 ? ("none" as const) : ("read" as const),
        // Other mounts show the rest of it.
        except: mounts.filter((one) => one !== path && isInside(one, path)),
        reason: `${path} has access only for ${suffixes.join(", ") || "no"} files: ${what}, and nothing can be created there`,
        remedy: "use the file tools there, which can create files, or remove `suffixes`",
      },
    ];
  });
}
