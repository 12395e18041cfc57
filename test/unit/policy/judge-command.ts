import { type ApprovalSection, DEFAULT_APPROVAL } from "../../../src/policy/approval-section.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import type { CommandLine, JudgedCommand } from "../../../src/policy/command.ts";
import { type ShellRules, shellSaid } from "../../../src/policy/shell-rules.ts";
import { invocationOf } from "../../../src/policy/tool-rule.ts";
import { judge, type Rules, type Verdict } from "../../../src/policy/verdict.ts";

/**
 * A command as the shell tool has it judged, without words a script that nobody understands; under another name a tool that
 * says the same of itself.
 */
export interface Judged extends Omit<JudgedCommand, "words"> {
  readonly words: readonly string[] | null;
  readonly tool: string;
  readonly needsMore: string | null;
  /** What the tool is called with, where a rule looks at it. */
  readonly input?: Json;
}

/** The rules in force, those of the shell tool among them. */
export interface AllRules extends Rules {
  readonly shell: ShellRules;
}

/** An `approval:` section of which only some is written. */
export function approvalOf(written: Partial<ApprovalSection> = {}): ApprovalSection {
  return { ...DEFAULT_APPROVAL, ...written };
}

/** A command of the shell tool that names nothing outside of its roots. */
export function judged(words: readonly string[] | null, more: Partial<Judged> = {}): Judged {
  return {
    tool: "shell",
    words,
    programNames: [(words?.[0] ?? "").replace(/.*\//, "")],
    programFile: "fixed",
    arePathsInside: () => true,
    gains: null,
    needsMore: null,
    ...more,
  };
}

/** The verdict on a command line. */
export function judgeCommand(
  { tool, needsMore, input = {}, words, ...command }: Judged,
  { shell, ...rules }: AllRules,
): Verdict {
  const line: CommandLine =
    words === null
      ? { commands: [], touches: [], gains: null, unread: ["it is a secret"], shell: ["bash", "-c", "…"] }
      : { commands: [{ ...command, words }], touches: [], gains: null, unread: [], shell: null };
  const subject = {
    ...invocationOf(tool, input, null),
    risk: "write",
    said: shellSaid(line, shell),
    line: tool === "shell" ? line : null,
    needsMore,
  } as const;
  return judge(subject, rules);
}
