import type { Values } from "../help/command-help.ts";
import { type CommandChoice, commandChoices, inQuotes, OWN_OPTIONS } from "./place.ts";

/** The completion script for bash 3.2 or newer. If `_cofferdam` sets no COMPREPLY, bash completes file names. */
export function bashScript(profiles: readonly string[]): string {
  const commands = commandChoices();
  return `# bash completion for cofferdam
_cofferdam() {
  COMPREPLY=()
  local cur=\${COMP_WORDS[COMP_CWORD]} prev= command= action= at=1 word

  # bash makes "--format=json" three words.
  if [ "$cur" = = ]; then
    cur=
    prev=\${COMP_WORDS[COMP_CWORD-1]}
  elif [ "$COMP_CWORD" -gt 1 ] && [ "\${COMP_WORDS[COMP_CWORD-1]}" = = ]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  else
    prev=\${COMP_WORDS[COMP_CWORD-1]}
  fi

  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[at]}
    case $word in
      --) return ;;
      -* | =) ;;
      *)
        if [ -z "$command" ]; then
          command=$word
        elif [ -z "$action" ] && ! _cofferdam_takes_value "$command" "\${COMP_WORDS[at-1]}"; then
          action=$word
        fi
        ;;
    esac
    at=$((at + 1))
  done

  case $command:$prev in
${valueCases(commands)}
  esac

  case $cur in
    -*)
      case $command in
        '') _cofferdam_words ${inQuotes(OWN_OPTIONS.map(({ word }) => word).join(" "))} ;;
${commands.map(({ word, options }) => `        ${word}) _cofferdam_words ${inQuotes(options.map((one) => one.word).join(" "))} ;;`).join("\n")}
      esac
      return
      ;;
  esac

  case $command:$action in
    :) _cofferdam_words ${inQuotes(commands.map(({ word }) => word).join(" "))} ;;
${commands.flatMap(wordCases).join("\n")}
  esac
}

# Offers the words of a list that begin with the current word.
_cofferdam_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
  if [ "\${#COMPREPLY[@]}" -eq 0 ]; then _cofferdam_nothing; fi
}

# Offers names of profiles; bash adds names of files where none matches.
_cofferdam_profiles() {
  COMPREPLY=($(compgen -W ${inQuotes(profiles.join(" "))} -- "$cur"))
}

# Keeps bash from offering names of files.
_cofferdam_nothing() {
  compopt +o default +o bashdefault 2>/dev/null || true
}

# True for an option that takes the next word as its value.
_cofferdam_takes_value() {
  case $1:$2 in
${takingPattern(commands)}
  esac
  return 1
}

complete -o bashdefault -o default -F _cofferdam cofferdam`;
}

function valueCases(commands: readonly CommandChoice[]): string {
  return commands
    .flatMap(({ word, options }) =>
      options.flatMap(({ word: option, takes }) =>
        takes === null ? [] : [`    ${word}:${option}) ${offer(takes)}; return ;;`],
      ),
    )
    .join("\n");
}

function takingPattern(commands: readonly CommandChoice[]): string {
  const taking = commands.flatMap(({ word, options }) =>
    options.flatMap((option) => (option.takes === null ? [] : [`${word}:${option.word}`])),
  );
  return `    ${taking.join(" | ")}) return 0 ;;`;
}

function wordCases({ word, actions, words }: CommandChoice): readonly string[] {
  if (actions.length === 0) return [`    ${word}:*) ${offer(words ?? "any")} ;;`];
  return [
    `    ${word}:) _cofferdam_words ${inQuotes(actions.map((one) => one.word).join(" "))} ;;`,
    ...actions.map(({ word: action, value }) => `    ${word}:${action}) ${offer(value ?? "any")} ;;`),
  ];
}

function offer(values: Values | "any"): string {
  if (values === "file") return ":";
  if (values === "profile") return "_cofferdam_profiles";
  if (values === "any") return "_cofferdam_nothing";
  return `_cofferdam_words ${inQuotes(values.join(" "))}`;
}
