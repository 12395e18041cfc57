/** Names of git's `is_git_directory` (setup.c), a bit each: HEAD a file or link, others accessible, even by links. */
export const MARKS: ReadonlyMap<string, number> = new Map([
  ["HEAD", 1],
  ["objects", 2],
  ["refs", 4],
  ["commondir", 8],
]);

const FOLDED_MARKS: ReadonlyMap<string, number> = new Map(
  [...MARKS].map(([name, mark]) => [name.toLowerCase(), mark]),
);

/** The bit of a name, or 0. On macOS git may find it by every spelling that differs in case, `ſ` for `s` too. */
export function markOf(name: string, platform: NodeJS.Platform = process.platform): number {
  if (platform !== "darwin") return MARKS.get(name) ?? 0;
  return FOLDED_MARKS.get(name.replaceAll("\u017f", "s").toLowerCase()) ?? 0;
}

/** True if the names of these bits make a whole repository folder: HEAD with objects and refs, or with `commondir`. */
export function isWholeBy(marks: number): boolean {
  return (marks & 7) === 7 || (marks & 9) === 9;
}

const MADE_BY_GIT = new RegExp(
  `^(?:${[
    "(?:\\w+_)?HEAD|\\w+_(?:MSG|EDITMSG|DESCRIPTION)|AUTO_MERGE|(?:MERGE|BISECT|NOTES_MERGE)_\\w+",
    "index|config(?:\\.worktree)?|packed-refs|shallow|commondir|gitdir|description|gc\\.(?:log|pid)|.*\\.lock",
    "objects|refs|reftable|logs|hooks|info|modules|worktrees|branches|remotes|lfs|rr-cache",
    "rebase-(?:apply|merge)|sequencer",
  ].join("|")})$`,
  "i",
);

/** True for names that git makes in a repository's folder (gitrepository-layout(5), gitrevisions(7)). */
export function isMadeByGit(name: string): boolean {
  return MADE_BY_GIT.test(name);
}

/** On a volume that folds case, git finds every spelling. */
export function isGitName(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === ".git";
}

/** True for a repository's folder and folders in it, by their names: `.git`, and a bare one by custom `name.git`. */
export function isInGitFolder(path: string): boolean {
  return /\.git(?:\/|$)/i.test(path);
}
