import { ERRORS } from "../../../src/errors.ts";
import { code, page, table } from "./markdown.ts";

/** The page about error codes and exit codes. */
export function errorsPage(): string {
  const all = Object.entries(ERRORS).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const byExit = Map.groupBy(all, ([, { exit }]) => exit);
  const exits = [...byExit].toSorted(([a], [b]) => a - b);
  return page(
    "Exit codes and error codes",
    "Codes are stable: match on them, never on the text of a message. The command line prints `cofferdam: MESSAGE` and, on the next lines, where it happened and what to do.",
    "## Error codes",
    table(
      ["code", "when", "exit code", "HTTP status"],
      all.map(([name, { when, exit, http }]) => [
        code(name),
        `${when.charAt(0).toUpperCase()}${when.slice(1)}.`,
        String(exit),
        String(http),
      ]),
    ),
    "## Exit codes",
    "`cofferdam run` exits with the exit code of the command, and with 128 and the number of the signal that ended it.",
    table(
      ["exit code", "error codes"],
      [
        ["0", "none: it worked"],
        ...exits.map(([exit, rows]) => [String(exit), rows.map(([name]) => code(name)).join(", ")]),
      ],
    ),
  );
}
