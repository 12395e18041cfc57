import { resolve } from "node:path";
import { type Position, visible } from "../errors.ts";
import { type Action, isAsStrict, type RuleOrder } from "../policy/action.ts";
import { printToolRule } from "../policy/rule-reach.ts";
import { isAbsolutePath } from "../profile/path.ts";
import { hazardOf } from "../shell/hazards.ts";
import { shellAction } from "../shell/rule.ts";
import { rootOf } from "../tool/files/written-path.ts";
import type { Config, LoadedConfig } from "./config.ts";
import {
  deadShellRules,
  type Outdone,
  overruledByName,
  toolOrderFaults,
  type Unmatchable,
  unmatchableOperator,
  unmatchableShellRule,
  unmatchableTool,
} from "./dead-rules.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";
import { toolLayers } from "./tool-layers.ts";
import type { YamlPath } from "./yaml.ts";

/** Rules that have less effect than they seem to, or none. */
export function ruleFindings(loaded: LoadedConfig): readonly ConfigFinding[] {
  return [
    ...orderFindings(loaded),
    ...unmatchableFindings(loaded),
    ...overruledFindings(loaded),
    ...programFindings(loaded),
    ...hazardFindings(loaded),
  ];
}

const EFFECTS = {
  allow: "never allows a call",
  ask: "never asks",
  deny: "never denies a call",
} as const satisfies Record<Action, string>;

interface List {
  readonly path: YamlPath;
  readonly order: RuleOrder;
}

/** Rules that another one always decides before, and those that an allowing rule partly overrides. */
function orderFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  const { shell } = config;
  const list: List = { path: ["shell"], order: shell.order };
  return [
    ...deadShellRules(shell.rules, shell.order).map((dead) => deadFinding(config, list, dead)),
    ...toolLayers(config).flatMap((layer) => {
      const { dead, partlyAllowed } = toolOrderFaults(layer);
      return [
        ...dead.map((one) => deadFinding(config, layer, one)),
        ...partlyAllowed.map((one) => partFinding(config, layer, one)),
      ];
    }),
  ];
}

/** A rule that a looser one overrides is reported as a danger. */
function deadFinding(config: Config, list: List, { rule, by, index, byIndex }: Outdone): ConfigFinding {
  const other = `${visible(by.text)}${lineOf(config, list, byIndex)}`;
  const does = by.action === "allow" ? "allows it" : "only asks about it";
  const isLooser = !isAsStrict(by.action, rule.action);
  const how = isLooser ? `comes ${whenOf(list.order)} and ${does}` : "decides first";
  return warning(
    `the rule ${visible(rule.text)} ${EFFECTS[rule.action]}: ${other} ${how}`,
    isLooser ? remedyFor(list.order) : "remove it, or change the order of the two",
    placeOf(config, [...list.path, "rules", index]),
  );
}

function partFinding(config: Config, list: List, { rule, by, index, byIndex }: Outdone): ConfigFinding {
  const other = `${visible(by.text)}${lineOf(config, list, byIndex)}`;
  const does = rule.action === "deny" ? "deny" : "ask about";
  return warning(
    `the rule ${visible(rule.text)} does not ${does} every call that it covers: ${other} comes ${whenOf(list.order)} and allows some`,
    remedyFor(list.order),
    placeOf(config, [...list.path, "rules", index]),
  );
}

function lineOf(config: Config, { path }: List, index: number): string {
  const place = placeOf(config, [...path, "rules", index]);
  return place === null ? "" : ` on line ${place.line}`;
}

function whenOf(order: RuleOrder): string {
  return order === "last-match" ? "later" : "earlier";
}

function remedyFor(order: RuleOrder): string {
  return `move the allowing rule ${order === "last-match" ? "above" : "below"} it, or write \`order: strictest\``;
}

/** Rules that can never match, including operators'. */
function unmatchableFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const finding = (text: string, found: Unmatchable | null, at: Position | null): readonly ConfigFinding[] =>
    found === null
      ? []
      : [warning(`the rule ${visible(text)} never matches: ${found.because}`, found.hint, at)];
  return [
    ...config.shell.rules.flatMap((rule, index) =>
      finding(rule.pattern, unmatchableShellRule(rule), placeOf(config, ["shell", "rules", index])),
    ),
    ...toolLayers(config).flatMap(({ path, agent, rules }) =>
      rules.flatMap((rule, index) =>
        finding(
          printToolRule(rule),
          unmatchableTool(rule, agent),
          placeOf(config, [...path, "rules", index]),
        ),
      ),
    ),
    ...ceiling.approval.rules.flatMap((rule) =>
      finding("shell" in rule ? rule.shell : printToolRule(rule), unmatchableOperator(rule), null),
    ),
  ];
}

/** Rules that allow a program by its path while another asks about it or denies it by its name. */
function overruledFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  const { rules } = config.shell;
  return rules.flatMap((rule, index): readonly ConfigFinding[] => {
    const by = overruledByName(rule, rules);
    if (by === null) return [];
    return [
      warning(
        `the rule ${visible(rule.pattern)} never allows a call: ${visible(by.pattern)} covers the same program by name`,
        "write a rule with the program's name above that one",
        placeOf(config, ["shell", "rules", index]),
      ),
    ];
  });
}

/** Rules that allow a program without approval by a path that tools can write: they never match. */
function programFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  return config.shell.rules.flatMap((rule, index): readonly ConfigFinding[] => {
    const [program = ""] = rule.pattern.split(/\s+/);
    if (shellAction(rule) !== "allow" || !program.includes("/")) return [];
    // A path without `/` at its start is taken from the workspace, where calls start.
    const path = resolve(config.workspace, program);
    const root = isAbsolutePath(path) ? rootOf(path, config.roots) : null;
    const isWritable = root === null ? !isAbsolutePath(program) : root.mode === "rw";
    if (!isWritable) return [];
    return [
      warning(
        `the rule ${visible(rule.pattern)} never allows a call: tools can replace its program`,
        "write `approval: true` for it, or move the program outside all writable roots",
        placeOf(config, ["shell", "rules", index]),
      ),
    ];
  });
}

/** Rules that allow a word which only exact rules can allow: one by which the program runs another, or writes files. */
function hazardFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  return config.shell.rules.flatMap((rule, index): readonly ConfigFinding[] => {
    const hazard = shellAction(rule) === "allow" && !rule.exact ? hazardOf(rule.pattern.split(/\s+/)) : null;
    if (hazard === null) return [];
    const does = hazard.does === "runs" ? "may run other programs" : "writes or removes files";
    return [
      warning(
        `the rule ${visible(rule.pattern)} never allows a call: ${visible(hazard.word)} ${does}, which needs an exact rule`,
        "write the whole command with `exact: true`, or write `approval: true`",
        placeOf(config, ["shell", "rules", index]),
      ),
    ];
  });
}
