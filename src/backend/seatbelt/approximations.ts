import { pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import type { Approximation } from "../plan.ts";

/**
 * Everything in which the kernel refuses more than the profile does, under a plan of this backend. The list is closed:
 * `test/sbpl` holds the text of random plans against the portable model, and fails on a refusal that none of these
 * explains.
 */
export const APPROXIMATIONS = [
  { name: "dac", what: "the modes of the disk's own files hold as well: nobody gets more than the user" },
  {
    name: "glob-always",
    what: "what a wildcard matches is capped also when the call makes it, by that name",
  },
  {
    name: "suffix-folder",
    what: "of a folder with a suffix list no program can be run, and folders in it can't be made, removed, renamed or changed",
  },
  { name: "pinned-node", what: "what holds a root, or something protected, can't be removed or renamed" },
  { name: "missing-folder", what: "what would hold something that must not be made can't be made itself" },
  { name: "no-links", what: "no file can be given a second name by a hard link" },
  { name: "link-target", what: "a mask on a symlink holds for what it leads to as well" },
  {
    name: "search-bound",
    what: "a folder that could not be searched for what must be protected is read-only",
  },
  {
    name: "other-case",
    what: "what differs from a name of the profile in the case of its letters alone is capped as it is",
  },
  {
    name: "foreign-name",
    what: "where a mask has a letter that is not ASCII, any others in its place are capped as well",
  },
] as const satisfies readonly { readonly name: string; readonly what: string }[];

/** The name of a declared approximation. */
export type ApproximationName = (typeof APPROXIMATIONS)[number]["name"];

/** Where a plan is tighter than its profile, besides what links and `search-bound` add, and what is so everywhere. */
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
          ? `folders in ${path} can't be made, removed, renamed or changed, and no program can be run`
          : `no program in ${path} can be run`;
      return [approximation("suffix-folder", path, reason)];
    }),
    ...pins.filter((pin) => pin !== ROOT && isWritable(parentOf(pin))).map((pin) => pinned(pin, facts)),
    ...profile.files
      .filter(({ access }) => access === "write")
      .map(({ path }) =>
        approximation("no-links", path, `files in ${path} can't be given a second name by a hard link`),
      ),
  ];
}

function approximation(name: ApproximationName, path: AbsolutePath, reason: string): Approximation {
  return { name, path, reason };
}

function whatOf(name: ApproximationName): string {
  return APPROXIMATIONS.find((one) => one.name === name)?.what ?? "";
}

function pinned(path: AbsolutePath, facts: Facts): Approximation {
  return nodeAt(facts, path).kind === "missing"
    ? approximation(
        "missing-folder",
        path,
        `${path} can't be made, because what must not be made lies below it`,
      )
    : approximation(
        "pinned-node",
        path,
        `${path} can't be removed or renamed, because of what lies below it`,
      );
}
