import { z } from "zod";
import { matchesWord } from "../shell/rule.ts";
import { Action, type RuleOrder, strictest } from "./action.ts";
import { asJson, canonicalJson, type Json } from "./canonical-json.ts";

/** The call that rules on tools are matched against. Made by `invocationOf`. */
export interface Invocation {
  readonly tool: string;
  readonly input: Json;
  readonly agent: string | null;
  /** The canonical JSON of the input, made on first use. */
  readonly text: () => string;
  /** One argument as rules see it: a text, or the canonical JSON of another value; undefined if it is missing. */
  readonly argument: (name: string) => string | undefined;
}

/** One use of a tool, by a named agent or none. */
export function invocationOf(tool: string, input: Json, agent: string | null): Invocation {
  let text: string | null = null;
  let known: Map<string, string | undefined> | null = null;
  return {
    tool,
    input,
    agent,
    text: () => {
      text ??= canonicalJson(input);
      return text;
    },
    argument: (name) => {
      known ??= new Map();
      if (!known.has(name)) known.set(name, argumentOf(input, name));
      return known.get(name);
    },
  };
}

/** A glob on the arguments' canonical JSON, or one per named argument. A missing argument matches nothing. */
const ARGUMENTS = { error: 'write a glob for the arguments as JSON, or `{ name: "glob" }`' } as const;
const Arguments = z.union(
  [
    z.string().min(1, ARGUMENTS),
    z.record(z.string(), z.string()).refine((named) => Object.keys(named).length > 0, ARGUMENTS),
  ],
  ARGUMENTS,
);

const pattern = z
  .string()
  .min(1)
  .meta({ description: "A glob for the tool's name; `*` is any text.", examples: ["delete_*"] });
const reason = z
  .string()
  .optional()
  .meta({ description: "Shown with the request or denial.", examples: ["no deletions here"] });

/** The common field of all rules: examples, which are checked when the rule is loaded. */
const examples = {
  match: z
    .array(z.string())
    .max(64)
    .optional()
    .meta({
      description:
        'Calls that the rule must cover, checked when it is loaded: `NAME`, or `NAME {"its": "arguments"}`.',
      examples: [["delete_file"]],
    }),
  not_match: z
    .array(z.string())
    .max(64)
    .optional()
    .meta({ description: "Calls that the rule must not cover.", examples: [["read_file"]] }),
};

/**
 * One rule on tools: a glob on the name (`*` is any run of characters), optionally on the arguments, optionally for
 * some agents only. `remember: false` on an ask requires a person each time. An `allow` can't match the text of all
 * arguments: a model that writes one of them could make that text say anything.
 */
export const ToolRule = z
  .strictObject({
    pattern,
    args: Arguments.optional().meta({
      description:
        "Globs for arguments, by name; or, for a rule that asks or denies, one glob for the JSON of all arguments.",
      examples: [{ path: "notes:*" }],
    }),
    agents: z
      .array(z.string().min(1))
      .min(1)
      .max(256)
      .optional()
      .meta({ description: "Only calls of these agents; names may have `*`.", examples: [["researcher"]] }),
    action: Action.meta({ description: "Allow the call, ask a person, or deny it.", examples: ["ask"] }),
    reason,
    remember: z.boolean().optional().describe("For `ask`: `false` demands a person's answer each time."),
    ...examples,
  })
  .superRefine((rule, context) => {
    const issue = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if (rule.pattern.includes(":"))
      issue("pattern", "write a glob for the tool's name; write conditions for arguments under `args`");
    if (rule.action === "allow" && typeof rule.args === "string")
      issue("args", 'name the arguments that the rule allows: `args: { name: "glob" }`');
    if (rule.remember !== undefined && rule.action !== "ask")
      issue("remember", "use this key only in a rule with `action: ask`");
  });
export type ToolRule = z.infer<typeof ToolRule>;

/** An operator's rule on tools: it asks or denies, for any agent. */
export const OperatorToolRule = z.strictObject({
  pattern,
  args: Arguments.optional().meta({
    description: "Globs for arguments, by name; or one glob for the JSON of all arguments.",
    examples: [{ path: "notes:*" }],
  }),
  action: z.enum(["ask", "deny"]).describe("The action of the rule: an operator cannot allow."),
  reason,
  ...examples,
});
export type OperatorToolRule = z.infer<typeof OperatorToolRule>;

/** A list of rules, of which one is picked by its order. */
export interface RuleLayer {
  readonly order: RuleOrder;
  readonly rules: readonly ToolRule[];
}

type AnyToolRule = ToolRule | OperatorToolRule;

/** True if the rule is about this invocation. */
export function coversInvocation(rule: AnyToolRule, invocation: Invocation): boolean {
  const { tool, agent } = invocation;
  if (!matchesWord(rule.pattern, tool)) return false;
  if ("agents" in rule && rule.agents !== undefined) {
    if (agent === null || !rule.agents.some((glob) => matchesWord(glob, agent))) return false;
  }
  return rule.args === undefined || coversArguments(rule.args, invocation);
}

/** The rule of one layer that decides about an invocation; undefined if none is about it. */
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

/** Among rules that ask, one that requires a person is stricter. */
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
