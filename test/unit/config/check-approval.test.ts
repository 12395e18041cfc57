import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findings } from "../../../src/config/check.ts";
import { toolOrderFaults } from "../../../src/config/dead-rules.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { RuleOrder } from "../../../src/policy/action.ts";
import { invocationOf, pickRule, type ToolRule } from "../../../src/policy/tool-rule.ts";
import { machine, PLAIN } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

/** What is found in an `approval:` section; line 5 is the first below it. */
function told(...lines: readonly string[]): readonly string[] {
  const m = machine({ [CONFIG]: `${PLAIN}approval:\n${lines.map((line) => `  ${line}\n`).join("")}` });
  return findings(loadConfig(m.host, { config: m.at(CONFIG) })).map(
    ({ severity, message, at }) => `${severity} ${at?.line}:${at?.column} ${message}`,
  );
}

/** The same of rules, the first of which stands on line 7. */
const ruled = (order: RuleOrder, ...rules: readonly string[]): readonly string[] =>
  told(`order: ${order}`, "rules:", ...rules.map((rule) => `- { ${rule} }`));

describe("check finds nothing", () => {
  test("in the practical configuration (S0-12)", () => {
    const rules = ["search_*", "get_*"].map((pattern) => `pattern: ${pattern}, action: allow`);
    const denies = ["drop_*", "delete_*"].map((pattern) => `pattern: ${pattern}, action: deny`);
    for (const order of RuleOrder.options) expect(ruled(order, ...rules, ...denies)).toEqual([]);
    expect(
      told(
        "rules: [{ pattern: get_*, action: allow }, { pattern: drop_*, action: deny }]",
        "risk_defaults: { read_only: allow, write: ask, destructive: deny }",
      ),
    ).toEqual([]);
  });

  test.each<[claim: string, order: RuleOrder, rules: readonly string[]]>([
    [
      "in exceptions behind a general rule",
      "last-match",
      ["pattern: '*', action: ask", "pattern: get_*, action: allow", "pattern: get_secret, action: deny"],
    ],
    [
      "in exceptions before a general rule",
      "first-match",
      ["pattern: get_secret, action: deny", "pattern: get_*, action: allow", "pattern: '*', action: ask"],
    ],
    [
      "in rules that meet where the strictest wins (S0-10)",
      "strictest",
      ["pattern: drop_*, action: deny", "pattern: '*_table', action: allow"],
    ],
    [
      "in an allow for some arguments behind a deny of the tool",
      "last-match",
      ["pattern: write, action: deny", "pattern: write, args: { path: /tmp/* }, action: allow"],
    ],
    [
      "in an allow for other arguments, or for other agents",
      "last-match",
      [
        "pattern: write*, args: { path: /etc/* }, action: deny",
        "pattern: '*_file', args: { path: /tmp/* }, action: allow",
        "pattern: drop_*, agents: [ci], action: deny",
        "pattern: 'd*_table', agents: [dev], action: allow",
      ],
    ],
    [
      "in a rule behind one for some arguments, or some agents",
      "first-match",
      [
        "pattern: a, args: { path: /tmp/* }, agents: [ci], action: allow",
        "pattern: a, args: { path: /* }, agents: [ci, dev], action: ask",
        "pattern: a, agents: [ci], action: ask",
        "pattern: a, action: deny",
      ],
    ],
  ])("%s", (_claim, order, rules) => {
    expect(ruled(order, ...rules)).toEqual([]);
  });

  test("in agents that no `agents` section names, and in their rules that cannot loosen", () => {
    expect(
      told(
        "rules: [{ pattern: drop_*, action: deny }, { pattern: get, agents: [nobody], action: ask }]",
        "agents: { ci: { rules: [{ pattern: '*', action: allow }] } }",
      ),
    ).toEqual([]);
  });

  test("in a timeout that ends a question, and in waiting without one", () => {
    expect(told("timeout: 1m", "on_timeout: deny")).toEqual([]);
    expect(told("on_timeout: wait")).toEqual([]);
    expect(told("wait: suspend", "keep: 2d")).toEqual([]);
  });
});

describe("check finds a rule that the order makes dead (C5, S0-10)", () => {
  test("a later general allow swallows an ask, as in the example for one agent", () => {
    const m = machine({
      [CONFIG]: `${PLAIN}approval:\n  agents:\n    deploy.bot:\n      rules:\n        - { pattern: deploy_*, action: ask }\n        - { pattern: "*", action: allow }\n`,
    });
    expect(findings(loadConfig(m.host, { config: m.at(CONFIG) }))).toEqual([
      {
        severity: "warning",
        message: "the rule `deploy_*` never asks: `*` on line 9 comes later and allows it",
        hint: "move the allowing rule above it, or write `order: strictest`",
        at: { file: m.at(CONFIG), line: 8, column: 11 },
      },
    ]);
  });

  test.each<[claim: string, order: RuleOrder, rules: readonly string[], found: readonly string[]]>([
    [
      "an earlier allow swallows it where the first wins",
      "first-match",
      ["pattern: drop*, action: allow", "pattern: drop_*, action: deny"],
      ["warning 8:5 the rule `drop_*` never denies a call: `drop*` on line 7 comes earlier and allows it"],
    ],
    [
      "a deny that comes to an ask",
      "last-match",
      ["pattern: drop_*, action: deny", "pattern: '*', action: ask"],
      ["warning 7:5 the rule `drop_*` never denies a call: `*` on line 8 comes later and only asks about it"],
    ],
    [
      "an allow that comes to a deny",
      "last-match",
      ["pattern: get, action: allow", "pattern: '*', action: deny"],
      ["warning 7:5 the rule `get` never allows a call: `*` on line 8 decides first"],
    ],
    [
      "told by the one that decides of several",
      "last-match",
      ["pattern: get, action: deny", "pattern: g*, action: allow", "pattern: '*', action: deny"],
      [
        "warning 7:5 the rule `get` never denies a call: `*` on line 9 decides first",
        "warning 8:5 the rule `g*` never allows a call: `*` on line 9 decides first",
      ],
    ],
    [
      "a rule on arguments behind one on more of them",
      "last-match",
      [
        "pattern: write, args: { path: /etc/*, mode: '6*' }, action: deny",
        "pattern: write, args: { path: /* }, action: allow",
      ],
      [
        'warning 7:5 the rule `write with {"path":"/etc/*","mode":"6*"}` never denies a call: `write with {"path":"/*"}` on line 8 comes later and allows it',
      ],
    ],
    [
      "a rule for an agent behind one for more of them",
      "last-match",
      ["pattern: get, agents: [ci-1], action: ask", "pattern: get, agents: [ci-*, dev], action: allow"],
      [
        'warning 7:5 the rule `get by ["ci-1"]` never asks: `get by ["ci-*","dev"]` on line 8 comes later and allows it',
      ],
    ],
  ])("%s", (_claim, order, rules, found) => {
    expect(ruled(order, ...rules)).toEqual(found);
  });

  test("in an agent's layer its `agents` say nothing more, and others never match", () => {
    expect(
      told(
        "agents:",
        "  ci:",
        "    order: first-match",
        "    rules:",
        "      - { pattern: get, agents: [c*], action: allow }",
        "      - { pattern: get, action: deny }",
        "      - { pattern: put, agents: [dev], action: deny }",
      ),
    ).toEqual([
      'warning 10:11 the rule `get` never denies a call: `get by ["c*"]` on line 9 comes earlier and allows it',
      'warning 11:11 the rule `put by ["dev"]` never matches: it is a rule of the agent `ci`, but its `agents` do not list that agent',
    ]);
  });
});

describe("check finds a rule that an allow reaches into (C5, S0-10)", () => {
  test.each<[claim: string, order: RuleOrder, rules: readonly string[], found: readonly string[]]>([
    [
      "a later one, by the name",
      "last-match",
      ["pattern: drop_*, action: deny", "pattern: '*_table', action: allow"],
      [
        "warning 7:5 the rule `drop_*` does not deny every call that it covers: `*_table` on line 8 comes later and allows some",
      ],
    ],
    [
      "an earlier one, where the first wins",
      "first-match",
      ["pattern: '*_table', action: allow", "pattern: drop_*, action: ask"],
      [
        "warning 8:5 the rule `drop_*` does not ask about every call that it covers: `*_table` on line 7 comes earlier and allows some",
      ],
    ],
    [
      "an allow of everything for some agents",
      "last-match",
      ["pattern: drop_*, action: deny", "pattern: 'd*', agents: [ci], action: allow"],
      [
        'warning 7:5 the rule `drop_*` does not deny every call that it covers: `d* by ["ci"]` on line 8 comes later and allows some',
      ],
    ],
    [
      "arguments of which one may be the other",
      "last-match",
      ["pattern: write, args: '*rm*', action: deny", "pattern: write, args: { path: /tmp/* }, action: allow"],
      [
        'warning 7:5 the rule `write with "*rm*"` does not deny every call that it covers: `write with {"path":"/tmp/*"}` on line 8 comes later and allows some',
      ],
    ],
    [
      "not where a stricter rule takes that allow away again",
      "last-match",
      [
        "pattern: drop_*, action: deny",
        "pattern: '*_table', action: allow",
        "pattern: '*_table', action: ask",
      ],
      ["warning 8:5 the rule `*_table` never allows a call: `*_table` on line 9 decides first"],
    ],
  ])("%s", (_claim, order, rules, found) => {
    expect(ruled(order, ...rules)).toEqual(found);
  });
});

describe("check finds what lets more run than it seems, or says nothing", () => {
  test.each<[claim: string, lines: readonly string[], found: readonly string[]]>([
    [
      "an allow for every tool",
      ['rules: [{ pattern: "*", action: allow }]'],
      ["warning 5:11 the rule `*` lets every tool run without asking, unless another rule asks or denies"],
    ],
    [
      "an allow for every tool, however that is written",
      ['rules: [{ pattern: "**", action: allow }]'],
      ["warning 5:11 the rule `**` lets every tool run without asking, unless another rule asks or denies"],
    ],
    [
      "an allow for every tool with certain arguments is none",
      ['rules: [{ pattern: "*", args: { path: /tmp/* }, action: allow }]'],
      [],
    ],
    [
      "destructive tools unasked",
      ["risk_defaults: { destructive: allow }"],
      ["warning 5:20 `destructive: allow` lets destructive tools without a rule run without asking"],
    ],
    [
      "a timeout that never comes",
      ["timeout: 1m", "on_timeout: wait"],
      ["warning 5:3 `timeout` has no effect: with `on_timeout: wait` a request never expires"],
    ],
    [
      "a timeout of what is kept for days",
      ["timeout: 1m", "wait: suspend"],
      ["warning 5:3 `timeout` has no effect: with `wait: suspend` a request expires after `keep`"],
    ],
    [
      "an end that comes before",
      ["keep: 2d", "on_timeout: deny"],
      ["warning 5:3 `keep` has no effect: with `on_timeout: deny` every request expires after `timeout`"],
    ],
    [
      "arguments that no JSON text is",
      ["rules: [{ pattern: shell, args: rm *, action: deny }]"],
      [
        'warning 5:11 the rule `shell with "rm *"` never matches: the text of all arguments is JSON, from `{` to `}`',
      ],
    ],
  ])("%s", (_claim, lines, found) => {
    expect(told(...lines)).toEqual(found);
  });

  test.each<[claim: string, rule: string, shell: string, found: readonly string[]]>([
    [
      "but no question about a command, which an allow of every command leaves",
      "pattern: shell, action: allow",
      "{ pattern: rm, allowed: false }, { pattern: git push }",
      [],
    ],
    [
      "an allow that a question about every command overrides",
      "pattern: sh*, action: ask",
      "{ pattern: git log, approval: false }",
      [
        "warning 7:7 the rule `git log` never allows: the tool rule `sh*` asks about every command that no shell rule denies",
      ],
    ],
    [
      "an allow that a question overrides, also if another rule on tools allows one command",
      "pattern: shell, action: ask }\n    - { pattern: shell, args: { script: zzqq }, action: allow",
      "{ pattern: git log, approval: false }",
      [
        "warning 7:7 the rule `git log` never allows: the tool rule `shell` asks about every command that no shell rule denies",
      ],
    ],
    ["but no denial", "pattern: shell, action: allow", "{ pattern: rm, allowed: false }", []],
    ["but nothing if every command is denied", "pattern: shell, action: deny", "{ pattern: git push }", []],
    [
      "but nothing that the rule on tools leaves to the shell rules",
      "pattern: shell, agents: [ci], action: allow",
      "{ pattern: git push }",
      [],
    ],
  ])("%s", (_claim, rule, shell, found) => {
    const m = machine({
      [CONFIG]: `${PLAIN}approval:\n  order: last-match\n  rules:\n    - { ${rule} }\nshell: { rules: [${shell}] }\n`,
    });
    expect(
      findings(loadConfig(m.host, { config: m.at(CONFIG) })).map(
        ({ severity, message, at }) => `${severity} ${at?.line}:${at?.column} ${message}`,
      ),
    ).toEqual(found);
  });
});

const glob = fc.constantFrom("*", "a*", "*b", "a*b", "ab", "b", "*a*");
const rule: fc.Arbitrary<ToolRule> = fc.record({
  pattern: glob,
  args: fc.oneof(
    fc.constant(undefined),
    fc.dictionary(fc.constantFrom("k", "l"), glob, { maxKeys: 2, noNullPrototype: true }),
  ),
  agents: fc.option(fc.array(glob, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  action: fc.constantFrom("allow", "ask", "deny"),
});
const word = fc.constantFrom("ab", "b", "axb", "ba", "a");
const call = fc
  .tuple(
    word,
    fc.dictionary(fc.constantFrom("k", "l"), word, { noNullPrototype: true }),
    fc.option(word, { freq: 3 }),
  )
  .map(([tool, input, agent]) => invocationOf(tool, input, agent));
const list = fc.array(rule, { minLength: 1, maxLength: 5 });
const order = fc.constantFrom(...RuleOrder.options);

describe("laws of the linter", () => {
  test("a rule that is told to be dead is picked for no call", () => {
    fc.assert(
      fc.property(list, order, call, (rules, how, one) => {
        const { dead } = toolOrderFaults({ path: [], agent: null, order: how, rules });
        const picked = pickRule(rules, how, one);
        expect(dead.map(({ index }) => rules[index])).not.toContain(picked);
      }),
      { numRuns: 3_000 },
    );
  });

  test("in an agent's layer a rule that is told to be dead is picked for no call of that agent", () => {
    fc.assert(
      fc.property(list, order, call, word, (rules, how, one, agent) => {
        const { dead } = toolOrderFaults({ path: [], agent, order: how, rules });
        const picked = pickRule(rules, how, invocationOf(one.tool, one.input, agent));
        expect(dead.map(({ index }) => rules[index])).not.toContain(picked);
      }),
      { numRuns: 3_000 },
    );
  });

  test("a call that a rule asks about or denies, and that an allow of its list lets pass, is told or an exception", () => {
    const asksOrDenies = rule.filter(({ action }) => action !== "allow");
    const allows = rule.filter(({ action }) => action === "allow");
    const oneDecides = order.filter((how) => how !== "strictest");
    fc.assert(
      fc.property(asksOrDenies, allows, oneDecides, call, (strict, loose, how, one) => {
        const rules = how === "last-match" ? [strict, loose] : [loose, strict];
        fc.pre(pickRule([strict], how, one) !== undefined && pickRule(rules, how, one) === loose);
        const { dead, partlyAllowed } = toolOrderFaults({ path: [], agent: null, order: how, rules });
        const isException = toolOrderFaults({
          path: [],
          agent: null,
          order: "first-match",
          rules: [strict, loose],
        }).dead.some(({ index }) => index === 1);
        expect(dead.length + partlyAllowed.length > 0 || isException).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("three thousand rules are held against each other in a person's patience", () => {
    const rules = Array.from(
      { length: 3_000 },
      (_, at): ToolRule => ({
        pattern: `tool_*_${at}`,
        action: at % 2 === 0 ? "allow" : "deny",
      }),
    );
    expect(toolOrderFaults({ path: [], agent: null, order: "last-match", rules })).toEqual({
      dead: [],
      partlyAllowed: [],
    });
  });
});
