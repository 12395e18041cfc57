import { type AbsolutePath, isInside } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Limit } from "../plan.ts";
import type { ApproximationName } from "./approximations.ts";

/** Folders with a suffix list: what is shown is what matches at the start. At one that is missing nothing can be made. */
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
        name: "suffix-snapshot" satisfies ApproximationName,
        path,
        atMost: shown.length === 0 ? ("none" as const) : ("read" as const),
        // What else has a mount of its own there is shown by that.
        except: mounts.filter((one) => one !== path && isInside(one, path)),
        reason: `${path} is granted for ${suffixes.join(", ") || "no"} files only: ${what}, and nothing can be made there`,
        remedy: "use the tools on files there, which can make them, or leave out `suffixes`",
      },
    ];
  });
}
