/**
 * What the sources leave open about which questions the kernel asks for a call. What a profile must stop, it must stop under
 * every combination.
 */
export interface Kernel {
  /**
   * What a path's way asks `file-read-metadata` about: nothing, each symbolic link on it (measured for `/etc`), or each
   * link and each folder above what is found and above the links.
   */
  readonly traversalChecks: "nothing" | "hops" | "hops-and-ancestors";
  /** The path that rules are matched on for what was reached by `/System/Volumes/Data/Users` and the like. */
  readonly firmlinkPaths: "canonical" | "as-given";
  /** Whether opening a name from a folder's descriptor asks `file-read-data` about the folder. */
  readonly openAtChecksFolder: boolean;
  /** Whether making a file by `open` asks `file-write-data`, too. */
  readonly createChecksData: boolean;
  /** Whether `access` asks about each right, or about metadata alone. */
  readonly accessChecksRights: boolean;
  readonly chdirChecksMetadata: boolean;
  /** Whether `getcwd` asks `file-read-metadata` about the working folder and each folder above. */
  readonly getcwdChecksAncestors: boolean;
  /** What a hard link asks: `file-link` about the source, `file-write-create` about the new name, or both. */
  readonly linkChecks: "source-and-destination" | "source-only" | "destination-only";
  /** What a clone asks about its source, besides `file-write-create` about the new name. */
  readonly cloneChecks: "clone-and-data" | "data" | "clone" | "nothing";
  /** Whether `clonefile` takes a folder with all that is below, asking about the folder alone. */
  readonly clonesFolders: boolean;
  /** Whether a rename asks `file-write-unlink` about what it replaces. */
  readonly renameChecksReplaced: boolean;
  /** The name of what a rename replaces, in the question whether it may be made. */
  readonly replacedName: "on-disk" | "as-given";
  /** Whether an exchange asks unlink and create about both names, or what a plain rename does. */
  readonly swapChecks: "both-ways" | "as-rename";
  /** Whether running a program asks `file-read-data` and `file-map-executable` about it, too. */
  readonly execChecksImage: boolean;
  /** Whether setting set-uid bits asks `file-write-mode`, too. */
  readonly setugidChecksMode: boolean;
  /** Whether `socket` asks about AF_INET and AF_INET6, too. */
  readonly inetSocketChecks: boolean;
  /** Whether binding a unix socket asks `file-write-create`, too. */
  readonly bindChecksCreate: boolean;
  /** Whether listening at a unix socket asks `network-inbound`, as it does for a port. */
  readonly unixListenChecksInbound: boolean;
  /** Whether the any-address, which an unbound socket has, is `localhost` (measured when connecting). */
  readonly anyIsLocalhost: boolean;
  /** Whether the machine's own addresses in its network are `localhost`. */
  readonly ownIsLocalhost: boolean;
}

/** Asks the most that a source says or guesses. */
export const STRICT: Kernel = {
  traversalChecks: "hops-and-ancestors",
  firmlinkPaths: "canonical",
  openAtChecksFolder: true,
  createChecksData: true,
  accessChecksRights: true,
  chdirChecksMetadata: true,
  getcwdChecksAncestors: true,
  linkChecks: "source-and-destination",
  cloneChecks: "clone-and-data",
  clonesFolders: false,
  renameChecksReplaced: true,
  replacedName: "on-disk",
  swapChecks: "both-ways",
  execChecksImage: true,
  setugidChecksMode: true,
  inetSocketChecks: true,
  bindChecksCreate: true,
  unixListenChecksInbound: true,
  anyIsLocalhost: false,
  ownIsLocalhost: false,
};

/** What the sources make most likely. */
export const LIKELY: Kernel = {
  ...STRICT,
  traversalChecks: "hops",
  inetSocketChecks: false,
  anyIsLocalhost: true,
};

/** Asks the least that a source leaves room for, and of paths and addresses what a rule is least likely to have in mind. */
export const LAX: Kernel = {
  traversalChecks: "nothing",
  firmlinkPaths: "as-given",
  openAtChecksFolder: false,
  createChecksData: false,
  accessChecksRights: false,
  chdirChecksMetadata: false,
  getcwdChecksAncestors: false,
  linkChecks: "destination-only",
  cloneChecks: "nothing",
  clonesFolders: true,
  renameChecksReplaced: false,
  replacedName: "as-given",
  swapChecks: "as-rename",
  execChecksImage: false,
  setugidChecksMode: false,
  inetSocketChecks: false,
  bindChecksCreate: false,
  unixListenChecksInbound: false,
  anyIsLocalhost: true,
  ownIsLocalhost: true,
};

/**
 * As `LAX`, but a link and a clone ask about their source. Without that, no profile that has both a place to make files in
 * and something to hide on one volume keeps it hidden.
 */
export const LAX_BUT_LINKS: Kernel = {
  ...LAX,
  linkChecks: "source-only",
  cloneChecks: "data",
  clonesFolders: false,
};
