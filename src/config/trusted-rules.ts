import { z } from "zod";
import { visible } from "../errors.ts";
import { OperatorRule } from "../policy/approval-section.ts";
import { type Looseness, loosenessOf, NO_DEMANDS } from "../policy/compare-demands.ts";
import { shellAction } from "../shell/rule.ts";
import type { Config } from "./config.ts";
import { toolLayers } from "./tool-layers.ts";

/**
 * The rules of a config that was trusted, as they are compared later. `strict`: those that deny or ask; `among` says
 * for which calls alone, and is empty for all. `allows`: the others, in words.
 */
export const TrustedRules = z.strictObject({
  strict: z.array(z.strictObject({ among: z.string(), rule: OperatorRule })),
  allows: z.array(z.string()),
});
export type TrustedRules = z.infer<typeof TrustedRules>;

/** The rules that changed since a config was trusted, a line for each: `no longer denied: rm`. */
export interface RuleChanges {
  /** Rules that let more calls run, or run without asking. */
  readonly looser: readonly string[];
  readonly stricter: readonly string[];
}

/** The unit of comparison: no rule changed, or none is known. */
export const NO_RULE_CHANGES: RuleChanges = { looser: [], stricter: [] };

/** Larger rules are not remembered; a change of them is then told only as such. */
const MAX_REMEMBERED = 256 * 1024;

/** The rules of a config, to be remembered; undefined if there are too many of them. */
export function trustedRules(config: Pick<Config, "shell" | "approval" | "mcp">): TrustedRules | undefined {
  const ofShell = config.shell.rules.map((rule) => {
    const { pattern, exact, sandbox_paths: roots, doubt } = rule;
    const among = [
      ...(exact ? [`exactly ${visible(pattern)}`] : []),
      ...(roots === undefined ? [] : [`in the roots ${roots.join(", ")}`]),
    ].join(", ");
    const action = shellAction(rule);
    return { among, action, rule: { shell: pattern, ...(doubt === undefined ? {} : { doubt }) } };
  });
  const ofTools = toolLayers(config).flatMap(({ agent, server, rules }) =>
    rules.map(({ pattern, args, agents, action }) => {
      const among = [
        ...(agent === null ? [] : [`for the agent ${visible(agent)}`]),
        ...(agents === undefined ? [] : [`by ${agents.map(visible).join(", ")}`]),
        ...(server === null ? [] : [`of the MCP server ${visible(server)}`]),
      ].join(", ");
      return { among, action, rule: { pattern, ...(args === undefined ? {} : { args }) } };
    }),
  );
  const all = [...ofShell, ...ofTools];
  const rules = {
    strict: all.flatMap(({ among, action, rule }) =>
      action === "allow" ? [] : [{ among, rule: { ...rule, action } }],
    ),
    allows: all.flatMap(({ among, action, rule }) =>
      action === "allow"
        ? [`${"shell" in rule ? visible(rule.shell) : toolWords(rule)}${suffix(among)}`]
        : [],
    ),
  };
  return JSON.stringify(rules).length > MAX_REMEMBERED ? undefined : rules;
}

/** The changes from one state of the rules to another. A rule that another one covers is no change. */
export function ruleChanges(old: TrustedRules, now: TrustedRules): RuleChanges {
  const only = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((one) => !others.includes(one));
  return {
    looser: [
      ...missingRules(old, now).map(({ text, action, isAsked, isCertain }) => {
        const how = isAsked
          ? "asks now, was denied"
          : action === "deny"
            ? "no longer denied"
            : "no longer asks";
        return `${how}: ${text}${isCertain ? "" : " (unless another rule covers it by its file name)"}`;
      }),
      ...only(now.allows, old.allows).map((words) => `a rule allows now: ${words}`),
    ],
    stricter: [
      ...missingRules(now, old).map(
        ({ text, action }) => `${action === "deny" ? "denied" : "asks"} now: ${text}`,
      ),
      ...only(old.allows, now.allows).map((words) => `no rule allows any more: ${words}`),
    ],
  };
}

/** The strict rules of `all` that none of `others` replaces. */
function missingRules(all: TrustedRules, others: TrustedRules) {
  const demandsOf = ({ strict }: TrustedRules, among: string) => {
    const rules = strict.flatMap((one) => (one.among === among ? [one.rule] : []));
    return { ...NO_DEMANDS, approval: { ...NO_DEMANDS.approval, rules } };
  };
  return [...new Set(all.strict.map(({ among }) => among))].flatMap((among) =>
    loosenessOf(demandsOf(others, among), demandsOf(all, among)).flatMap((one) =>
      one.field === "rule" ? [{ ...one, text: `${ruleWords(one)}${suffix(among)}` }] : [],
    ),
  );
}

function ruleWords({ of, text, args }: Extract<Looseness, { readonly field: "rule" }>): string {
  return of === "shell" ? visible(text) : toolWords({ pattern: text, args });
}

function toolWords({ pattern, args }: { readonly pattern: string; readonly args?: unknown }): string {
  return `the tool ${visible(pattern)}${args === undefined ? "" : ` with ${visible(JSON.stringify(args))}`}`;
}

function suffix(among: string): string {
  return among === "" ? "" : `, ${among}`;
}
