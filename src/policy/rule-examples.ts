import { CofferdamError, visible } from "../errors.ts";
import { hazardOf } from "../shell/hazards.ts";
import { NOT_PARSED, parseLine, type SimpleCommand } from "../shell/parse.ts";
import { fileNameOf, type ShellRule, shellAction, shellPattern } from "../shell/rule.ts";
import type { OperatorRule } from "./approval-section.ts";
import { type Json, parseJson } from "./canonical-json.ts";
import { coverageOf, Reading } from "./reading.ts";
import { printToolRule } from "./rule-reach.ts";
import { coversInvocation, invocationOf, type OperatorToolRule, type ToolRule } from "./tool-rule.ts";

/** An example of a rule that does not hold, or can't be read: which one, what was found, and the next thing to do. */
export interface FailedExample {
  readonly list: "match" | "not_match";
  readonly index: number;
  readonly message: string;
  readonly hint: string;
}

/** Characters of a pattern times those of an example: above, so many readings could take a reader's time away. */
const MOST_LOOKS = 100_000;
const HOLDS = "change the rule, or the example";

/**
 * The examples of a rule on tools that fail. An example is one call, `NAME` or `NAME {"its": "arguments"}`, without
 * arguments `{}`. Of a rule with `agents` it speaks of the first of them, in an agent's layer of that agent.
 */
export function failedToolExamples(
  rule: ToolRule | OperatorToolRule,
  ofAgent: string | null = null,
): readonly FailedExample[] {
  const agent = ofAgent ?? ("agents" in rule ? rule.agents?.[0] : undefined) ?? null;
  return failedExamples(rule, printToolRule(rule), (example) => {
    const call = callOf(example);
    return "hint" in call ? call : coversInvocation(rule, invocationOf(call.tool, call.input, agent));
  });
}

/**
 * The examples of a rule of `shell.rules` that fail: lines of bash, parsed as calls are. One that forbids or asks speaks of
 * a line with a command that it covers, by its file name and past its options too, as it is judged; one that asks nobody,
 * of a line whose commands it all covers as they are written. Roots are not looked at.
 */
export function failedShellExamples(rule: ShellRule): readonly FailedExample[] {
  const isAllow = shellAction(rule) === "allow";
  return failedExamples(rule, rule.pattern, (example) =>
    coversLine(rule.pattern, example, isAllow ? "as written" : "as judged", rule.exact),
  );
}

/** The examples of an operator's rule that fail, of either kind. */
export function failedOperatorExamples(rule: OperatorRule): readonly FailedExample[] {
  if (!("shell" in rule)) return failedToolExamples(rule);
  return failedExamples(rule, rule.shell, (example) => coversLine(rule.shell, example, "as judged", false));
}

/** Why an example can't be read. */
interface Unread {
  readonly because: string;
  readonly hint: string;
}

function failedExamples(
  { match = [], not_match: notMatch = [] }: Pick<ToolRule, "match" | "not_match">,
  text: string,
  isCovered: (example: string) => boolean | Unread,
): readonly FailedExample[] {
  const failing = (list: FailedExample["list"], examples: readonly string[]): readonly FailedExample[] =>
    examples.flatMap((example, index): readonly FailedExample[] => {
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
    return { because: "has arguments that are no object", hint };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return { because: `is not understood: ${error.message}`, hint: error.hint ?? hint };
  }
}

/**
 * Whether a rule speaks of an example. As judged: of any of its commands. As written, where it lets pass: of all of them,
 * with nothing in the line that is not understood.
 */
function coversLine(
  pattern: string,
  example: string,
  how: "as written" | "as judged",
  exact: boolean,
): boolean | Unread {
  if (example.trim() === "") return { because: "is blank", hint: "write the words of a command" };
  if (pattern.length * example.length > MOST_LOOKS)
    return { because: "is too long to be held against its rule", hint: "write a shorter one" };
  const { commands, unread } = parseLine(example);
  if (unread.includes(NOT_PARSED))
    return { because: "can't be parsed", hint: "write a line as bash would take it" };
  const covers = ({ words }: SimpleCommand, names: readonly string[]): readonly string[] =>
    names.map((name) => coverageOf(shellPattern(pattern), exact, new Reading(name, words)));
  if (how === "as judged")
    return commands.some((command) => {
      const [name] = command.words;
      return covers(command, [name, fileNameOf(name)]).some((one) => one === "plainly" || one === "surely");
    });
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
