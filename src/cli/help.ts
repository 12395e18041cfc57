import { APPROVAL_COMMANDS } from "./help/approval-commands.ts";
import { COMMAND_GROUPS, type CommandHelp, HELP_OPTION, type HelpRow } from "./help/command-help.ts";
import { INSPECT_COMMANDS } from "./help/inspect-commands.ts";
import { MACHINE_COMMANDS } from "./help/machine-commands.ts";
import { RUN_COMMANDS } from "./help/run-commands.ts";
import { SETUP_COMMANDS } from "./help/setup-commands.ts";
import { rowLines, widest, wrapped } from "./help/wrap.ts";

/** Every command with its help. Help texts and shell completions are made from this table. */
export const COMMANDS = {
  ...SETUP_COMMANDS,
  ...RUN_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...INSPECT_COMMANDS,
  ...MACHINE_COMMANDS,
} as const;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS).filter(isCommand);

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

export function commandHelp(name: CommandName): CommandHelp {
  return COMMANDS[name];
}

/** The options of one command by heading, with `--help`. */
export function optionGroups(
  name: CommandName,
): readonly (readonly [heading: string, rows: readonly HelpRow[]])[] {
  const groups = Object.entries(commandHelp(name).options);
  return groups.map(([heading, rows], at) => [
    heading,
    at === groups.length - 1 ? [...rows, HELP_OPTION] : rows,
  ]);
}

/** The text of `cofferdam --help`. */
export function overview(): string {
  const width = widest(COMMAND_NAMES);
  const groups = COMMAND_GROUPS.flatMap((group) => {
    const names = COMMAND_NAMES.filter((name) => COMMANDS[name].group === group);
    const rows = names.map((name) => [name, COMMANDS[name].purpose] as const);
    return ["", `${group}:`, ...rowLines(rows, width)];
  });
  return [
    "usage: cofferdam COMMAND [OPTIONS]",
    "",
    "Run the tools of an AI agent in a sandbox, and ask before risky calls.",
    ...groups,
    "",
    "Options:",
    ...rowLines(
      [
        ["--help", "show this help; after a command, the help of that command"],
        ["--version", "print the version"],
      ],
      width,
    ),
    "",
    "Examples:",
    "  cofferdam init && cofferdam trust",
    "  cofferdam run -- ls",
    "  cofferdam help troubleshooting",
  ].join("\n");
}

/** The text of one command's `--help`. */
export function helpFor(name: CommandName): string {
  const { usage, purpose, notes = [], actions = [], examples } = commandHelp(name);
  const options = optionGroups(name);
  const all = [...actions, ...options.flatMap(([, rows]) => rows)];
  const width = widest(all.map(([term]) => term));
  const part = (heading: string, rows: readonly HelpRow[]): readonly string[] =>
    rows.length === 0
      ? []
      : [
          "",
          `${heading}:`,
          ...rowLines(
            rows.map(([term, does, values]) => [term, `${does}${listed(term, values)}`]),
            width,
          ),
        ];
  return [
    ...[usage].flat().map((form, at) => `${at === 0 ? "usage:" : "      "} cofferdam ${form}`),
    "",
    `${purpose.slice(0, 1).toUpperCase()}${purpose.slice(1)}.`,
    ...notes.flatMap((note) => ["", ...wrapped(note)]),
    ...part(name === "explain" ? "Access" : "Actions", actions),
    ...options.flatMap(([heading, rows]) => part(heading, rows)),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

/** The values that stand for the argument of a row. */
function listed(term: string, values: HelpRow[2]): string {
  return / [A-Z]+$/.test(term) && typeof values === "object" ? `: ${values.join(", ")}` : "";
}
