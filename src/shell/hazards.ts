import { gitOptions } from "./past-options.ts";
import { fileNameOf } from "./rule.ts";
import { mayBeOption } from "./unread.ts";
import { isOpaque, OPAQUE } from "./word.ts";

/** A word by which a harmless looking command does more: it runs a program, or writes or removes files. */
export interface Hazard {
  readonly word: string;
  readonly does: "runs" | "writes";
}

type Test = ((word: string) => boolean) & { readonly words: readonly string[] };

interface Options {
  readonly runs?: Test;
  readonly writes?: Test;
  /** True if a word that looks like no option counts. */
  readonly ofAnyWord?: boolean;
}

const HARMLESS: ReadonlySet<string> = new Set([
  "--checkpoint",
  "--cookie",
  "--exec-path",
  "--strip",
  "--text",
]);

/** Options: one of the letters, also in a group, or a prefix of a long one, as getopt_long(3) accepts it. */
function by(letters: string, long = "", also?: RegExp): Test {
  const short = letters === "" ? null : new RegExp(`^-[a-zA-Z]*[${letters}]`);
  const beginnings = long.split(" ").filter((one) => one !== "");
  const words = [...letters].map((letter) => `-${letter}`);
  words.push(...beginnings.map((one) => `--${one}…`), ...(also === undefined ? [] : [String(also)]));
  const test = (word: string): boolean => {
    if (short?.test(word) === true || also?.test(word) === true) return true;
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name === undefined || HARMLESS.has(word)) return false;
    return beginnings.some((one) => name.startsWith(one) || one.startsWith(name));
  };
  return Object.assign(test, { words });
}

const EVERY_WORD: Test = Object.assign(() => true, { words: ["every word"] });

const EDITOR: Options = { runs: by("cSsu", "cmd", /^\+/) };
const COMPILER: Options = { runs: by("", "", /^(-(wrapper|B|specs|fplugin)|@)/), writes: by("o") };

/**
 * Options of common programs by their manuals of 2025. The table is a help, not a boundary: a program that it misses
 * still runs in the sandbox.
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
  ["wget", { runs: by("e", "use-a exec config"), writes: EVERY_WORD, ofAnyWord: true }],
  ["rsync", { runs: by("e", "rsh rsync-p") }],
  ["zip", { runs: by("T", "unzip-c test") }],
  ["gdb", { runs: EVERY_WORD, ofAnyWord: true }],
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

/** Options of git and its commands that run other programs or write a file (git(1) and its pages, 2.51). */
const GIT: Options = {
  runs: by(
    "",
    "config-env exec-path ext textc upl rece exec open pag git-dir work-tree show-sig templ ssh",
    /^(-O|-i?x)/,
  ),
  writes: by("", "outp", /^-o/),
};
/** Commands of git that run programs named by a config or a word. */
const GIT_RUNS = /^(bisect|filter-branch|difftool|mergetool|remote-ext|send-email)$/;
/** Short options of its commands by which they do, also in a group: `rebase -qx 'make'`, `clone -qu ./x`. */
const GIT_GROUPS: ReadonlyMap<string, RegExp> = new Map([
  ["rebase", /^-[a-zA-Z]*x/],
  ["clone", /^-[a-zA-Z]*[cu]/],
]);
const GIT_CONFIG_TELLS = /^(get|list|-l|--list|--get(-.*)?)$/;

/** The table, for the reference page: words by which a program runs others, and by which it writes or removes files. */
export function hazardTable() {
  return [...TABLE, ["git", GIT] as const].map(([program, { runs, writes }]) => ({
    program,
    runs: runs?.words ?? [],
    writes: writes?.words ?? [],
  }));
}

/**
 * The first word by which a command does more than its name says; null if the table knows none. A pattern for file
 * names counts for every program in the table, unless it begins with fixed text: a file may be named like an option.
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

function tarWords([first = "", ...rest]: readonly string[]): readonly string[] {
  return [isOpaque(first) ? OPAQUE : first.startsWith("-") ? first : `-${first}`, ...rest];
}

type Does = Hazard["does"] | null;

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
  const group = GIT_GROUPS.get(command);
  const grouped = words.find((word, at) => at > own.length && group?.test(word) === true);
  if (grouped !== undefined) return { word: grouped, does: "runs" };
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

/** Tests for the scripts: the first word that is no option, unless `-e` gives it; then the word after that. */
function sedScripts(words: readonly string[]): (word: string) => boolean {
  const places = placesOf(words);
  const hasOption = words.some((one) => SED_EXPRESSION.test(one));
  const first = hasOption ? -1 : words.findIndex((one) => !one.startsWith("-"));
  return (word) => {
    const at = places.get(word) ?? -1;
    return /^(-[a-zA-Z]*e|--e[a-z]*)$/.test(words[at - 1] ?? "") || (at === first && at >= 0);
  };
}

function placesOf(words: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [at, word] of words.entries()) if (!places.has(word)) places.set(word, at);
  return places;
}

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
  // The flags are after the last separator; two more are between the parts.
  const parts = rest.split(separator);
  return parts.length > 2 && /^[gpI\d]*$/.test(parts.at(-1) ?? "")
    ? !mayHaveFlags(script) || isThreeParts(script)
    : false;
}

/** True if some `s` may have a flag that runs something or names a file, wherever it may begin. */
function mayHaveFlags(script: string): boolean {
  return SED_SEPARATORS.some((separator) => {
    const start = script.indexOf(`s${separator}`);
    const [, , , ...flags] = start < 0 ? [] : script.slice(start).split(separator);
    return /[ewrm]/.test(flags.join(separator));
  });
}

/** True for exactly three separators, so that the text after the third is the flags. */
function isThreeParts(script: string): boolean {
  const found = /s([/|#,:])/.exec(script);
  if (found === null) return true;
  const [start, separator = "/"] = [found.index + 1, found[1]];
  return script.slice(start).split(separator).length === 4;
}

/** True for a program text that runs, reads or writes anything but its input, or that is in a file. */
function awkDoes(word: string, isText: (word: string) => boolean): Does {
  if (isOpaque(word)) return isText(word) || mayBeOption(word) ? "runs" : null;
  if (/^(-[a-zA-Z]*[fEilLDdop]|--(f|e|i|l|pro|dump|de|pr))/.test(word)) return "runs";
  return /system|getline|close|[|>@]|\/(inet|dev|proc)\//.test(word) ? "runs" : null;
}

/** Tests for the program text: the first word that is no option, and no value of `-F` or `-v`. */
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
