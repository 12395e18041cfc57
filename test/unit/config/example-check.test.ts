import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { trustFile } from "../../../src/config/trust.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const PROFILE = "etc/profiles.d/p.yaml";

/** What loading says, with the config's text below `PLAIN`; null when it loads. */
function loading(config: string, profile = "profile: p\n") {
  const m = machine({ [CONFIG]: `${PLAIN}${config}`, [PROFILE]: profile });
  const run = (): unknown => loadConfig(m.host, { config: m.at(CONFIG) });
  try {
    run();
    return null;
  } catch {
    return refusalOf(run, m.folder);
  }
}

describe("a config whose rule fails an example of its own is refused where the example stands", () => {
  const place = (line: number, column: number): string => `~/${CONFIG}:${line}:${column}`;

  test("a rule on tools", () => {
    const config = (list: string): string =>
      `approval:\n  rules:\n    - { pattern: get_*, action: allow }\n    - pattern: drop_*\n      action: deny\n      ${list}:\n        - drop_table\n        - get_table\n`;
    expect(loading(config("match"))).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yaml:11:11",
        "code": "CONFIG_INVALID",
        "exit": 65,
        "hint": "change the rule, or the example",
        "message": "an example fails: the rule \`drop_*\` does not cover \`get_table\`",
      }
    `);
    expect(loading(config("not_match"))).toMatchObject({
      message: "an example fails: the rule `drop_*` covers `drop_table`",
      at: place(10, 11),
    });
    expect(loading(config("match").replace("- get_table", "- drop_x"))).toBeNull();
  });

  test("a rule on tools of an agent, whose name may hold a dot", () => {
    const config = (example: string): string =>
      `approval:\n  agents:\n    deploy.bot:\n      rules:\n        - { pattern: deploy_*, args: { to: prod }, action: ask, match: ['${example}'] }\n`;
    expect(loading(config('deploy_app {"to": "test"}'))).toMatchObject({
      code: "CONFIG_INVALID",
      message:
        'an example fails: the rule `deploy_* with {"to":"prod"}` does not cover `deploy_app {"to": "test"}`',
      at: place(8, 73),
    });
    expect(loading(config('deploy_app {"to": "prod"}'))).toBeNull();
  });

  test("a rule on command lines", () => {
    const config = (examples: string): string =>
      `shell: { rules: [{ pattern: git push, approval: true, ${examples} }] }\n`;
    expect(loading(config("not_match: [git status, git -C sub push]"))).toMatchObject({
      message: "an example fails: the rule `git push` covers `git -C sub push`",
      at: place(4, 79),
    });
    expect(loading(config("match: [git -C sub push], not_match: [git status]"))).toBeNull();
  });

  test("the others are counted", () => {
    expect(loading("approval: { rules: [{ pattern: a, action: ask, match: [b, c, '{'] }] }\n")).toMatchObject(
      {
        message: "an example fails: the rule `a` does not cover `b`, and 2 more",
      },
    );
  });

  test("one that is not understood, whichever way it should go", () => {
    const config = (list: string): string =>
      `approval: { rules: [{ pattern: a, action: ask, ${list}: ['a {"x": 1,}'] }] }\n`;
    for (const list of ["match", "not_match"]) {
      expect(loading(config(list))).toMatchObject({
        code: "CONFIG_INVALID",
        message: expect.stringContaining("can't be parsed: the arguments are not valid JSON"),
        hint: "send JSON, each key once",
      });
    }
  });
});

describe("an operator file whose rule fails an example of its own is refused where the example stands", () => {
  const profile = (rule: string): string => `profile: p\napproval:\n  rules:\n    - { ${rule} }\n`;

  test("a rule on command lines", () => {
    expect(loading("", profile("shell: git push, action: deny, match: [git  push -f, git status]"))).toEqual({
      exit: 65,
      code: "PROFILE_INVALID",
      message: "an example fails: the rule `git push` does not cover `git status`",
      hint: "change the rule, or the example",
      at: `~/${PROFILE}:4:62`,
    });
    const fine = "shell: git push, action: deny, match: [git -C sub push], not_match: [git status]";
    expect(loading("", profile(fine))).toBeNull();
  });

  test("a rule on tools", () => {
    const rule = (example: string): string =>
      profile(`pattern: write, args: { path: /etc/* }, action: deny, not_match: ['write ${example}']`);
    expect(loading("", rule('{"path": "/etc/passwd"}'))).toMatchObject({ code: "PROFILE_INVALID" });
    expect(loading("", rule('{"path": "/tmp/x"}'))).toBeNull();
  });
});

test("as many and as long examples as a stranger's config can hold are read in a person's patience", () => {
  const [words, options] = ["-a".concat(" -a".repeat(800)), "-b".concat(" -b".repeat(10))];
  const rule = (): string =>
    `    - { pattern: g ${words}, approval: false, not_match: [${Array.from({ length: 64 }, () => `g ${options}`).join(", ")}] }\n`;
  const m = machine({ [CONFIG]: `${PLAIN}shell:\n  rules:\n${rule().repeat(220)}` });
  expect(trustFile(m.host).loaded.config.shell.rules).toHaveLength(220);
});
