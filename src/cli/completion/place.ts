import type { Values } from "../help/command-help.ts";
import { TOPIC_NAMES } from "../help/topics.ts";
import { COMMAND_NAMES, commandHelp, optionGroups } from "../help.ts";

/** A word that a shell offers, with its description. */
export interface Choice {
  readonly word: string;
  readonly does: string;
}

/** An option of a command. `takes` is null for no value, and `any` for a value that shells cannot complete. */
export interface OptionChoice extends Choice {
  readonly takes: Values | "any" | null;
  readonly isRepeatable: boolean;
}

/** One command as shells complete it. */
export interface CommandChoice extends Choice {
  readonly options: readonly OptionChoice[];
  /** The first words after the command, and the values of the words after each. */
  readonly actions: readonly (Choice & { readonly value: Values | null })[];
  /** Values of all words, if there are no actions. */
  readonly words: Values | null;
}

/** Every command with its options and words. */
export function commandChoices(): readonly CommandChoice[] {
  return COMMAND_NAMES.map((name) => {
    const { purpose, actions = [], words = null } = commandHelp(name);
    return {
      word: name,
      does: purpose,
      options: optionGroups(name).flatMap(([, rows]) =>
        rows.map(([term, does, values]) => {
          const [word = "", value] = term.split(" ");
          const isRepeatable = does.endsWith("; repeatable");
          return { word, does, takes: value === undefined ? null : (values ?? "any"), isRepeatable };
        }),
      ),
      actions: actions.map(([term, does, value = null]) => ({ word: term.split(" ")[0] ?? "", does, value })),
      words: name === "help" ? [...new Set([...COMMAND_NAMES, ...TOPIC_NAMES])] : words,
    };
  });
}

/** The options before a command. */
export const OWN_OPTIONS: readonly Choice[] = [
  { word: "--help", does: "show this help" },
  { word: "--version", does: "print the version" },
];

/** A text as one word of a POSIX shell. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
