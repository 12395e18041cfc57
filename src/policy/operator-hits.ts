import { visible } from "../errors.ts";
import type { RuleDoubt } from "../shell/rule.ts";
import { strictest } from "./action.ts";
import type { OperatorApproval, OperatorRule } from "./approval-section.ts";
import { CombinedRules, isCombined } from "./combined-rules.ts";
import type { CommandLine } from "./command.ts";
import { TextWords } from "./named-in-text.ts";
import { PatternsByProgram } from "./patterns-by-program.ts";
import { coverageOf, type ReadCommand, readCommands, runsText } from "./reading.ts";
import type { RuleHit } from "./rule-hit.ts";
import { maybeHit, textHit, unsettledReason } from "./shell-hits.ts";
import { namesShell, reasonOf } from "./shell-rules.ts";
import { coversInvocation, type Invocation } from "./tool-rule.ts";

/** The verdicts of operators' rules on one call, on its tool and on its command line. */
export function operatorHits(
  subject: Invocation & { readonly line: CommandLine | null },
  operator: OperatorApproval,
): readonly RuleHit[] {
  const shellRules = operator.rules.filter((rule) => "shell" in rule);
  const line = subject.line === null || shellRules.length === 0 ? null : readLine(subject.line, shellRules);
  return operator.rules.flatMap((rule): readonly RuleHit[] => {
    const { action, reason } = rule;
    if ("shell" in rule) {
      const hit = line === null ? null : lineHit(rule, line);
      return hit === null ? [] : [hit];
    }
    return coversInvocation(rule, subject)
      ? [{ layer: "operator", rule: rule.pattern, action, reason: reason ?? null }]
      : [];
  });
}

type OperatorShellRule = Extract<OperatorRule, { readonly shell: string }>;

/** A line as operators' rules see it: each command, and the rules that cover it in any reading. */
interface ReadLine extends Pick<CommandLine, "unread" | "shell"> {
  /** The rules whose commands all occur in the line. */
  readonly combined: ReadonlySet<OperatorShellRule>;
  readonly text: TextWords;
  /** True if the line runs programs that nobody can list. */
  readonly runsText: boolean;
  readonly commands: readonly {
    readonly read: ReadCommand;
    readonly covered: ReadonlyMap<OperatorShellRule, "surely" | "maybe" | "unknown">;
  }[];
}

function readLine(line: CommandLine, rules: readonly OperatorShellRule[]): ReadLine {
  const { commands, unread, shell } = line;
  const single = rules.filter((rule) => !isCombined(rule.shell));
  const patterns = new PatternsByProgram(single, (rule) => rule.shell);
  const combined = new CombinedRules(rules, (rule) => rule.shell);
  const reads = readCommands(commands, combined.knownBeside(patterns.knownBy));
  return {
    unread,
    shell,
    combined: new Set(combined.covering(reads)),
    text: new TextWords(line),
    runsText: unread.length > 0 || reads.some(runsText),
    commands: reads.map((read) => {
      const covered = new Map<OperatorShellRule, "surely" | "maybe" | "unknown">();
      for (const reading of [read.written, ...read.others])
        for (const { rule, pattern } of patterns.about(reading.name)) {
          if (covered.get(rule) === "surely") continue;
          const coverage = coverageOf(pattern, false, reading);
          if (coverage === "no" || (coverage === "unknown" && covered.has(rule))) continue;
          covered.set(rule, coverage === "plainly" ? "surely" : coverage);
        }
      return { read, covered };
    }),
  };
}

/**
 * The strictest verdict on a line's commands in any spelling, and on commands that they run. Where programs may run
 * that nobody can list, the rule asks; with `doubt: pass` only if its words stand in the text.
 */
function lineHit(rule: OperatorShellRule, line: ReadLine): RuleHit | null {
  const { commands, unread, shell, combined, text } = line;
  const { shell: pattern, action, reason, doubt = "ask" } = rule;
  const hit: RuleHit = { layer: "operator", rule: pattern, action, reason: reason ?? null };
  const isAboutAll = /^\s*\*+\s*$/.test(pattern);
  if (isAboutAll || combined.has(rule) || (shell !== null && namesShell(pattern, shell))) return hit;
  const found = strictest(
    commands.flatMap(({ read, covered }) => {
      const one = commandHit(hit, read, covered.get(rule), doubt);
      return one === null ? [] : [{ action: one.action, hit: one, command: read.command }];
    }),
  );
  const named =
    found === undefined
      ? []
      : [commands.length === 1 ? found.hit : { ...found.hit, reason: reasonOf(found.hit, found.command) }];
  const unreadHit: RuleHit = {
    ...hit,
    action: "ask",
    reason: reason ?? `it may run ${visible(pattern)}, but it can't be parsed`,
  };
  const isNamed = doubt === "pass" && line.runsText && text.names(pattern);
  const uncertain = [
    ...(doubt === "ask" && unread.length > 0 ? [unreadHit] : []),
    ...(isNamed ? [{ ...textHit("operator", pattern), ...(reason === undefined ? {} : { reason }) }] : []),
  ];
  return strictest([...named, ...uncertain]) ?? null;
}

function commandHit(
  hit: RuleHit,
  { command, isProgramUnread, isNameUnknown, hazard }: ReadCommand,
  covered: "surely" | "maybe" | "unknown" | undefined,
  doubt: RuleDoubt,
): RuleHit | null {
  if (covered === "surely") return hit;
  const perhaps = maybeHit("operator", hit.rule, hit.reason ?? undefined);
  if (doubt === "pass") return covered === "maybe" ? perhaps : null;
  const unread = hit.reason ?? `it may run ${visible(hit.rule)}, but it can't be parsed`;
  if (isProgramUnread) return { ...hit, reason: unread };
  if (isNameUnknown || hazard?.does === "runs") return { ...hit, action: "ask", reason: unread };
  const unsettled = unsettledReason(command);
  if (unsettled !== null) return { ...hit, action: "ask", reason: hit.reason ?? unsettled };
  return covered === undefined ? null : perhaps;
}
