import { type ParseArgsConfig, parseArgs } from "node:util";
import { CofferdamError, visible } from "../errors.ts";
import { suggestion } from "../policy/nearest.ts";

/** The options of one command, as `parseArgs` takes them. */
export type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options that every command has. */
export const COMMON = {
  config: { type: "string" },
  profile: { type: "string", multiple: true },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

/** The options and words of a command. Throws `USAGE` for an unknown or repeated one, and for a wrong value. */
export function readArguments<const Given extends Options>(
  command: string,
  args: readonly string[],
  options: Given,
) {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const problem =
      problemOf(token, options) ??
      (seen.has(token.name) && options[token.name]?.multiple !== true ? TWICE : null);
    if (problem !== null) throw refused(command, token.rawName, problem, Object.keys(options));
    seen.add(token.name);
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    options,
    strict: true,
    allowPositionals: true,
  });
  return { values, positionals };
}

/** The config and the further profiles that the caller names. */
export function chosen(values: {
  readonly config?: string | undefined;
  readonly profile?: readonly string[] | undefined;
}): {
  readonly config?: string;
  readonly profiles?: readonly string[];
} {
  const { config, profile } = values;
  return {
    ...(config === undefined ? {} : { config }),
    ...(profile === undefined ? {} : { profiles: profile }),
  };
}

/** The words of a command after its options. Throws `USAGE` if one is missing or unexpected. */
export function parseWords(
  command: string,
  words: readonly string[],
  names: readonly string[],
  atLeast = names.length,
): void {
  const extra = words[names.length];
  if (extra !== undefined) throw usage(command, `unexpected argument ${visible(extra)}`);
  if (words.length < atLeast)
    throw usage(command, `\`${command}\` needs ${names.slice(words.length, atLeast).join(" and ")}`);
}

/** A `USAGE` error: what was found, and where to look. */
export function usage(
  command: string,
  message: string,
  hint = `run \`cofferdam ${command} --help\``,
): CofferdamError {
  return new CofferdamError("USAGE", message, { hint });
}

/** One of the known words. Throws `USAGE` with the nearest one. */
export function knownWord<const Word extends string>(
  command: string,
  what: string,
  word: string,
  known: readonly Word[],
  more = "",
): Word {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  throw usage(
    command,
    `unknown ${what} ${visible(word)}`,
    suggestion(word, known) ?? `use one of: ${known.join(", ")}${more}`,
  );
}

type Problem = "unknown" | "needs a value" | "takes no value" | "is given twice";
const TWICE: Problem = "is given twice";

function problemOf(
  token: {
    readonly name: string;
    readonly value: string | undefined;
    readonly inlineValue: boolean | undefined;
  },
  options: Options,
): Problem | null {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (option === undefined) return "unknown";
  if (option.type === "boolean") return token.value === undefined ? null : "takes no value";
  const isMissing = token.value === undefined || (token.inlineValue !== true && token.value.startsWith("-"));
  return isMissing ? "needs a value" : null;
}

function refused(command: string, raw: string, problem: Problem, known: readonly string[]): CofferdamError {
  if (problem !== "unknown") return usage(command, `option ${visible(raw)} ${problem}`);
  const near = suggestion(raw.replace(/^-+/, ""), known, "--");
  return usage(command, `unknown option ${visible(raw)}`, near ?? `run \`cofferdam ${command} --help\``);
}
