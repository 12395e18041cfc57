import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { orNull } from "../../or-null.ts";
import type { RunningProcess } from "../running-process.ts";

/** An option that this Node was started with, and its value. */
export interface NodeOption {
  readonly name: string;
  readonly value: string;
}

type Started = Pick<RunningProcess, "execArgv" | "env" | "cwd">;

const ALIASES: Readonly<Record<string, string>> = { "-r": "--require", "--loader": "--experimental-loader" };
const CONFIG_FILE = "--experimental-config-file";
const DEFAULT_CONFIG_FILE = "--experimental-default-config-file";
const DEFAULT_CONFIG = "node.config.json";

/**
 * The options of this process's Node: of the command line, of `NODE_OPTIONS`, and of the config file that these name
 * (https://nodejs.org/api/cli.html#--experimental-config-fileconfig). An option without a value gets the next word.
 */
export function nodeOptions({ execArgv, env, cwd }: Started): readonly NodeOption[] {
  const words = [...execArgv, ...wordsOf(env["NODE_OPTIONS"] ?? "")];
  const options = words.flatMap((word, at) => optionOf(word, words[at + 1] ?? ""));
  const configs = options.filter(({ name }) => name === CONFIG_FILE).map(({ value }) => value);
  return [...options, ...configs.flatMap((file) => optionsIn(posix.resolve(cwd, file)))];
}

/** Node takes `_` for `-` in the name of an option. */
function optionOf(word: string, next: string): readonly NodeOption[] {
  const [, written = "", given] = /^(-[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (written === "") return [];
  const name = written.startsWith("--") ? `--${written.slice(2).replaceAll("_", "-")}` : written;
  if (name === DEFAULT_CONFIG_FILE) return [{ name: CONFIG_FILE, value: DEFAULT_CONFIG }];
  const option = { name: ALIASES[name] ?? name, value: given ?? next };
  // Later versions of Node take the usual file if no `=` follows, earlier ones the next word.
  return name === CONFIG_FILE && given === undefined ? [option, { name, value: DEFAULT_CONFIG }] : [option];
}

/** The options in a config file, for any part of Node. A file that can't be read keeps Node from starting. */
function optionsIn(file: string): readonly NodeOption[] {
  const config = orNull((): unknown => JSON.parse(readFileSync(file, "utf8")));
  if (config === null) return [];
  return entriesOf(config)
    .flatMap(([, section]) => entriesOf(section))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((one: unknown) => typeof one === "string")
        .flatMap((one: string) => optionOf(`--${name}=${one}`, "")),
    );
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Words as Node splits `NODE_OPTIONS`: at spaces outside double quotes; a backslash takes one character as it is. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^ "]|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, "$1")),
  );
}
