import { type Position, visible } from "../errors.ts";
import { type Action, isAsStrict, type RuleOrder } from "../policy/action.ts";
import { printToolRule } from "../policy/rule-reach.ts";
import { isAbsolutePath, isInside } from "../profile/path.ts";
import { hazardOf } from "../shell/hazards.ts";
import { shellAction } from "../shell/rule.ts";
import type { Config, Loaded } from "./config.ts";
import {
  deadShellRules,
  type Outdone,
  overruledByName,
  toolOrderFaults,
  type Unmatchable,
  unmatchableOperator,
  unmatchableShell,
  unmatchableTool,
} from "./dead-rules.ts";
import { type Finding, placeOf, warning } from "./finding.ts";
import { toolLayers } from "./tool-layers.ts";
import type { YamlPath } from "./yaml.ts";

/** Rules that do less than they say, or nothing. */
export function ruleFindings(loaded: Loaded): readonly Finding[] {
  return [
    ...orderFindings(loaded),
    ...unmatchableFindings(loaded),
    ...overruledFindings(loaded),
    ...programFindings(loaded),
    ...hazardFindings(loaded),
  ];
}

/** What a rule that never speaks fails to do. */
const EFFECTS = {
  allow: "allows nothing",
  ask: "asks about nothing",
  deny: "denies nothing",
} as const satisfies Record<Action, string>;

/** A list of rules by where it stands and how one of several is picked. */
interface List {
  readonly path: YamlPath;
  readonly order: RuleOrder;
}

/** Rules that another one always decides before, and those that one which allows reaches into. */
function orderFindings({ config }: Loaded): readonly Finding[] {
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

/** A rule that another, looser one swallows is told as the danger that it is. */
function deadFinding(config: Config, list: List, { rule, by, index, byIndex }: Outdone): Finding {
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

function partFinding(config: Config, list: List, { rule, by, index, byIndex }: Outdone): Finding {
  const other = `${visible(by.text)}${lineOf(config, list, byIndex)}`;
  const does = rule.action === "deny" ? "deny" : "ask about";
  return warning(
    `the rule ${visible(rule.text)} may not ${does} all that it covers: some may be allowed by ${other}, which comes ${whenOf(list.order)}`,
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
  return `move that one ${order === "last-match" ? "up, above" : "down, below"} it, or write \`order: strictest\``;
}

/** Rules that can never match, operators' too. */
function unmatchableFindings({ config, ceiling }: Loaded): readonly Finding[] {
  const finding = (text: string, found: Unmatchable | null, at: Position | null): readonly Finding[] =>
    found === null
      ? []
      : [warning(`the rule ${visible(text)} never matches: ${found.because}`, found.hint, at)];
  return [
    ...config.shell.rules.flatMap(({ pattern }, index) =>
      finding(pattern, unmatchableShell(pattern), placeOf(config, ["shell", "rules", index])),
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

/** Rules that let a program run by its path where another asks about it or denies it by its name. */
function overruledFindings({ config }: Loaded): readonly Finding[] {
  const { rules } = config.shell;
  return rules.flatMap((rule, index): readonly Finding[] => {
    const by = overruledByName(rule, rules);
    if (by === null) return [];
    return [
      {
        severity: "warning",
        message: `the rule ${visible(rule.pattern)} allows nothing: ${visible(by.pattern)} covers the same program by its name`,
        hint: "name the program as it is called, in a rule above that one",
        at: placeOf(config, ["shell", "rules", index]),
      },
    ];
  });
}

/** Rules that let a program run without asking and name it by a path that tools can write: they never match. */
function programFindings({ config }: Loaded): readonly Finding[] {
  return config.shell.rules.flatMap((rule, index): readonly Finding[] => {
    const [program = ""] = rule.pattern.split(/\s+/);
    if (shellAction(rule) !== "allow" || !program.includes("/")) return [];
    const isWritable =
      !isAbsolutePath(program) ||
      config.roots.some((root) => root.mode === "rw" && isInside(program, root.path));
    if (!isWritable) return [];
    return [
      {
        severity: "warning",
        message: `the rule ${visible(rule.pattern)} never lets anything run: its program lies where tools can write`,
        hint: "leave `approval` on for it, or keep the program outside of every writable root",
        at: placeOf(config, ["shell", "rules", index]),
      },
    ];
  });
}

/** Rules that let pass what only exact ones can: a word by which the program runs another, or writes files. */
function hazardFindings({ config }: Loaded): readonly Finding[] {
  return config.shell.rules.flatMap((rule, index): readonly Finding[] => {
    const hazard = shellAction(rule) === "allow" && !rule.exact ? hazardOf(rule.pattern.split(/\s+/)) : null;
    if (hazard === null) return [];
    const does = hazard.does === "runs" ? "may run other programs" : "writes or removes files";
    return [
      warning(
        `the rule ${visible(rule.pattern)} allows nothing: ${visible(hazard.word)} ${does}, and only exact rules let that pass`,
        "write the whole command with `exact: true`, or leave `approval` on for it",
        placeOf(config, ["shell", "rules", index]),
      ),
    ];
  });
}
