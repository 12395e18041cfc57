/** One way in which a sandbox of bubblewrap is tighter than its profile. It is never looser. */
export interface DeclaredApproximation {
  readonly name: string;
  /** Operations that are rejected although the profile allows them, and why. */
  readonly what: string;
  /** The maximum share of operations that it may explain in a test: beyond that it hides other differences. */
  readonly share: number;
}

/**
 * Everything in which the kernel refuses more than the profile does, under a plan of this backend. The list is closed:
 * `test/kernel/agreement.test.ts` tries random acts in real sandboxes, and fails on a refusal that none of these
 * explains, on one of these that explains nothing, and on one that explains more than its share.
 */
export const APPROXIMATIONS = [
  {
    name: "dac",
    what: "file modes of the host also apply: no call gets more than the user that the sandbox runs as",
    share: 0.03,
  },
  {
    name: "suffix-snapshot",
    what: "a folder with a suffix list shows the files that match at the start, up to 64; nothing can be created, moved or removed there",
    share: 0.05,
  },
  {
    name: "link-target",
    what: "a mask on a symlink also covers its target, because a mount can't be on a symlink",
    share: 0.03,
  },
  {
    name: "link-folder",
    what: "the folder of a protected symlink is read-only, because a symlink can't be pinned",
    share: 0.03,
  },
  {
    name: "missing-folder",
    what: "a missing protected path is blocked at its first missing folder, so nothing can be created there",
    share: 0.02,
  },
  {
    name: "search-bound",
    what: "a folder that could not be searched for protected files is read-only, if the config says so",
    share: 0.03,
  },
  {
    name: "mount-budget",
    what: "a folder with too many protected names for mounts is read-only, or hidden, as a whole",
    share: 0.03,
  },
  {
    name: "alias",
    what: "a mask also covers every other path that a mount of the host gives to a covered file",
    share: 0.01,
  },
  {
    name: "pinned-node",
    what: "the path of a grant, a mask or a pin is a mount, which can't be moved, replaced or removed",
    share: 0.04,
  },
  {
    name: "cross-mount",
    what: "files can't be linked or moved across a grant, a mask or a pin, because these are mounts",
    share: 0.12,
  },
] as const satisfies readonly DeclaredApproximation[];

/** The name of a declared approximation. */
export type BubblewrapApproximationName = (typeof APPROXIMATIONS)[number]["name"];
