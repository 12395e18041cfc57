import type { CommandLine } from "../policy/command.ts";
import { answerByMode } from "../policy/verdict.ts";
import type { Outlook } from "./files/outlook.ts";
import { judgeLine } from "./prepare.ts";
import type { Standing } from "./standing.ts";

/** A program that no rule names. */
const ANY = "any-name";

/**
 * What would be decided about a plain command that no rule covers: by the same function that decides calls. Rules of the
 * shell, and those on arguments, may say otherwise for others.
 */
export function shellOutlook(standing: Standing): Outlook {
  const words = [ANY];
  const line: CommandLine = {
    commands: [{ words, programNames: [], programFile: "fixed", arePathsInside: () => true }],
    unread: [],
    shell: null,
  };
  const call = { tool: "shell", input: { argv: words }, use: null, agent: null };
  const { action, reason } = answerByMode(judgeLine(call, line, standing, null), standing.mode, false);
  const rules = standing.config.shell.rules.length;
  if (rules === 0) return { root: "any command", action, reason };
  const others = `${rules} ${rules === 1 ? "rule" : "rules"} may say otherwise`;
  return { root: "a command that no rule covers", action, reason: `${reason}; ${others}` };
}
