import { NO_OPERATOR, type OperatorRule } from "../../../src/policy/approval-section.ts";
import type { CommandLine } from "../../../src/policy/command.ts";
import type { ShellDefault } from "../../../src/policy/shell-hits.ts";
import { shellSaid } from "../../../src/policy/shell-rules.ts";
import { invocationOf } from "../../../src/policy/tool-rule.ts";
import { judge, type Verdict } from "../../../src/policy/verdict.ts";
import { type ParsedLine, parseLine } from "../../../src/shell/parse.ts";
import { fileNameOf, type RuleDoubt, ShellRule } from "../../../src/shell/rule.ts";
import { approvalOf } from "../../unit/policy/judge-command.ts";

/** Rules as they are written; what none covers is asked about, unless `default` says otherwise. */
export interface LineRules {
  readonly rules?: readonly unknown[];
  readonly operator?: readonly OperatorRule[];
  readonly order?: "first-match" | "strictest";
  readonly default?: ShellDefault;
  /** The access that approval would add and any command may use, in words. */
  readonly gains?: string;
  /** The `doubt` of rules that have none. */
  readonly doubt?: RuleDoubt;
  /** A rule for the whole shell tool lets everything pass. */
  readonly isToolAllowed?: boolean;
}

/** The verdict on a line of bash on a machine where every program is what its name says. */
export function judgeLine(line: string, given: LineRules): Verdict {
  return judgeParsed(line, parseLine(line), given);
}

/** The same for a line that is read already. */
export function judgeParsed(line: string, parsed: ParsedLine, given: LineRules): Verdict {
  return judgeTaken(
    {
      commands: parsed.commands.map(({ words }) => commandOf(words, given.gains)),
      touches: parsed.touches,
      gains: given.gains ?? null,
      unread: parsed.unread,
      shell: parsed.plain === null ? ["bash", "--noprofile", "--norc", "-c", line] : null,
    },
    given,
  );
}

/** The same for words that are run without a shell. */
export function judgeWords(words: readonly string[], given: LineRules): Verdict {
  return judgeTaken(
    {
      commands: [commandOf(words, given.gains)],
      touches: [],
      gains: given.gains ?? null,
      unread: [],
      shell: null,
    },
    given,
  );
}

function commandOf(words: readonly string[], gains: string | null = null): CommandLine["commands"][number] {
  return {
    words,
    programNames: [fileNameOf(words[0] ?? "")],
    programFile: "fixed",
    arePathsInside: () => true,
    gains,
  };
}

function judgeTaken(line: CommandLine, given: LineRules): Verdict {
  const shell = {
    rules: (given.rules ?? []).map((rule) => ShellRule.parse(rule)),
    order: given.order ?? "first-match",
    default: given.default ?? { allowed: true, approval: true },
  } as const;
  const subject = {
    ...invocationOf("shell", {}, null),
    risk: "write",
    said: shellSaid(line, shell, given.doubt),
    line,
    needsMore: null,
  } as const;
  const rules = given.isToolAllowed === true ? [{ pattern: "shell", action: "allow" } as const] : [];
  return judge(subject, {
    operator: { ...NO_OPERATOR, rules: given.operator ?? [] },
    approval: approvalOf({ rules }),
  });
}
