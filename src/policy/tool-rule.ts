import { z } from "zod";
import { matchesWord } from "../shell/rule.ts";
import { Action, type RuleOrder, strictest } from "./action.ts";
import { asJson, canonicalJson, type Json } from "./canonical-json.ts";

/** What a rule on tools is held against. Made by `invocationOf`. */
export interface Invocation {
  readonly tool: string;
  readonly input: Json;
  readonly agent: string | null;
  /** The canonical JSON of the input, made when first asked for. */
  readonly text: () => string;
  /** One argument as rules see it: a text, or the canonical JSON of another value; undefined when there is none. */
  readonly argument: (name: string) => string | undefined;
}

/** One use of a tool, by an agent or by nobody in particular. */
export function invocationOf(tool: string, input: Json, agent: string | null): Invocation {
  let text: string | null = null;
  let told: Map<string, string | undefined> | null = null;
  return {
    tool,
    input,
    agent,
    text: () => {
      text ??= canonicalJson(input);
      return text;
    },
    argument: (name) => {
      told ??= new Map();
      if (!told.has(name)) told.set(name, argumentOf(input, name));
      return told.get(name);
    },
  };
}

/**
 * Which arguments a rule is about: a glob on their canonical JSON as one text, or a glob for each named argument. An
 * argument that is not there matches nothing; one that is no text is told by its canonical JSON.
 */
const ARGUMENTS = { error: 'arguments are a glob on their JSON text, or `{ name: "glob" }`' } as const;
const Arguments = z.union(
  [
    z.string().min(1, ARGUMENTS),
    z.record(z.string(), z.string()).refine((named) => Object.keys(named).length > 0, ARGUMENTS),
  ],
  ARGUMENTS,
);

/** What every rule says besides: its examples, which are checked when it is loaded. */
const examples = {
  /** Calls that it must cover: `NAME`, or `NAME {"its": "arguments"}`. */
  match: z.array(z.string()).max(64).optional(),
  not_match: z.array(z.string()).max(64).optional(),
};

/**
 * One rule on tools: a glob on the name (`*` is any run of characters), perhaps on the arguments, perhaps for some agents
 * only. `remember: false` on an ask demands a person each time. An `allow` can't hang on the text of all arguments: a
 * model that writes one of them could make that text say anything.
 */
export const ToolRule = z
  .strictObject({
    pattern: z.string().min(1),
    args: Arguments.optional(),
    agents: z.array(z.string().min(1)).min(1).max(256).optional(),
    action: Action,
    reason: z.string().optional(),
    remember: z.boolean().optional(),
    ...examples,
  })
  .superRefine((rule, context) => {
    const issue = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if (rule.pattern.includes(":"))
      issue("pattern", "a pattern is a glob on the tool's name; what its arguments hold stands under `args`");
    if (rule.action === "allow" && typeof rule.args === "string")
      issue("args", 'an allow names the arguments that it is about: `args: { name: "glob" }`');
    if (rule.remember !== undefined && rule.action !== "ask")
      issue("remember", "only a rule that asks can say whether the answer may be remembered");
  });
export type ToolRule = z.infer<typeof ToolRule>;

/** A rule of an operator on tools: it asks or denies, for whatever agent. */
export const OperatorToolRule = z.strictObject({
  pattern: z.string().min(1),
  args: Arguments.optional(),
  action: z.enum(["ask", "deny"]),
  reason: z.string().optional(),
  ...examples,
});
export type OperatorToolRule = z.infer<typeof OperatorToolRule>;

/** A list of rules, of which one decides, by its order. */
export interface RuleLayer {
  readonly order: RuleOrder;
  readonly rules: readonly ToolRule[];
}

type AnyToolRule = ToolRule | OperatorToolRule;

/** True when the rule is about this invocation. */
export function coversInvocation(rule: AnyToolRule, invocation: Invocation): boolean {
  const { tool, agent } = invocation;
  if (!matchesWord(rule.pattern, tool)) return false;
  if ("agents" in rule && rule.agents !== undefined) {
    if (agent === null || !rule.agents.some((glob) => matchesWord(glob, agent))) return false;
  }
  return rule.args === undefined || coversArguments(rule.args, invocation);
}

/** The rule of one layer that decides about an invocation; undefined when none is about it. */
export function pickRule<Rule extends AnyToolRule>(
  rules: readonly Rule[],
  order: RuleOrder,
  invocation: Invocation,
): Rule | undefined {
  const covers = (rule: Rule): boolean => coversInvocation(rule, invocation);
  switch (order) {
    case "first-match":
      return rules.find(covers);
    case "last-match":
      return rules.findLast(covers);
    case "strictest":
      return strictestOf(rules.filter(covers));
  }
}

/** Of rules that ask, one that demands a person is the stricter. */
function strictestOf<Rule extends AnyToolRule>(rules: readonly Rule[]): Rule | undefined {
  const found = strictest(rules);
  const demanding = rules.find((rule) => "remember" in rule && rule.remember === false);
  return found?.action === "ask" ? (demanding ?? found) : found;
}

function coversArguments(wanted: NonNullable<AnyToolRule["args"]>, { text, argument }: Invocation): boolean {
  if (typeof wanted === "string") return matchesWord(wanted, text());
  return Object.entries(wanted).every(([name, glob]) => {
    const value = argument(name);
    return value !== undefined && matchesWord(glob, value);
  });
}

function argumentOf(input: Json, name: string): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(input, name)?.value;
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : canonicalJson(asJson(value));
}
