/** The words that a shell completes in one place: a fixed list, file names, or names of profiles and files. */
export type Values = readonly string[] | "file" | "profile";

/** A row of a help text: an option or an action as it is typed, its description, and the values of its argument. */
export type HelpRow = readonly [term: string, does: string, values?: Values];

/** The headings of `cofferdam --help`, in their order. */
export const COMMAND_GROUPS = ["Set up", "Run", "Approve", "Inspect", "This machine", "Help"] as const;

/** The help of one command, for its help text and shell completions. */
export interface CommandHelp {
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** One sentence without a full stop, in the imperative: `run one command in the sandbox`. */
  readonly purpose: string;
  /** One line, or one for each form, without the program's name: `run [OPTIONS] -- COMMAND [ARGUMENT...]`. */
  readonly usage: string | readonly string[];
  /** Paragraphs below the purpose. */
  readonly notes?: readonly string[];
  /** The first word after the command, if it is one of a few. The values are those of the next word. */
  readonly actions?: readonly HelpRow[];
  /** Values of the words after the command, if there are no actions. */
  readonly words?: Values;
  /** Options by heading. `--help` is added to the last one. */
  readonly options: Readonly<Record<string, readonly HelpRow[]>>;
  readonly examples: readonly string[];
}

const CONFIG: HelpRow = ["--config FILE", "use this config, not the nearest trusted one", "file"];

/** The options of the heading "Config", which most commands take. */
export const CONFIG_OPTIONS: readonly HelpRow[] = [
  CONFIG,
  ["--profile NAME", "also apply this profile: a shipped name or a file; repeatable", "profile"],
];

/** The same for a command that takes no profile. */
export const CONFIG_ONLY: readonly HelpRow[] = [CONFIG];

/** `--json`, for a result that is one JSON value. */
export const JSON_OPTION: HelpRow = ["--json", "print the result as JSON"];

/** `--quiet`, for commands that first print which config applies. */
export const QUIET_OPTION: HelpRow = ["--quiet", "do not print which config applies"];

/** An option of every command. */
export const HELP_OPTION: HelpRow = ["--help", "show this help"];
