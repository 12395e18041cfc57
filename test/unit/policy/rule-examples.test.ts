import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  failedOperatorExamples,
  failedShellExamples,
  failedToolExamples,
} from "../../../src/policy/rule-examples.ts";
import { coversInvocation, invocationOf, ToolRule } from "../../../src/policy/tool-rule.ts";
import { ShellRule } from "../../../src/shell/rule.ts";

const tool = (rule: object, agent: string | null = null): readonly string[] =>
  failedToolExamples(ToolRule.parse({ action: "ask", ...rule }), agent).map(({ message }) => message);
const shell = (rule: object): readonly string[] =>
  failedShellExamples(ShellRule.parse(rule)).map(({ message }) => message);
const operator = (match: readonly string[], not: readonly string[]): readonly string[] =>
  failedOperatorExamples({ shell: "git push", action: "deny", match: [...match], not_match: [...not] }).map(
    ({ message }) => message,
  );

describe("an example of a rule on tools", () => {
  test("is a name, and may have arguments", () => {
    const rule = { pattern: "write_*", args: { path: "/etc/*" } };
    const covered = ['write_file {"path": "/etc/passwd"}', 'write_ {"path":"/etc/","mode":6}'];
    const others = ["write_file", 'write_file {"path": "/tmp/x"}', 'read_file {"path": "/etc/passwd"}'];
    expect(tool({ ...rule, match: covered, not_match: others })).toEqual([]);
    expect(tool({ ...rule, match: others, not_match: covered })).toEqual([
      ...others.map(
        (one) => `an example fails: the rule \`write_* with {"path":"/etc/*"}\` does not cover \`${one}\``,
      ),
      ...covered.map(
        (one) => `an example fails: the rule \`write_* with {"path":"/etc/*"}\` covers \`${one}\``,
      ),
    ]);
  });

  test("says which one of which list it is", () => {
    const rule = ToolRule.parse({
      pattern: "a",
      action: "deny",
      match: ["a", "b"],
      not_match: ["c", "d", "a"],
    });
    expect(failedToolExamples(rule).map(({ list, index }) => [list, index])).toEqual([
      ["match", 1],
      ["not_match", 2],
    ]);
  });

  test("speaks of the first of the rule's agents, in an agent's layer of that agent", () => {
    const rule = { pattern: "a", agents: ["ci*", "ops"], match: ["a"] };
    expect([tool(rule), tool(rule, "ops"), tool(rule, "ci-1")]).toEqual([[], [], []]);
    expect(tool(rule, "dev")).toHaveLength(1);
  });

  test.each([
    ["a {", /^the example `a {` can't be parsed: the arguments are not valid JSON: /],
    ['a {"x": 1, "x": 2}', /can't be parsed: .*occurs twice/],
    ["a [1]", /has arguments that are not an object$/],
    ['a "x"', /has arguments that are not an object$/],
    ["", /does not begin with a tool's name$/],
    ["  ", /does not begin with a tool's name$/],
    ["drop_*", /does not begin with a tool's name$/],
    ['a{"x":1}', /does not begin with a tool's name$/],
    ["shell:rm", /does not begin with a tool's name$/],
  ])("that is not understood fails in either list: %s", (example, message) => {
    for (const list of ["match", "not_match"]) {
      const found = tool({ pattern: "*", [list]: [example] });
      expect(found).toEqual([expect.stringMatching(message)]);
    }
  });

  test("fails exactly when the rule would say otherwise about that call", () => {
    const word = fc.constantFrom("a", "ab", "b");
    const given = fc.dictionary(fc.constantFrom("k", "l"), word, { noNullPrototype: true });
    const glob = fc.constantFrom("*", "a*", "b");
    fc.assert(
      fc.property(
        glob,
        fc.dictionary(fc.constantFrom("k", "l"), glob, { minKeys: 1 }),
        word,
        given,
        (pattern, args, name, input) => {
          const rule = ToolRule.parse({ pattern, args, action: "deny" });
          const example = `${name} ${JSON.stringify(input)}`;
          const isCovered = coversInvocation(rule, invocationOf(name, input, null));
          expect(failedToolExamples({ ...rule, match: [example] }).length).toBe(isCovered ? 0 : 1);
          expect(failedToolExamples({ ...rule, not_match: [example] }).length).toBe(isCovered ? 1 : 0);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("an example of a rule on command lines", () => {
  test("matches where an operator's rule speaks, also past options and under the program's own name", () => {
    const covered = ["git push", "git  push --force", "git -C sub push", "/usr/bin/git push"];
    const others = ["git", "git status", "git pushx", "echo git push"];
    expect(operator(covered, others)).toEqual([]);
    expect(operator(others, covered)).toHaveLength(8);
  });

  test("of which nobody knows whether the rule covers it counts as not covered", () => {
    const rule = { shell: "docker push", action: "ask" } as const;
    expect(failedOperatorExamples({ ...rule, not_match: ["docker --context x push"] })).toEqual([]);
    expect(failedOperatorExamples({ ...rule, match: ["docker --context x push"] })).toHaveLength(1);
  });

  test("of an operator's rule on tools is a call", () => {
    const rule = { pattern: "drop_*", action: "deny" } as const;
    expect(failedOperatorExamples({ ...rule, match: ["drop_table {}"], not_match: ["get"] })).toEqual([]);
    expect(failedOperatorExamples({ ...rule, match: ["git push"] })).toHaveLength(1);
  });

  test("of a rule that asks nobody is covered as written only, of a stricter one as it is judged", () => {
    const lines = ["git -C sub push", "/usr/bin/git push"];
    expect(shell({ pattern: "git push", approval: false, not_match: lines, match: ["git push -f"] })).toEqual(
      [],
    );
    expect(shell({ pattern: "git push", match: lines })).toEqual([]);
    expect(shell({ pattern: "git push", allowed: false, not_match: lines })).toHaveLength(2);
  });

  test("knows `exact`", () => {
    const rule = { pattern: "git push", exact: true, match: ["git push"] };
    expect(shell({ ...rule, not_match: ["git push -f", "git -C sub push"] })).toEqual([]);
    expect(shell({ ...rule, exact: false, not_match: ["git push -f"] })).toEqual([
      "an example fails: the rule `git push` covers `git push -f`",
    ]);
  });

  test("is a line of bash, quotes and all: a strict rule speaks of any of its commands, one that lets pass of all", () => {
    const lines = ['true && git "push"', "x $(git push)", "git push | cat"];
    expect(operator(lines, ["echo 'git push'"])).toEqual([]);
    const own = ['git "push" -f', "git push; git push -f >/dev/null"];
    expect(shell({ pattern: "git push", approval: false, match: own, not_match: lines })).toEqual([]);
    const sorts = { match: ["sort x"], not_match: ["sort -o y x"] };
    expect(shell({ pattern: "sort", approval: false, ...sorts })).toEqual([]);
  });

  test.each([
    ["", "the example `` is blank"],
    ['git commit -m "x', "the example `git commit -m \"x` can't be parsed"],
    ["a ".repeat(50_000), /is too long to be compared with its rule$/],
  ])("that is not understood fails in either list: %.20s", (example, message) => {
    const told = typeof message === "string" ? message : expect.stringMatching(message);
    expect(shell({ pattern: "a b", match: [example] })).toEqual([told]);
    expect(shell({ pattern: "a b", not_match: [example] })).toEqual([told]);
  });
});
