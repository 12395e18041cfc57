import { pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Approximation } from "../plan.ts";

/**
 * Everything in which the kernel refuses more than the profile. The list is closed: `test/seatbelt-model` compares
 * random plans with the portable model, and fails on a refusal that none of these explains.
 */
export const APPROXIMATIONS = [
  { name: "dac", what: "file modes of the disk also apply: no call gets more than the user" },
  { name: "glob-always", what: "a wildcard also caps matching files that the call creates" },
  {
    name: "suffix-folder",
    what: "no program in a folder with a suffix list can be run, and folders in it can't be created, removed, renamed or changed",
  },
  {
    name: "pinned-node",
    what: "a folder that contains a root or a protected file can't be removed or renamed",
  },
  { name: "missing-folder", what: "a missing folder of a protected path can't be created" },
  { name: "no-links", what: "no file can get a hard link" },
  { name: "link-target", what: "a mask on a symlink also covers its target" },
  { name: "search-bound", what: "a folder that could not be searched for protected files is read-only" },
  {
    name: "other-case",
    what: "a name that differs from a name of the profile only in case is capped like it",
  },
  {
    name: "foreign-name",
    what: "where a mask has a non-ASCII letter, names with other characters there are also capped",
  },
] as const satisfies readonly { readonly name: string; readonly what: string }[];

/** The name of a declared approximation. */
export type SeatbeltApproximationName = (typeof APPROXIMATIONS)[number]["name"];

/** Places where a plan is tighter than its profile, apart from those of links and `search-bound`, and general ones. */
export function approximationsOf(
  profile: Profile,
  facts: Facts,
  pins: readonly AbsolutePath[],
): readonly Approximation[] {
  const ruler = pathRuler(profile);
  const isWritable = (path: AbsolutePath): boolean =>
    ruler(path, { kind: "folder", bornInside: false }).access === "write";
  const hasGlobs = profile.masks.some(({ pattern }) => pattern.literal === null);
  return [
    ...(hasGlobs ? [approximation("glob-always", ROOT, whatOf("glob-always"))] : []),
    ...profile.files.flatMap(({ path, access, suffixes }): readonly Approximation[] => {
      if (suffixes === "any" || access === "none") return [];
      const reason =
        access === "write"
          ? `folders in ${path} can't be created, removed, renamed or changed, and no program can be run`
          : `no program in ${path} can be run`;
      return [approximation("suffix-folder", path, reason)];
    }),
    ...pins.filter((pin) => pin !== ROOT && isWritable(parentOf(pin))).map((pin) => pinned(pin, facts)),
    ...profile.files
      .filter(({ access }) => access === "write")
      .map(({ path }) => approximation("no-links", path, `files in ${path} can't get hard links`)),
  ];
}

function approximation(name: SeatbeltApproximationName, path: AbsolutePath, reason: string): Approximation {
  return { name, path, reason };
}

function whatOf(name: SeatbeltApproximationName): string {
  return APPROXIMATIONS.find((one) => one.name === name)?.what ?? "";
}

function pinned(path: AbsolutePath, facts: Facts): Approximation {
  return nodeAt(facts, path).kind === "missing"
    ? approximation("missing-folder", path, `${path} can't be created, because a protected path is below it`)
    : approximation(
        "pinned-node",
        path,
        `${path} can't be removed or renamed, because a root or a protected path is below it`,
      );
}
