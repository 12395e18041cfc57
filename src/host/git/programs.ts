import type { GitSetting } from "../runtimes/git-config.ts";

/**
 * Settings that name no program, by git-config(1): sections of which that holds as a whole, then single keys. Whatever is
 * not listed counts as naming one, and so does `core.worktree`, unless whoever asks knows that it names the repository's own.
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

/** So many are named; whoever has to look at more looks at the file. */
const MOST_NAMED = 100;
/** A name is cut after so many characters: between its section and its key a file can put megabytes. */
const MOST_OF_A_NAME = 200;

/**
 * The names of the settings by which git may run a program, or reads more settings from elsewhere: at most a hundred, and
 * how many more there are in an entry of its own, which `unnamedSettings` reads.
 */
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
  if (names.length <= MOST_NAMED) return names.map(cut);
  // That git writes elsewhere is told in words of its own, so it is never among those that are left out.
  const first = [...names.filter((name) => name === "core.worktree"), ...names].slice(0, MOST_NAMED);
  const named = [...new Set(first)];
  return [...named.map(cut), `${names.length - named.length} more settings`];
}

/** How many settings an entry stands for that names none; zero for a name, which always has a dot. */
export function unnamedSettings(entry: string): number {
  return Number(/^(\d+) more settings$/.exec(entry)?.[1] ?? 0);
}

function cut(name: string): string {
  return name.length <= MOST_OF_A_NAME ? name : `${name.slice(0, MOST_OF_A_NAME)}…`;
}

function isPlainByValue({ name, value }: GitSetting): boolean {
  return PLAIN_VALUES.some(([plain, values]) => plain.test(name) && values.test(value ?? "true"));
}
