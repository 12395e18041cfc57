import { COMMAND_NAMES, commandHelp, helpFor, overview } from "../../../src/cli/help.ts";
import { page } from "./markdown.ts";

/** The page about the command line: the output of `--help`. */
export function cliPage(): string {
  const commands = COMMAND_NAMES.flatMap((name) => [
    `## ${name}`,
    sentence(commandHelp(name).purpose),
    block(helpFor(name)),
  ]);
  return page(
    "Command line",
    "The output of `cofferdam --help` and `cofferdam COMMAND --help`. [Error codes](errors.md) lists the exit codes.",
    block(overview()),
    ...commands,
  );
}

function block(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
