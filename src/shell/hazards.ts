import { gitOptions } from "./past-options.ts";
import { fileNameOf } from "./rule.ts";
import { mayBeOption } from "./unread.ts";
import { isOpaque, OPAQUE } from "./word.ts";

/** A word by which a harmless looking command does more: it runs a program, or writes or removes files. */
export interface Hazard {
  readonly word: string;
  readonly does: "runs" | "writes";
}

/** True for a word by which a program does more. */
type Test = (word: string) => boolean;

/** By which of a program's words it runs a program, and by which it writes or removes files. */
interface Options {
  readonly runs?: Test;
  readonly writes?: Test;
  /** A word counts that looks like no option. */
  readonly ofAnyWord?: boolean;
}

/** Long options that mean just what they say, though others that are in the table begin like them. */
const HARMLESS: ReadonlySet<string> = new Set([
  "--checkpoint",
  "--cookie",
  "--exec-path",
  "--strip",
  "--text",
]);

/**
 * Tests for options: one of the letters, also among others, or a long one by its beginning, of which it may stand a part,
 * as getopt_long(3) takes it; and what else a program takes.
 */
function by(letters: string, long = "", also?: RegExp): Test {
  const short = letters === "" ? null : new RegExp(`^-[a-zA-Z]*[${letters}]`);
  const beginnings = long.split(" ").filter((one) => one !== "");
  return (word) => {
    if (short?.test(word) === true || also?.test(word) === true) return true;
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name === undefined || HARMLESS.has(word)) return false;
    return beginnings.some((one) => name.startsWith(one) || one.startsWith(name));
  };
}

const EDITOR: Options = { runs: by("cSsu", "cmd", /^\+/) };
const COMPILER: Options = { runs: by("", "", /^(-(wrapper|B|specs|fplugin)|@)/), writes: by("o") };

/**
 * Options of common programs as their manuals have them in 2025. The table is a help, no wall: what it misses runs inside
 * the walls like anything.
 */
const TABLE: ReadonlyMap<string, Options> = new Map<string, Options>([
  [
    "find",
    {
      runs: by("", "", /^-(exec|ok)(dir)?$/),
      writes: by("", "", /^-(delete|fls|fprint0?|fprintf)$/),
    },
  ],
  ["fd", { runs: by("xX", "exec") }],
  ["fdfind", { runs: by("xX", "exec") }],
  ["sort", { runs: by("", "co"), writes: by("oT", "o te") }],
  ["rg", { runs: by("z", "pre hostname-bin search-zip") }],
  ["ripgrep", { runs: by("z", "pre hostname-bin search-zip") }],
  [
    "tar",
    {
      runs: by("IF", "checkpoint-a to-c use-c rs info new-vol one rmt"),
      writes: by("xcruA", "ex get cr ap up del rem cat con"),
    },
  ],
  ["man", { runs: by("PHXC", "pag ht br gx con") }],
  [
    "go",
    {
      runs: by("", "", /^--?(exec|toolexec|vettool|overlay|modfile)(=|$)/),
      writes: by("", "", /^-o$|^--?o=/),
    },
  ],
  ["base64", { writes: by("o", "o") }],
  ["less", { runs: by("kt", "lesskey", /^\+/), writes: by("oO", "log LOG") }],
  ["more", { runs: by("", "", /^\+/) }],
  ["vim", EDITOR],
  ["vi", EDITOR],
  ["view", EDITOR],
  ["tree", { writes: by("o") }],
  ["date", { writes: by("s", "s") }],
  ["split", { runs: by("", "f") }],
  ["tee", { writes: by("", "", /^[^-]/), ofAnyWord: true }],
  ["install", { runs: by("", "strip-p") }],
  ["curl", { writes: by("oOcDKT", "out rem cookie-j dump conf upl trace stderr hsts") }],
  ["wget", { runs: by("e", "use-a exec config"), writes: () => true, ofAnyWord: true }],
  ["rsync", { runs: by("e", "rsh rsync-p") }],
  ["zip", { runs: by("T", "unzip-c test") }],
  ["gdb", { runs: () => true, ofAnyWord: true }],
  ["make", { runs: by("fE", "f makef ev", /^[A-Za-z_.]+[:+?!]*=/), ofAnyWord: true }],
  ["jq", { writes: by("L", "library") }],
  ["yq", { writes: by("i", "in") }],
  ["prettier", { writes: by("w", "write"), runs: by("", "plugin config") }],
  ["eslint", { writes: by("o", "fix output"), runs: by("cf", "conf rulesdir plugin res format parser") }],
  ["gcc", COMPILER],
  ["g++", COMPILER],
  ["cc", COMPILER],
  ["c++", COMPILER],
  ["clang", COMPILER],
]);

/** Options of git that run something else or write a file, of itself and of its commands (git(1) and its pages, 2.51). */
const GIT: Options = {
  runs: by(
    "",
    "config-env exec-path ext textc upl rece exec open pag git-dir work-tree show-sig templ ssh",
    /^(-O|-i?x)/,
  ),
  writes: by("", "outp", /^-o/),
};
/** Commands of git that run what a config or a word of theirs names. */
const GIT_RUNS = /^(bisect|filter-branch|difftool|mergetool|remote-ext)$/;
/** By one of these `git config` only tells. */
const GIT_CONFIG_TELLS = /^(get|list|-l|--list|--get(-.*)?)$/;

/**
 * The first word of a command that makes more of it than its name says; null when the table knows none. A pattern
 * for file names counts for every program in the table, unless it says how they begin: one may be named like an option.
 */
export function hazardOf([program = "", ...words]: readonly string[]): Hazard | null {
  const name = fileNameOf(program).replace(/^g(?=(sed|awk|find|tar|sort|xargs|split|base64|date)$)/, "");
  if (name === "git") return gitHazard(words);
  if (name === "sed") {
    const isScript = sedScripts(words);
    return firstOf(words, (word) => sedDoes(word, isScript));
  }
  if (/^([mn]|original-)?awk$/.test(name)) {
    const isText = awkText(words);
    return firstOf(words, (word) => awkDoes(word, isText));
  }
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
    if (found === "runs") return { word: shown(word), does: found };
    if (found === "writes") writing ??= { word: shown(word), does: found };
  }
  return writing;
}

function shown(word: string): string {
  return isOpaque(word) ? `${word.slice(1)}*` : word;
}

function optionDoes({ runs, writes, ofAnyWord = false }: Options, word: string): Does {
  if (isOpaque(word)) return ofAnyWord || mayBeOption(word) ? (runs === undefined ? "writes" : "runs") : null;
  if (runs?.(word) === true) return "runs";
  return writes?.(word) === true ? "writes" : null;
}

function gitHazard(words: readonly string[]): Hazard | null {
  const own = gitOptions(words);
  const command = words[own.length] ?? "";
  const setting = [...own, command].find(
    (word, at) => isOpaque(word) || (at < own.length && /^-c|^-p$/.test(word)),
  );
  if (setting !== undefined) return { word: shown(setting), does: "runs" };
  const config = /^(clone|init|submodule|fetch|pull|ls-remote)$/.test(command)
    ? words.find((word, at) => at > own.length && /^(-c|-u|--config)/.test(word))
    : undefined;
  if (config !== undefined) return { word: config, does: "runs" };
  const isSet = command === "config" && !words.some((word) => GIT_CONFIG_TELLS.test(word));
  const isEach = command === "submodule" && words.includes("foreach");
  if (isSet || isEach || GIT_RUNS.test(command)) return { word: command, does: "runs" };
  return firstOf(words, (word) => optionDoes(GIT, word));
}

/** `-i` writes; a script may run (`e`), read and write files (`w`, `r`), or lie in a file. */
function sedDoes(word: string, isScript: (word: string) => boolean): Does {
  if (isOpaque(word)) return isScript(word) || mayBeOption(word) ? "runs" : null;
  if (/^(-[a-zA-Z]*i|--i)/.test(word)) return "writes";
  if (/^(-[a-zA-Z]*f|--f)/.test(word)) return "runs";
  if (word.startsWith("-") && !SED_EXPRESSION.test(word)) return null;
  const holdsScript = /^(-[a-zA-Z]*e.|--e[a-z]*=)/.test(word) || isScript(word);
  return holdsScript && !isPlainSed(word.replace(/^(-[a-zA-Z]*e|--e[a-z]*=)/, "")) ? "runs" : null;
}

const SED_EXPRESSION = /^(-[a-zA-Z]*e|--e)/;

/** Tells the scripts: the first word that is no option, unless `-e` brings it; then the word behind that. */
function sedScripts(words: readonly string[]): (word: string) => boolean {
  const places = placesOf(words);
  const hasOption = words.some((one) => SED_EXPRESSION.test(one));
  const first = hasOption ? -1 : words.findIndex((one) => !one.startsWith("-"));
  return (word) => {
    const at = places.get(word) ?? -1;
    return /^(-[a-zA-Z]*e|--e[a-z]*)$/.test(words[at - 1] ?? "") || (at === first && at >= 0);
  };
}

/** Where each word stands first. */
function placesOf(words: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [at, word] of words.entries()) if (!places.has(word)) places.set(word, at);
  return places;
}

/** Which lines a command of sed is for. */
const SED_ADDRESS = /^(\d+|\$|\/[^/\n\\]*\/)?(,(\d+|\$|\+\d+|\/[^/\n\\]*\/))?!?/;
const SED_SEPARATORS = ["/", "|", "#", ",", ":"] as const;

/** A longer script is no plain command. */
const MAX_PLAIN_SED = 1_000;

/** One command of a few that only print, delete or replace: `10,20p`, `/x/d`, `s/a/b/g`. */
function isPlainSed(script: string): boolean {
  if (script.length > MAX_PLAIN_SED) return false;
  const command = script.replace(SED_ADDRESS, "");
  if (/^[pdq=]$/.test(command)) return !mayHaveFlags(script);
  const [, separator, rest = ""] = /^s([/|#,:])([^\n\\]*)$/.exec(command) ?? [];
  if (separator === undefined) return false;
  // The flags stand behind the last one; two more are between the parts.
  const parts = rest.split(separator);
  return parts.length > 2 && /^[gpI\d]*$/.test(parts.at(-1) ?? "")
    ? !mayHaveFlags(script) || isThreeParts(script)
    : false;
}

/** True where some `s` may have a flag that runs something or names a file, wherever it is taken to begin. */
function mayHaveFlags(script: string): boolean {
  return SED_SEPARATORS.some((separator) => {
    const start = script.indexOf(`s${separator}`);
    const [, , , ...flags] = start < 0 ? [] : script.slice(start).split(separator);
    return /[ewrm]/.test(flags.join(separator));
  });
}

/** Exactly three separators, so that what stands behind the third are the flags. */
function isThreeParts(script: string): boolean {
  const found = /s([/|#,:])/.exec(script);
  if (found === null) return true;
  const [start, separator = "/"] = [found.index + 1, found[1]];
  return script.slice(start).split(separator).length === 4;
}

/** A program text that runs, reads or writes anything but its input; or one that lies in a file. */
function awkDoes(word: string, isText: (word: string) => boolean): Does {
  if (isOpaque(word)) return isText(word) || mayBeOption(word) ? "runs" : null;
  if (/^(-[a-zA-Z]*[fEilLDdop]|--(f|e|i|l|pro|dump|de|pr))/.test(word)) return "runs";
  return /system|getline|close|[|>@]|\/(inet|dev|proc)\//.test(word) ? "runs" : null;
}

/** Tells the text: the first word that is no option, and no value of `-F` or `-v`. */
function awkText(words: readonly string[]): (word: string) => boolean {
  const places = placesOf(words);
  const isBefore = (one: string, at: number): boolean =>
    one.startsWith("-") || /^-[Fv]$/.test(words[at - 1] ?? "");
  const text = words.findIndex((one, at) => !isBefore(one, at));
  return (word) => text < 0 || (places.get(word) ?? 0) <= text;
}

/** The second file of `uniq` is written. */
function uniqHazard(words: readonly string[]): Hazard | null {
  const files = words.filter((word) => !word.startsWith("-"));
  const [, output] = files;
  return output === undefined && !files.some(isOpaque) ? null : { word: output ?? "*", does: "writes" };
}
