import { CofferdamError, visible } from "../errors.ts";
import { hazardOf } from "../shell/hazards.ts";
import { parseLine } from "../shell/parse.ts";
import { NOT_PARSED } from "../shell/piece-reading.ts";
import { fileNameOf, patternParts, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { OperatorRule } from "./approval-section.ts";
import { type Json, parseJson } from "./canonical-json.ts";
import { CommandReading, coverageOf } from "./reading.ts";
import { printToolRule } from "./rule-reach.ts";
import { coversInvocation, invocationOf, type OperatorToolRule, type ToolRule } from "./tool-rule.ts";

/** An example of a rule that fails, or can't be parsed: the example, the finding, and the next thing to do. */
export interface FailedRuleExample {
  readonly list: "match" | "not_match";
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** Maximum of pattern length times example length: matching longer ones could take too much time. */
const MAX_LOOKS = 100_000;
const HOLDS = "change the rule, or the example";

/** The failing examples of a rule on tools: calls of its first agent, `NAME` or `NAME {"its": "arguments"}`. */
export function failedToolExamples(
  rule: ToolRule | OperatorToolRule,
  ofAgent: string | null = null,
): readonly FailedRuleExample[] {
  const agent = ofAgent ?? ("agents" in rule ? rule.agents?.[0] : undefined) ?? null;
  return failedExamples(rule, printToolRule(rule), (example) => {
    const call = callOf(example);
    return "hint" in call ? call : coversInvocation(rule, invocationOf(call.tool, call.input, agent));
  });
}

/**
 * The failing examples of a rule of `shell.rules`: lines of bash, parsed as calls are. A rule that denies or asks must
 * cover a command of the line, also by its file name and past its options, as when judged. A rule that allows must
 * cover all commands of the line as written. Roots are not checked.
 */
export function failedShellExamples(rule: ShellRule): readonly FailedRuleExample[] {
  const isAllow = shellAction(rule) === "allow";
  return failedExamples(rule, rule.pattern, (example) =>
    coversLine(rule.pattern, example, isAllow ? "as written" : "as judged", rule.exact),
  );
}

/** The failing examples of an operator's rule, of either kind. */
export function failedOperatorExamples(rule: OperatorRule): readonly FailedRuleExample[] {
  if (!("shell" in rule)) return failedToolExamples(rule);
  return failedExamples(rule, rule.shell, (example) => coversLine(rule.shell, example, "as judged", false));
}

interface Unread {
  readonly because: string;
  readonly hint: string;
}

function failedExamples(
  { match = [], not_match: notMatch = [] }: Pick<ToolRule, "match" | "not_match">,
  text: string,
  isCovered: (example: string) => boolean | Unread,
): readonly FailedRuleExample[] {
  const failing = (
    list: FailedRuleExample["list"],
    examples: readonly string[],
  ): readonly FailedRuleExample[] =>
    examples.flatMap((example, index): readonly FailedRuleExample[] => {
      const covered = isCovered(example);
      const shown = visible(example.length > 200 ? `${example.slice(0, 200)}…` : example);
      if (typeof covered !== "boolean")
        return [{ list, index, message: `the example ${shown} ${covered.because}`, hint: covered.hint }];
      if (covered === (list === "match")) return [];
      const does = covered ? "covers" : "does not cover";
      return [
        {
          list,
          index,
          message: `an example fails: the rule ${visible(text)} ${does} ${shown}`,
          hint: HOLDS,
        },
      ];
    });
  return [...failing("match", match), ...failing("not_match", notMatch)];
}

function callOf(example: string): { readonly tool: string; readonly input: Json } | Unread {
  const [tool = ""] = example.trim().split(/\s/, 1);
  const written = example.trim().slice(tool.length);
  const hint = 'write the name of a tool, or `NAME {"its": "arguments"}`';
  if (!/^[^"'`*:{}]+$/.test(tool)) return { because: "does not begin with a tool's name", hint };
  if (written.trim() === "") return { tool, input: {} };
  try {
    const input = parseJson(written);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return { tool, input };
    return { because: "has arguments that are not an object", hint };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return { because: `can't be parsed: ${error.message}`, hint: error.hint ?? hint };
  }
}

/** A rule covers any command of the line as judged; as written, for an allow, all of them, with nothing unread. */
function coversLine(
  pattern: string,
  example: string,
  how: "as written" | "as judged",
  exact: boolean,
): boolean | Unread {
  if (example.trim() === "") return { because: "is blank", hint: "write the words of a command" };
  if (pattern.length * example.length > MAX_LOOKS)
    return { because: "is too long to be compared with its rule", hint: "write a shorter one" };
  const { commands, unread } = parseLine(example);
  if (unread.includes(NOT_PARSED)) return { because: "can't be parsed", hint: "write a valid line of bash" };
  const covers = (
    { words }: SimpleCommand,
    names: readonly string[],
    part: string = pattern,
  ): readonly string[] =>
    names.map((name) => coverageOf(shellPattern(part), exact, new CommandReading(name, words)));
  if (how === "as judged")
    return patternParts(pattern).every((part) =>
      commands.some((command) => {
        const [name] = command.words;
        const found = covers(command, [name, fileNameOf(name)], part);
        return found.some((one) => one === "plainly" || one === "surely");
      }),
    );
  return (
    unread.length === 0 &&
    commands.length > 0 &&
    commands.every(
      (command) =>
        covers(command, [command.words[0]]).includes("plainly") &&
        (exact || hazardOf(command.words) === null),
    )
  );
}
