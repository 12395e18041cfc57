import type { Values } from "../help/command-help.ts";
import { type CommandChoice, commandChoices, inQuotes, OWN_OPTIONS } from "./place.ts";

/** The completion script for fish 3 or newer. `__cofferdam_at` compares the words so far, without options. */
export function fishScript(profiles: readonly string[]): string {
  const commands = commandChoices();
  const taking = commands.flatMap(({ options }) =>
    options.flatMap(({ word, takes }) => (takes === null ? [] : [word])),
  );
  return `# fish completion for cofferdam

# True where the words so far begin with these; with -x also where there are no others.
function __cofferdam_at
    set -l exact 0
    if test "$argv[1]" = -x
        set exact 1
        set -e argv[1]
    end
    set -l words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if test "$word" = --
            return 1
        else if contains -- "$word" ${[...new Set(taking)].join(" ")}
            set skip 1
        else if not string match -q -- '-*' "$word"
            set -a words $word
        end
    end
    if test $exact = 1; and test (count $words) != (count $argv)
        return 1
    end
    for at in (seq (count $argv))
        test "$words[$at]" = "$argv[$at]"; or return 1
    end
    return 0
end

# True after --: the words there belong to another program.
function __cofferdam_after_dashes
    contains -- -- (commandline -opc)
end

complete -c cofferdam -f
complete -c cofferdam -n __cofferdam_after_dashes -F
${OWN_OPTIONS.map(({ word, does }) => `complete -c cofferdam -n '__cofferdam_at -x' -l ${word.slice(2)} -d ${inQuotes(does)}`).join("\n")}
${commands.map(({ word, does }) => `complete -c cofferdam -n '__cofferdam_at -x' -a ${word} -d ${inQuotes(does)}`).join("\n")}
${commands.flatMap((one) => linesFor(one, profiles)).join("\n")}`;
}

function linesFor(
  { word, options, actions, words }: CommandChoice,
  profiles: readonly string[],
): readonly string[] {
  const at = (place: string): string => `complete -c cofferdam -n ${inQuotes(place)}`;
  return [
    ...options.map(({ word: option, does, takes }) => {
      const value = takes === null ? "" : ` ${values(takes, profiles, "-r", "-x")}`;
      return `${at(`__cofferdam_at ${word}`)} -l ${option.slice(2)}${value} -d ${inQuotes(does)}`;
    }),
    ...actions.flatMap(({ word: action, does, value }) => [
      `${at(`__cofferdam_at -x ${word}`)} -a ${action} -d ${inQuotes(does)}`,
      ...(value === null
        ? []
        : [`${at(`__cofferdam_at ${word} ${action}`)} ${values(value, profiles, "-F", "")}`]),
    ]),
    ...(words === null ? [] : [`${at(`__cofferdam_at ${word}`)} ${values(words, profiles, "-F", "")}`]),
  ];
}

/** The options of `complete` for values: `files` if file names are among them, else `others`. */
function values(takes: Values | "any", profiles: readonly string[], files: string, others: string): string {
  if (takes === "file") return `${files}${files === "-r" ? "F" : ""}`;
  if (takes === "profile") return `${files}${files === "-r" ? "F" : ""} -a ${inQuotes(profiles.join(" "))}`;
  return takes === "any" ? others : `${others} -a ${inQuotes(takes.join(" "))}`.trim();
}
