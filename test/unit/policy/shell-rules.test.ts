import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_OPERATOR, type OperatorRule } from "../../../src/policy/approval-section.ts";
import type { Verdict } from "../../../src/policy/verdict.ts";
import { coversWords, ShellRule, shellAction, shellPattern } from "../../../src/shell/rule.ts";
import { workMs } from "../../support/load/held-loop.ts";
import { type AllRules, approvalOf, type Judged, judgeCommand, judged } from "./judge-command.ts";

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

interface Given {
  readonly rules?: readonly unknown[];
  readonly operator?: readonly OperatorRule[];
  readonly order?: "first-match" | "strictest";
  readonly allowed?: boolean;
  readonly approval?: boolean;
  readonly isToolAllowed?: boolean;
}

/** Rules under which what no rule covers runs unasked, unless `approval` says otherwise. */
const inForce = (given: Given): AllRules => ({
  operator: { ...NO_OPERATOR, rules: given.operator ?? [] },
  approval: approvalOf({
    rules: given.isToolAllowed === true ? [{ pattern: "shell", action: "allow" }] : [],
  }),
  shell: {
    rules: (given.rules ?? []).map((rule) => ShellRule.parse(rule)),
    order: given.order ?? "first-match",
    default: { allowed: given.allowed ?? true, approval: given.approval ?? false },
  },
});

const said = (line: string, given: Given, more: Partial<Judged> = {}): Verdict =>
  judgeCommand(judged(line.split(" "), more), inForce(given));
const action = (line: string, given: Given, more: Partial<Judged> = {}): Verdict["action"] =>
  said(line, given, more).action;

const GIT = { programNames: ["git", "/usr/bin/git", "/bin/git"] };

describe("a program by another name", () => {
  test("is denied by a rule that is written with a path", () => {
    const project = { rules: [{ pattern: "/usr/bin/rm", allowed: false }] };
    const operators = { operator: [{ shell: "/usr/bin/rm", action: "deny" } as const] };
    for (const given of [project, operators]) {
      expect(action("rm x", given, { programNames: ["rm", "/usr/bin/rm"] })).toBe("deny");
      expect(action("/bin/rm x", given, { programNames: ["rm", "/bin/rm", "/usr/bin/rm"] })).toBe("deny");
      expect(action("ls x", given, { programNames: ["ls", "/usr/bin/ls"] })).toBe("allow");
    }
  });

  test("is asked about where its own name would be", () => {
    const given = { rules: [{ pattern: "git commit" }] };
    expect(action("/usr/bin/git commit", given, GIT)).toBe("ask");
    expect(action("/usr/bin/git status", given, GIT)).toBe("allow");
  });

  test("is not let pass by a rule that lets its own name pass", () => {
    const given = { rules: [{ pattern: "git", approval: false }], approval: true };
    expect(action("git status", given, GIT)).toBe("allow");
    expect(action("/usr/bin/git status", given, GIT)).toBe("ask");
  });

  test("is not let pass by a rule that stands before the one that knows it", () => {
    const given = {
      rules: [
        { pattern: "/usr/bin/*", approval: false },
        { pattern: "git push", allowed: false },
      ],
    };
    expect(action("/usr/bin/git push", given, GIT)).toBe("deny");
    expect(action("/usr/bin/git status", given, GIT)).toBe("allow");
  });

  test("a rule that asks does not stand in for one further down that denies another of its names", () => {
    const given = { rules: [{ pattern: "/usr/bin/git" }, { pattern: "git push", allowed: false }] };
    expect(action("git push", given, GIT)).toBe("deny");
    expect(action("/usr/bin/git push", given, GIT)).toBe("deny");
  });

  test("a rule that asks lets no other name past a default that denies", () => {
    const given = { rules: [{ pattern: "git" }], allowed: false };
    expect(action("git x", given, GIT)).toBe("ask");
    expect(action("/usr/bin/git x", given, GIT)).toBe("deny");
  });
});

describe("spellings of one program", () => {
  const SPELLINGS = ["git", "/usr/bin/git", "/bin/git", "./link"];
  const arbRule = fc
    .record({
      program: fc.constantFrom(...SPELLINGS, "g*", "/usr/bin/*", "*", "rm"),
      rest: fc.constantFrom("", " push", " -f", " push -f"),
      allowed: fc.boolean(),
      approval: fc.boolean(),
      exact: fc.boolean(),
    })
    .map(({ program, rest, ...more }) => ShellRule.parse({ ...more, pattern: `${program}${rest}` }));
  const arbOperator = fc.record({
    shell: fc.constantFrom(...SPELLINGS.flatMap((name) => [name, `${name} push`])),
    action: fc.constantFrom("ask" as const, "deny" as const),
  });
  const arbRest = fc.array(fc.constantFrom("push", "-f", "-C", ".", "x"), { maxLength: 4 });
  const spelled = (word: string, rest: readonly string[]): Judged =>
    judged([word, ...rest], { programNames: [...new Set([word.replace(/.*\//, ""), ...SPELLINGS])] });

  test("no spelling is looser than another, unless a rule allows that very spelling", () => {
    fc.assert(
      fc.property(
        fc.array(arbRule, { maxLength: 5 }),
        fc.array(arbOperator, { maxLength: 2 }),
        fc.constantFrom("first-match" as const, "strictest" as const),
        fc.boolean(),
        fc.constantFrom(...SPELLINGS),
        fc.constantFrom(...SPELLINGS),
        arbRest,
        (rules, operator, order, approval, one, other, rest) => {
          const isAllowed = rules.some(
            (rule) =>
              shellAction(rule) === "allow" &&
              coversWords(shellPattern(rule.pattern), [other, ...rest], rule.exact),
          );
          fc.pre(!isAllowed);
          const given = inForce({ rules, operator, order, approval });
          const [from, to] = [
            judgeCommand(spelled(one, rest), given),
            judgeCommand(spelled(other, rest), given),
          ];
          expect(RANK[to.action]).toBeGreaterThanOrEqual(RANK[from.action]);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe("options before the words of a rule", () => {
  const denying = { rules: [{ pattern: "git push", allowed: false }] };
  const demanding = { operator: [{ shell: "git push", action: "ask" } as const] };

  test("do not hide them", () => {
    expect(action("git -C . push", denying)).toBe("deny");
    expect(action("git --git-dir=x --work-tree y push", denying)).toBe("deny");
    expect(said("git -C . push", demanding)).toMatchObject({ action: "ask", demandsPerson: true });
    expect(action("git -C push status", denying)).toBe("allow");
    expect(action("git commit -m push", denying)).toBe("allow");
  });

  test("that may have a value are asked about", () => {
    const docker = { rules: [{ pattern: "docker push", allowed: false }] };
    expect(said("docker --context x push", docker)).toMatchObject({
      action: "ask",
      reason: "this may be `docker push`, behind an option",
    });
    expect(action("docker --context x ps", docker)).toBe("allow");
    expect(action("docker --context x push", { ...docker, isToolAllowed: true })).toBe("ask");
    const operator = [{ shell: "docker push", action: "deny" } as const];
    expect(said("docker --context x push", { operator })).toMatchObject({
      action: "ask",
      demandsPerson: true,
    });
  });

  test("that give git another name for a command are asked about", () => {
    const given = {
      rules: [
        { pattern: "git push", allowed: false },
        { pattern: "git", approval: false },
      ],
    };
    expect(action("git -c alias.p=push p", given)).toBe("ask");
    expect(action("git status", given)).toBe("allow");
    expect(action("git -c alias.p=push p", { rules: [{ pattern: "git push" }] })).toBe("ask");
  });

  test("loosen nothing: a rule that allows covers only the words as written", () => {
    const given = { rules: [{ pattern: "git status", approval: false }], approval: true };
    expect(action("git -C /x status", given)).toBe("ask");
  });

  test("a rule that would ask past options does not stand in for one that denies the words as written", () => {
    const given = { rules: [{ pattern: "git push" }, { pattern: "git -C * push", allowed: false }] };
    expect(action("git -C . push", given)).toBe("deny");
  });
});

describe("a program that runs what its words say", () => {
  const LINES = [
    "bash -c git-push",
    "env git push",
    "nice git push",
    "xargs git push",
    "timeout 5 git push",
    "sudo git push",
    "busybox sh",
    "find . -exec git push",
  ];

  test.each(LINES)("`%s` is not run unasked where any rule denies or asks", (line) => {
    for (const rules of [[{ pattern: "git push", allowed: false }], [{ pattern: "git push" }]])
      expect(["ask", "deny"]).toContain(action(line, { rules }));
    expect(said(line, { operator: [{ shell: "git push", action: "deny" }] }).action).toBe("deny");
    expect(said(line, { operator: [{ shell: "git push", action: "ask" }] })).toMatchObject({
      action: "ask",
      demandsPerson: true,
    });
    expect(action(line, {})).toBe("allow");
    expect(action("make", { rules: [{ pattern: "git push", allowed: false }] })).toBe("allow");
  });

  test("is denied what its words plainly hold", () => {
    const given = {
      rules: [
        { pattern: "timeout", approval: false },
        { pattern: "git push", allowed: false },
      ],
    };
    expect(action("timeout 5 git push", given)).toBe("deny");
    expect(action("timeout 5 /usr/bin/git -C . push", given)).toBe("deny");
    expect(action("timeout 5 make", given)).toBe("allow");
  });

  test("is let pass by a rule that names it, and by no other", () => {
    const denying = { pattern: "rm", allowed: false };
    expect(action("bash -c x", { rules: [{ pattern: "bash -c", approval: false }, denying] })).toBe("allow");
    expect(action("bash -c x", { rules: [{ pattern: "*", approval: false }, denying] })).toBe("ask");
    expect(action("bash -c x", { rules: [{ pattern: "*", approval: false }] })).toBe("allow");
    expect(action("find . -exec x", { rules: [{ pattern: "find", approval: false }, denying] })).toBe("ask");
    expect(action("find . -name x", { rules: [{ pattern: "find", approval: false }, denying] })).toBe(
      "allow",
    );
    const operator = [{ shell: "rm", action: "deny" } as const];
    expect(action("bash -c x", { rules: [{ pattern: "bash -c", approval: false }], operator })).toBe("deny");
  });

  test("is not let pass by a rule for the whole tool where another rule denies", () => {
    const given = { rules: [{ pattern: "rm", allowed: false }], isToolAllowed: true };
    expect(said("bash -c x", given)).toMatchObject({
      action: "ask",
      reason: "`bash` runs its arguments, which can't be parsed",
    });
    expect(judgeCommand(judged(null), inForce(given)).action).toBe("ask");
    expect(action("make", given)).toBe("allow");
  });

  test("is judged in bounded time, and what is not read to its end is not let pass", () => {
    const words = ["xargs", ...Array.from({ length: 50_000 }, () => "git"), "rm", "x"];
    const rules = Array.from({ length: 20 }, (_, at) => ({ pattern: `git ${at} -x`, allowed: false }));
    const given = inForce({
      rules: [{ pattern: "xargs", approval: false }, { pattern: "* rm", allowed: false }, ...rules],
      operator: [{ shell: "git push", action: "ask" }],
    });
    const work = workMs(() => {
      expect(judgeCommand(judged(words), given).action).toBe("ask");
      expect(judgeCommand(judged(words), { ...given, operator: NO_OPERATOR }).action).toBe("ask");
    });
    expect(work).toBeLessThan(2_000);
  });

  test("is known through a link, and a file that is many programs only by the name it is called by", () => {
    const given = { rules: [{ pattern: "rm", allowed: false }] };
    expect(action("./x -c y", given, { programNames: ["x", "/w/x", "/usr/bin/bash", "bash"] })).toBe("ask");
    expect(action("ls", given, { programNames: ["ls", "/bin/ls", "/bin/busybox", "busybox"] })).toBe("allow");
    expect(action("sh x", given, { programNames: ["sh", "/bin/sh", "/bin/busybox", "busybox"] })).toBe("ask");
  });
});

test("a rule that does not speak for a program that tools may write says so", () => {
  const given = inForce({ rules: [{ pattern: "./x", approval: false }], approval: true });
  const reason = (words: readonly string[]) =>
    judgeCommand(judged(words, { programFile: "writable" }), given).reason;
  expect(reason(["./x", "y"])).toContain("tools may write `./x`");
  expect(reason(["./z"])).toBe("no rule covers this command");
});

test("a rule for exactly these words does not speak for one that bash alone knows", () => {
  const given = inForce({ rules: [{ pattern: "ls *", approval: false, exact: true }], approval: true });
  expect(judgeCommand(judged(["ls", "\0src/"]), given).action).toBe("ask");
  expect(judgeCommand(judged(["ls", "src/x"]), given).action).toBe("allow");
});

test("a word by which a program runs another asks under each rule of an operator", () => {
  const operator = { operator: [{ shell: "rm", action: "deny" } as const] };
  expect(action("split --filter=x y", operator)).toBe("ask");
  expect(action("split -l 1 y", operator)).toBe("allow");
  expect(action("rm x", operator)).toBe("deny");
});

test("a pattern for file names among git's own options may be the subcommand, and so may what stands behind `+x`", () => {
  const given = {
    rules: [
      { pattern: "git push", allowed: false },
      { pattern: "cargo publish", allowed: false },
    ],
  };
  const said = (...words: readonly string[]) => judgeCommand(judged(words), inForce(given)).action;
  expect(said("git", "-C", "\0p", "x")).toBe("ask");
  expect(said("git", "-C", "p", "log", "\0p")).toBe("allow");
  expect(said("cargo", "+nightly", "publish")).toBe("deny");
  expect(said("cargo", "+nightly", "build")).toBe("allow");
});

test("a program that may be another when its turn comes asks wherever any rule is stricter, and its words are no programs", () => {
  const unsettled = { programFile: "unsettled" } as const;
  const denies = { rules: [{ pattern: "rm", allowed: false }] };
  const operators = { operator: [{ shell: "rm", action: "deny" } as const] };
  for (const given of [denies, operators]) {
    expect(action("./x rm", given, unsettled)).toBe("ask");
    expect(action("./x rm", given, { programFile: "writable" })).toBe("allow");
    expect(action("rm x", given, unsettled)).toBe("deny");
    expect(said("./x rm", given, unsettled).reason).toContain("`./x` may be another program");
  }
  expect(action("./x rm", {}, unsettled)).toBe("allow");
  expect(action("./x", { rules: [{ pattern: "./x", approval: false }], approval: true }, unsettled)).toBe(
    "ask",
  );
});

test("a rule that asks and whose roots don't hold the paths leaves the call to the next rule, not to the default", () => {
  const outside = { arePathsInside: () => false };
  const asking = { pattern: "cat", sandbox_paths: ["notes"] };
  expect(action("cat /x", { rules: [asking] }, outside)).toBe("ask");
  expect(action("cat /x", { rules: [asking, { pattern: "cat", approval: false }] }, outside)).toBe("allow");
  expect(action("cat /x", { rules: [asking, { pattern: "cat", allowed: false }] }, outside)).toBe("deny");
});
