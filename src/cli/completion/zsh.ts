import type { Values } from "../help/command-help.ts";
import {
  type Choice,
  type CommandChoice,
  commandChoices,
  inQuotes,
  type OptionChoice,
  OWN_OPTIONS,
} from "./place.ts";

/** The completion script for zsh 5 or newer: a file in `$fpath`, or code to source. Completes file names after `--`. */
export function zshScript(profiles: readonly string[]): string {
  const commands = commandChoices();
  return `#compdef cofferdam
# zsh completion for cofferdam
_cofferdam() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C -A '-*' \\
${OWN_OPTIONS.map(({ word, does }) => `    ${inQuotes(`(- : *)${word}[${inBrackets(does)}]`)} \\`).join("\n")}
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command)
      local -a subcommands=(
${commands.map((one) => `        ${described(one)}`).join("\n")}
      )
      _describe -t commands command subcommands
      ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join("\n")}
      esac
      ;;
  esac
}

_cofferdam_profiles() {
  local -a profiles=(${profiles.map(inQuotes).join(" ")})
  _alternative 'profiles:profile:($profiles)' 'files:file:_files'
}

if [ "$funcstack[1]" = _cofferdam ]; then
  _cofferdam "$@"
elif (( $+functions[compdef] )); then
  compdef _cofferdam cofferdam
else
  autoload -Uz compinit && compinit && compdef _cofferdam cofferdam
fi`;
}

function commandCase({ word, options, actions, words }: CommandChoice): string {
  const specs = options.map(optionSpec);
  const rest = word === "run" || word === "mcp" ? ["'*::file:_files'"] : restSpecs(actions, words);
  const nested =
    actions.length === 0
      ? ""
      : `
          case $state in
            action)
              local -a actions=(
${actions.map((one) => `                ${described(one)}`).join("\n")}
              )
              _describe -t actions action actions
              ;;
            value)
              case $line[1] in
${actions.map((one) => `                ${one.word}) ${run(one.value)} ;;`).join("\n")}
              esac
              ;;
          esac`;
  return `        ${word})
          _arguments -C -S \\
${[...specs, ...rest].map((spec) => `            ${spec}`).join(" \\\n")}${nested}
          ;;`;
}

function restSpecs(actions: CommandChoice["actions"], words: Values | null): readonly string[] {
  if (actions.length > 0) return ["'1:action:->action'", "'*:value:->value'"];
  return words === null ? [] : [inQuotes(`*:word:${action(words)}`)];
}

function optionSpec({ word, does, takes, isRepeatable }: OptionChoice): string {
  const value = takes === null ? "" : `:value:${action(takes)}`;
  return inQuotes(
    `${isRepeatable ? "*" : ""}${word}${takes === null ? "" : "="}[${inBrackets(does)}]${value}`,
  );
}

/** The action of `_arguments` for a value. */
function action(values: Values | "any"): string {
  if (values === "file") return "_files";
  if (values === "profile") return "_cofferdam_profiles";
  return values === "any" ? " " : `(${values.join(" ")})`;
}

function run(values: Values | null): string {
  if (values === null) return "_message 'no more completions'";
  if (typeof values === "string") return action(values);
  return `local -a values=(${values.map(inQuotes).join(" ")}); compadd -a values`;
}

function described({ word, does }: Choice): string {
  return inQuotes(`${word}:${does.replaceAll(":", "\\:")}`);
}

function inBrackets(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`);
}
