import type { GitSetting } from "../runtimes/git-config.ts";

/**
 * Settings that name no program, by git-config(1): whole sections, then single keys. Any unlisted setting counts as
 * naming one, and so does `core.worktree`, unless the caller knows that it names the repository's own.
 */
const PLAIN_SECTIONS =
  /^(?:user|author|committer|push|pack|repack|index|feature|advice|color|rerere|status|log|commitgraph|maintenance)\./;
const PLAIN_KEYS = new RegExp(
  `^(?:${[
    "core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|protect(?:hfs|ntfs)|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|loosecompression|bigfilethreshold|sharedrepository|preloadindex|untrackedcache|splitindex|sparsecheckout(?:cone)?|commentchar|whitespace|checkstat|trustctime|fsync|fsyncmethod)",
    "init\\.defaultbranch",
    "extensions\\.(?:objectformat|compatobjectformat|refstorage|worktreeconfig|relativeworktrees|preciousobjects|noop)",
    "fetch\\.(?:recursesubmodules|fsckobjects|unpacklimit|prune|prunetags|output|negotiationalgorithm|showforcedupdates|parallel|writecommitgraph)",
    "gc\\.(?:aggressive(?:depth|window)|auto|autodetach|autopacklimit|bigpackthreshold|writecommitgraph|cruftpacks|maxcruftsize|logexpiry|packrefs|pruneexpire|worktreepruneexpire|rerereresolved|rerereunresolved)",
    "gc\\.(?:.*\\.)?reflogexpire(?:unreachable)?",
    "pull\\.(?:ff|rebase)",
    "branch\\..*\\.(?:merge|rebase|description)",
    "remote\\..*\\.(?:fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate|skipfetchall)",
    "submodule\\..*\\.(?:active|branch|path|ignore|fetchrecursesubmodules)",
    "submodule\\.(?:active|recurse|alternatelocation|alternateerrorstrategy)",
    "merge\\.(?:conflictstyle|ff|renames|renamelimit|stat|log|verbosity)",
    "diff\\.(?:renames|renamelimit|algorithm|context|colormoved|mnemonicprefix|noprefix|submodule)",
    "commit\\.(?:gpgsign|cleanup|verbose|status)",
    "rebase\\.(?:autosquash|autostash|updaterefs|stat|missingcommitscheck)",
  ].join("|")})$`,
);
/** A URL with a transport of its own, as `ext::sh -c x`, starts a program of that name (gitremote-helpers(7)). */
const PLAIN_REMOTE = /^(?!.*::)[^-].*/s;
const PLAIN_VALUES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^core\.fsmonitor$/, /^(?:true|false|yes|no|on|off|0|1|)$/i],
  [/^remote\..*\.(?:url|pushurl)$/, PLAIN_REMOTE],
  [/^submodule\..*\.url$/, PLAIN_REMOTE],
  // A remote can be named by its URL.
  [/^branch\..*\.(?:remote|pushremote)$/, PLAIN_REMOTE],
  [/^extensions\.partialclone$/, PLAIN_REMOTE],
  [/^submodule\..*\.update$/, /^(?:checkout|rebase|merge|none)$/],
];

/** Maximum of named settings; the file has the rest. */
const MAX_NAMED = 100;
/** Maximum of characters of a name: between its section and its key a file can put megabytes. */
const MAX_NAME_LENGTH = 200;

/** Settings by which git may run a program or read more: at most 100 names, then an entry for `unnamedSettings`. */
export function settingsThatRun(settings: readonly GitSetting[]): readonly string[] {
  const plain = new Map<string, boolean>();
  const isNamedPlain = (name: string): boolean => {
    const known = plain.get(name) ?? (PLAIN_SECTIONS.test(name) || PLAIN_KEYS.test(name));
    plain.set(name, known);
    return known;
  };
  const found = new Set<string>();
  for (const setting of settings)
    if (!found.has(setting.name) && !isNamedPlain(setting.name) && !isPlainByValue(setting))
      found.add(setting.name);
  const names = [...found];
  if (names.length <= MAX_NAMED) return names.map(cut);
  // Writing elsewhere is reported in words of its own, so it is never left out.
  const first = [...names.filter((name) => name === "core.worktree"), ...names].slice(0, MAX_NAMED);
  const named = [...new Set(first)];
  return [...named.map(cut), `${names.length - named.length} more settings`];
}

/** The number of unnamed settings in an entry; zero for a name, which always has a dot. */
export function unnamedSettings(entry: string): number {
  return Number(/^(\d+) more settings$/.exec(entry)?.[1] ?? 0);
}

function cut(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
}

function isPlainByValue({ name, value }: GitSetting): boolean {
  return PLAIN_VALUES.some(([plain, values]) => plain.test(name) && values.test(value ?? "true"));
}
