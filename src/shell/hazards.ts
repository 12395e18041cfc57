import { gitOptions } from "./past-options.ts";
import { fileNameOf } from "./rule.ts";
import { isOpaque, OPAQUE } from "./word.ts";

/** A word by which a harmless looking command does more: it runs a program, or writes or removes files. */
export interface Hazard {
  readonly word: string;
  readonly does: "runs" | "writes";
}

/** By which of a program's words it runs a program, and by which it writes or removes files. */
interface Options {
  readonly runs?: RegExp;
  readonly writes?: RegExp;
}

/**
 * Options of common programs as their manuals have them in 2025; long ones also cut short, as getopt_long(3) takes them,
 * and one letter also among others. The table is a help, no wall: what it misses runs inside the walls like anything.
 */
const TABLE: ReadonlyMap<string, Options> = new Map<string, Options>([
  ["find", { runs: /^-(exec|ok)(dir)?$/, writes: /^-(delete|fls|fprint0?|fprintf)$/ }],
  ["fd", { runs: /^(-[a-zA-Z]*[xX]|--exec)/ }],
  ["fdfind", { runs: /^(-[a-zA-Z]*[xX]|--exec)/ }],
  ["sort", { runs: /^--co/, writes: /^(-[a-zA-Z]*o|--o|-[a-zA-Z]*T|--te)/ }],
  ["rg", { runs: /^(--pre|--hostname-bin|-[a-zA-Z]*z|--search-zip)/ }],
  ["ripgrep", { runs: /^(--pre|--hostname-bin|-[a-zA-Z]*z|--search-zip)/ }],
  [
    "tar",
    {
      runs: /^(--checkpoint-a|--to-c|--use-c|--rs|--info|--new-vol|--one|--rmt|-[a-zA-Z]*[IF])/,
      writes: /^(--ex|--get|--cr|--ap|--up|--del|--rem|--cat|--con|-[a-zA-Z]*[xcruA])/,
    },
  ],
  ["man", { runs: /^(-[a-zA-Z]*[PHX]|--pag|--ht|--br|--gx|-[a-zA-Z]*C|--con)/ }],
  ["go", { runs: /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/, writes: /^-o$|^--?o=/ }],
  ["base64", { writes: /^(-[a-zA-Z]*o|--o)/ }],
  ["less", { runs: /^\+|^-[a-zA-Z]*[kt]|^--lesskey/, writes: /^(-[a-zA-Z]*[oO]|--log|--LOG)/ }],
  ["more", { runs: /^\+/ }],
  ["vim", { runs: /^(\+|-[a-zA-Z]*[cSsu]|--cmd)/ }],
  ["vi", { runs: /^(\+|-[a-zA-Z]*[cSsu]|--cmd)/ }],
  ["tree", { writes: /^-[a-zA-Z]*o/ }],
  ["date", { writes: /^(-[a-zA-Z]*s|--s)/ }],
  ["split", { runs: /^--f/ }],
  ["tee", { writes: /^[^-]/ }],
  [
    "curl",
    { writes: /^(-[a-zA-Z]*[oOcDKT]|--out|--rem|--cookie-j|--dump|--conf|--upl|--trace|--stderr|--hsts)/ },
  ],
  ["wget", { runs: /^(--use-a|-[a-zA-Z]*e|--exec|--config)/, writes: /^/ }],
  ["rsync", { runs: /^(-[a-zA-Z]*e|--rsh|--rsync-p)/ }],
  ["zip", { runs: /^(-[a-zA-Z]*T|--unzip-c|--test)/ }],
  ["gdb", { runs: /^/ }],
  ["make", { runs: /^([A-Za-z_.]+[:+?!]*=|-[a-zA-Z]*f|--f|--makef|--ev)/ }],
  ["jq", { writes: /^(-[a-zA-Z]*L|--library)/ }],
  ["yq", { writes: /^(-[a-zA-Z]*i|--in)/ }],
  ["prettier", { writes: /^(-[a-zA-Z]*w|--write)/, runs: /^--(plugin|config)/ }],
  [
    "eslint",
    {
      writes: /^(--fix|-[a-zA-Z]*o|--output)/,
      runs: /^(-[a-zA-Z]*[cf]|--(conf|rulesdir|plugin|res|format|parser))/,
    },
  ],
]);

/** Options of git that run something else or write a file, of itself and of its commands (git(1) and its pages, 2.51). */
const GIT: Options = {
  runs: /^(--config-env|--exec-path=|--ext|--textc|--upl|--rece|--exec|--open|-O|--pag|--git-dir|--work-tree|--show-sig|--templ|--ssh|-x$|--extcmd)/,
  writes: /^(--outp|-o$)/,
};

/**
 * The first word of a command that makes more of it than its name says; null when the table knows none. A pattern
 * for file names counts for every program in the table, unless it says how they begin: one may be named like an option.
 */
export function hazardOf([program = "", ...words]: readonly string[]): Hazard | null {
  const name = fileNameOf(program).replace(/^g(?=(sed|awk|find|tar|sort|xargs|split|base64|date)$)/, "");
  if (name === "git") return gitHazard(words);
  if (name === "sed") return firstOf(words, (word) => sedDoes(word, words));
  if (/^([mn]|original-)?awk$/.test(name)) return firstOf(words, awkDoes);
  if (name === "xargs") return { word: name, does: "runs" };
  if (name === "uniq") return uniqHazard(words);
  const options = TABLE.get(name);
  if (options === undefined) return null;
  return firstOf(name === "tar" ? tarWords(words) : words, (word) => optionDoes(options, word));
}

/** The first word of `tar` is options, with or without `-`. */
function tarWords([first = "", ...rest]: readonly string[]): readonly string[] {
  return [isOpaque(first) ? OPAQUE : first.startsWith("-") ? first : `-${first}`, ...rest];
}

type Does = Hazard["does"] | null;

/** The first word that runs something, else the first that writes. */
function firstOf(words: readonly string[], does: (word: string) => Does): Hazard | null {
  let writing: Hazard | null = null;
  for (const word of words) {
    const found = does(word);
    if (found === "runs") return { word: isOpaque(word) ? `${word.slice(1)}*` : word, does: found };
    if (found === "writes") writing ??= { word, does: found };
  }
  return writing;
}

function optionDoes({ runs, writes }: Options, word: string): Does {
  // The name of a file may begin with `-`, unless the pattern says how it begins.
  if (isOpaque(word)) return /^.(-|$)/su.test(word) ? "runs" : null;
  if (runs?.test(word) === true) return "runs";
  return writes?.test(word) === true ? "writes" : null;
}

function gitHazard(words: readonly string[]): Hazard | null {
  const own = gitOptions(words);
  const setting = own.find((word) => /^-c|^-p$/.test(word));
  if (setting !== undefined) return { word: setting, does: "runs" };
  const command = words[own.length] ?? "";
  const config = /^(clone|init|submodule|fetch|pull|ls-remote)$/.test(command)
    ? words.find((word, at) => at > own.length && /^(-c|-u|--config)/.test(word))
    : undefined;
  if (config !== undefined) return { word: config, does: "runs" };
  if (
    command === "bisect" ||
    command === "filter-branch" ||
    command === "difftool" ||
    command === "mergetool"
  )
    return { word: command, does: "runs" };
  return firstOf(words, (word) => optionDoes(GIT, word));
}

/** `-i` writes; a script may run (`e`), read and write files (`w`, `r`), or lie in a file. */
function sedDoes(word: string, words: readonly string[]): Does {
  if (isOpaque(word)) return isSedScript(word, words) ? "runs" : optionDoes({}, word);
  if (/^(-[a-zA-Z]*i|--i)/.test(word)) return "writes";
  if (/^(-[a-zA-Z]*f|--f)/.test(word)) return "runs";
  if (word.startsWith("-") && !/^(-[a-zA-Z]*e|--ex)/.test(word)) return null;
  const isScript = /^(-[a-zA-Z]*e.|--ex[a-z]*=)/.test(word) || isSedScript(word, words);
  return isScript && !isPlainSed(word.replace(/^(-[a-zA-Z]*e|--ex[a-z]*=)/, "")) ? "runs" : null;
}

/** The first word that is no option is the script, unless `-e` brings it; then the word behind that. */
function isSedScript(word: string, words: readonly string[]): boolean {
  const at = words.indexOf(word);
  if (/^(-[a-zA-Z]*e|--ex[a-z]*)$/.test(words[at - 1] ?? "")) return true;
  const hasOption = words.some((one) => /^(-[a-zA-Z]*e|--ex)/.test(one));
  return !hasOption && words.findIndex((one) => !one.startsWith("-")) === at;
}

/** One command of a few that only print, delete or replace: `10,20p`, `/x/d`, `s/a/b/g`. */
function isPlainSed(script: string): boolean {
  const address = String.raw`(\d+|\$|\/[^/\n\\]*\/)?(,(\d+|\$|\+\d+|\/[^/\n\\]*\/))?!?`;
  return new RegExp(String.raw`^${address}([pdq=]|s([/|#,:])[^\n\\]*\5[^\n\\]*\5[gpI\d]*)$`).test(script)
    ? !/^.*s([/|#,:]).*\1.*\1.*[ewrm]/.test(script) || isThreeParts(script)
    : false;
}

/** Exactly three separators, so that what stands behind the third are the flags. */
function isThreeParts(script: string): boolean {
  const found = /s([/|#,:])/.exec(script);
  if (found === null) return true;
  const [start, separator = "/"] = [found.index + 1, found[1]];
  return script.slice(start).split(separator).length === 4;
}

/** A program text that runs, reads or writes anything but its input; or one that lies in a file. */
function awkDoes(word: string): Does {
  if (isOpaque(word)) return optionDoes({}, word);
  if (/^(-[a-zA-Z]*[fEilLDdop]|--(f|e|i|l|pro|dump|de|pr))/.test(word)) return "runs";
  return /system|getline|close|[|>@]|\/(inet|dev|proc)\//.test(word) ? "runs" : null;
}

/** The second file of `uniq` is written. */
function uniqHazard(words: readonly string[]): Hazard | null {
  const files = words.filter((word) => !word.startsWith("-"));
  const [, output] = files;
  return output === undefined && !files.some(isOpaque) ? null : { word: output ?? "*", does: "writes" };
}
