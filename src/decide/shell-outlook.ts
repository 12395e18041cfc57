import type { CommandLine } from "../policy/command.ts";
import { answerByMode } from "../policy/verdict.ts";
import type { CallPolicy } from "./call-policy.ts";
import { gainedAccess } from "./gained-access.ts";
import { judgeLine } from "./judge-line.ts";
import type { Outlook } from "./outlook.ts";

/** A program that no rule names. */
const ANY = "any-name";

/** The expected decision on a plain command that no rule covers; shell rules and rules on arguments may differ. */
export function shellOutlook(policy: CallPolicy): Outlook {
  const words = [ANY];
  const line: CommandLine = {
    commands: [{ words, programNames: [], programFile: "fixed", arePathsInside: () => true, gains: null }],
    touches: [],
    gains: null,
    unread: [],
    shell: null,
  };
  const call = { tool: "shell", input: { argv: words }, use: null, agent: null };
  const { action, reason } = answerByMode(judgeLine(call, line, policy, null), policy.mode, false);
  const asksForAccess =
    action === "allow" && mayAskForAccess(policy) ? ({ asksForAccess: true } as const) : {};
  const rules = policy.config.shell.rules.length;
  if (rules === 0) return { root: "any command", action, reason, ...asksForAccess };
  const others = `${rules} ${rules === 1 ? "rule" : "rules"} may say otherwise`;
  return {
    root: "a command that no rule covers",
    action,
    reason: `${reason}; ${others}`,
    ...asksForAccess,
  };
}

function mayAskForAccess({ config, mode, withoutApproval, withApproval }: CallPolicy): boolean {
  if (config.shell.default.approval !== "beyond" || mode === "approve_all") return false;
  return gainedAccess(withoutApproval.profile, withApproval.profile) !== null;
}
