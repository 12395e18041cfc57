import {
  BOOL,
  boolOr,
  FOLDER,
  FORMAT,
  NUMBER,
  PLAIN,
  REF,
  SORT,
  TEXT,
  type ValueCheck,
  words,
} from "./git-values.ts";

/** Keys that are carried for one reason. `*` is one name without dots. */
interface KeyGroup {
  /** Why a value of these keys can run nothing and reach nothing. */
  readonly why: string;
  readonly keys: Readonly<Record<string, ValueCheck>>;
}

/**
 * Carried keys of the person's and machine's git configuration, in lower case. Each has its documented values, so that
 * none can name a program, file or host. Others are left out, so that no key of a later git is carried by accident.
 */
export const CARRIED: readonly KeyGroup[] = [
  {
    why: "git records it in a commit as text",
    keys: {
      "user.name": TEXT,
      "user.email": TEXT,
      "author.name": TEXT,
      "author.email": TEXT,
      "committer.name": TEXT,
      "committer.email": TEXT,
      "user.useconfigonly": BOOL,
      "i18n.commitencoding": PLAIN,
      "commit.cleanup": words("strip", "whitespace", "verbatim", "scissors", "default"),
      "format.signoff": BOOL,
      "revert.reference": BOOL,
    },
  },
  {
    why: "it chooses which bytes and modes git writes for a file, or takes as changed",
    keys: {
      "core.autocrlf": boolOr("input"),
      "core.eol": words("lf", "crlf", "native"),
      "core.safecrlf": boolOr("warn"),
      "core.whitespace": PLAIN,
      "core.quotepath": BOOL,
      "core.precomposeunicode": BOOL,
      "core.filemode": BOOL,
      "core.symlinks": BOOL,
      "core.trustctime": BOOL,
      "core.checkstat": words("default", "minimal"),
      "core.checkroundtripencoding": PLAIN,
      "add.ignoreerrors": BOOL,
      "am.keepcr": BOOL,
      "am.threeway": BOOL,
      "apply.ignorewhitespace": words("no", "none", "never", "false", "change"),
      "apply.whitespace": words("nowarn", "warn", "fix", "strip", "error", "error-all"),
      "tar.umask": (value) => value !== null && /^(user|0?[0-7]{3})$/.test(value),
    },
  },
  {
    why: "it is the name of a branch, remote or ref, which git looks up in the repository alone",
    keys: {
      "init.defaultbranch": REF,
      "clone.defaultremotename": REF,
      "checkout.defaultremote": REF,
      "remote.pushdefault": REF,
      "core.notesref": REF,
      "notes.displayref": REF,
      "notes.rewriteref": REF,
      "log.excludedecoration": REF,
      "merge.suppressdest": REF,
    },
  },
  {
    why: "it chooses between git's own ways to join, move and compare commits",
    keys: {
      "branch.autosetupmerge": boolOr("always", "inherit", "simple"),
      "branch.autosetuprebase": words("never", "local", "remote", "always"),
      "checkout.guess": BOOL,
      "clone.rejectshallow": BOOL,
      "clone.filtersubmodules": BOOL,
      "core.logallrefupdates": boolOr("always"),
      "core.usereplacerefs": BOOL,
      "core.warnambiguousrefs": BOOL,
      "fetch.prune": BOOL,
      "fetch.prunetags": BOOL,
      "fetch.recursesubmodules": boolOr("on-demand"),
      "merge.autostash": BOOL,
      "merge.branchdesc": BOOL,
      "merge.conflictstyle": words("merge", "diff3", "zdiff3"),
      "merge.defaulttoupstream": BOOL,
      "merge.directoryrenames": boolOr("conflict"),
      "merge.ff": boolOr("only"),
      "merge.log": (value) => BOOL(value) || NUMBER(value),
      "merge.renamelimit": NUMBER,
      "merge.renames": boolOr("copy", "copies"),
      "merge.renormalize": BOOL,
      "notes.mergestrategy": words("manual", "ours", "theirs", "union", "cat_sort_uniq"),
      "notes.rewrite.*": BOOL,
      "notes.rewritemode": words("overwrite", "concatenate", "cat_sort_uniq", "ignore"),
      "pull.ff": boolOr("only"),
      "pull.rebase": boolOr("merges", "interactive", "m", "i"),
      "push.autosetupremote": BOOL,
      "push.default": words("nothing", "current", "upstream", "tracking", "simple", "matching"),
      "push.followtags": BOOL,
      "push.recursesubmodules": boolOr("check", "on-demand", "only"),
      "push.useforceifincludes": BOOL,
      "rebase.autosquash": BOOL,
      "rebase.autostash": BOOL,
      "rebase.backend": words("apply", "merge"),
      "rebase.forkpoint": BOOL,
      "rebase.missingcommitscheck": words("ignore", "warn", "error"),
      "rebase.reschedulefailedexec": BOOL,
      "rebase.updaterefs": BOOL,
      "rerere.autoupdate": BOOL,
      "rerere.enabled": BOOL,
      "submodule.recurse": BOOL,
      "worktree.guessremote": BOOL,
    },
  },
  {
    why: "it makes git keep objects longer",
    keys: {
      "gc.auto": NUMBER,
      "gc.pruneexpire": PLAIN,
      "gc.reflogexpire": PLAIN,
      "gc.reflogexpireunreachable": PLAIN,
      "gc.rerereresolved": PLAIN,
      "gc.rerereunresolved": PLAIN,
      "gc.worktreepruneexpire": PLAIN,
    },
  },
  {
    why: "it makes git refuse more, or lists folders whose owner git does not check: all of them are in the sandbox",
    keys: {
      "fetch.fsckobjects": BOOL,
      "transfer.fsckobjects": BOOL,
      "safe.barerepository": words("all", "explicit"),
      "safe.directory": FOLDER,
    },
  },
  {
    why: "it chooses the output of git",
    keys: {
      "advice.*": BOOL,
      "blame.blankboundary": BOOL,
      "blame.coloring": words("repeatedlines", "highlightrecent", "none"),
      "blame.date": PLAIN,
      "blame.markignoredlines": BOOL,
      "blame.markunblamablelines": BOOL,
      "blame.showemail": BOOL,
      "blame.showroot": BOOL,
      "branch.sort": SORT,
      "color.*": PLAIN,
      "color.*.*": PLAIN,
      "column.*": PLAIN,
      "commit.status": BOOL,
      "commit.verbose": (value) => BOOL(value) || NUMBER(value),
      "core.abbrev": (value) => BOOL(value) || NUMBER(value) || value === "auto",
      "core.commentchar": (value) => value !== null && /^(auto|[!-~])$/.test(value),
      "diff.algorithm": words("default", "myers", "minimal", "patience", "histogram"),
      "diff.autorefreshindex": BOOL,
      "diff.colormoved": boolOr("default", "plain", "blocks", "zebra", "dimmed-zebra", "dimmed_zebra"),
      "diff.colormovedws": PLAIN,
      "diff.context": NUMBER,
      "diff.dirstat": PLAIN,
      "diff.ignoresubmodules": words("all", "untracked", "dirty", "none"),
      "diff.indentheuristic": BOOL,
      "diff.interhunkcontext": NUMBER,
      "diff.mnemonicprefix": BOOL,
      "diff.noprefix": BOOL,
      "diff.relative": BOOL,
      "diff.renamelimit": NUMBER,
      "diff.renames": boolOr("copy", "copies"),
      "diff.statgraphwidth": NUMBER,
      "diff.submodule": words("short", "log", "diff"),
      "diff.suppressblankempty": BOOL,
      "diff.wserrorhighlight": PLAIN,
      "fetch.output": words("full", "compact"),
      "fetch.showforcedupdates": BOOL,
      "format.pretty": FORMAT,
      "grep.column": BOOL,
      "grep.extendedregexp": BOOL,
      "grep.fallbacktonoindex": BOOL,
      "grep.fullname": BOOL,
      "grep.linenumber": BOOL,
      "grep.patterntype": words("default", "basic", "extended", "fixed", "perl"),
      "i18n.logoutputencoding": PLAIN,
      "log.abbrevcommit": BOOL,
      "log.date": PLAIN,
      "log.decorate": boolOr("short", "full", "auto"),
      "log.diffmerges": PLAIN,
      "log.follow": BOOL,
      "log.graphcolors": PLAIN,
      "log.initialdecorationset": words("all"),
      "log.mailmap": BOOL,
      "log.showroot": BOOL,
      "merge.stat": BOOL,
      "merge.verbosity": NUMBER,
      "pretty.*": FORMAT,
      "rebase.abbreviatecommands": BOOL,
      "rebase.instructionformat": FORMAT,
      "rebase.stat": BOOL,
      "stash.showincludeuntracked": BOOL,
      "stash.showpatch": BOOL,
      "stash.showstat": BOOL,
      "status.aheadbehind": BOOL,
      "status.branch": BOOL,
      "status.displaycommentprefix": BOOL,
      "status.relativepaths": BOOL,
      "status.renamelimit": NUMBER,
      "status.renames": boolOr("copy", "copies"),
      "status.short": BOOL,
      "status.showstash": BOOL,
      "status.showuntrackedfiles": boolOr("no", "normal", "all"),
      "status.submodulesummary": (value) => BOOL(value) || NUMBER(value),
      "tag.sort": SORT,
      "versionsort.suffix": PLAIN,
    },
  },
];

/** Keys whose file is carried by its content, under another name. */
export const MADE_FILES: Readonly<Record<string, string>> = {
  "core.excludesfile": "a list of patterns: git opens nothing that it names",
  "core.attributesfile":
    "a list of patterns: a driver that it names runs only where the configuration says how",
};

/** LFS's filter, in the values that `git lfs install` writes; carried if git-lfs is in the sandbox. */
export const LFS: Readonly<Record<string, readonly string[]>> = {
  "filter.lfs.clean": ["git-lfs clean -- %f"],
  "filter.lfs.smudge": ["git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"],
  "filter.lfs.process": ["git-lfs filter-process", "git-lfs filter-process --skip"],
  "filter.lfs.required": ["true"],
};

/** Keys for signing. They are carried only if the sandbox has the signing agent or folder: see `signing.ts`. */
const SIGNING: ReadonlySet<string> = new Set([
  "commit.gpgsign",
  "tag.gpgsign",
  "gpg.format",
  "user.signingkey",
]);

/** True for a key for signing. */
export function isSigning(name: string): boolean {
  return SIGNING.has(name);
}

const CHECKS: ReadonlyMap<string, ValueCheck> = new Map(CARRIED.flatMap(({ keys }) => Object.entries(keys)));

/** True for a setting that is carried unchanged. */
export function isCarried(name: string, value: string | null): boolean {
  return checkOf(name)?.(value) ?? false;
}

function checkOf(name: string): ValueCheck | undefined {
  const own = CHECKS.get(name);
  if (own !== undefined) return own;
  const parts = name.split(".");
  const [section = ""] = parts;
  if (parts.length === 2) return CHECKS.get(`${section}.*`);
  return parts.length === 3
    ? (CHECKS.get(`${section}.${parts[1]}.*`) ?? CHECKS.get(`${section}.*.*`))
    : undefined;
}
