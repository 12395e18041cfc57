/** One way in which a sandbox of bubblewrap is tighter than its profile. It is never looser. */
export interface DeclaredApproximation {
  readonly name: string;
  /** What is refused although the profile allows it, and why. */
  readonly what: string;
  /** The most of all acts that a test may need it for: beyond that it would explain what it is not about. */
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
    what: "the modes of the host's own files hold as well: nobody gets more than the user whom the sandbox runs as",
    share: 0.03,
  },
  {
    name: "suffix-snapshot",
    what: "of a folder with a suffix list, the files that match at the start are shown one by one, up to 64; nothing is made, moved or removed there",
    share: 0.05,
  },
  {
    name: "link-target",
    what: "a mount can't stand on a symlink, so a mask on one holds for what it leads to as well",
    share: 0.03,
  },
  {
    name: "link-folder",
    what: "a symlink can't be pinned, so the folder that holds a protected one is read-only",
    share: 0.03,
  },
  {
    name: "missing-folder",
    what: "what must not be made is held at its first missing folder, so nothing can be made there",
    share: 0.02,
  },
  {
    name: "search-bound",
    what: "a folder that could not be searched for what must be protected is read-only, where the config says so",
    share: 0.03,
  },
  {
    name: "mount-budget",
    what: "a folder that holds more protected names than mounts can be made for is read-only, or hidden, as a whole",
    share: 0.03,
  },
  {
    name: "alias",
    what: "a mask holds for every other name that a mount of the host gives to what it covers",
    share: 0.01,
  },
  {
    name: "pinned-node",
    what: "the node of a grant, a mask or a pin is a mount, which can't be moved, replaced or removed",
    share: 0.04,
  },
  {
    name: "cross-mount",
    what: "nothing can be linked or moved from one mount to another, so not across a grant, a mask or a pin",
    share: 0.12,
  },
] as const satisfies readonly DeclaredApproximation[];

/** The name of a declared approximation. */
export type ApproximationName = (typeof APPROXIMATIONS)[number]["name"];
