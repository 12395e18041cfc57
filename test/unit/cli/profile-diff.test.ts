import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { diffProfiles } from "../../../src/cli/profile-diff.ts";
import { readShipped } from "../../../src/config/shipped.ts";
import { machine, PLAIN } from "../config/machine.ts";
import { screen } from "./screen.ts";

/** What `profile diff a.yaml b.yaml --fail-if-wider` prints, as text and as JSON, and its status. */
async function diff(a: string, b: string) {
  const m = machine({
    "home/ann/project/cofferdam.yaml": PLAIN,
  });
  const placed = (text: string): string => text.replaceAll("~", m.folder);
  m.write({
    "home/ann/project/a.yaml": `profile: a\n${placed(a)}`,
    "home/ann/project/b.yaml": `profile: b\n${placed(b)}`,
  });
  const request = {
    names: ["a.yaml", "b.yaml"],
    failIfWider: true,
    config: m.at("home/ann/project/cofferdam.yaml"),
  };
  const [text, data] = [screen(), screen()];
  const exit = await diffProfiles(m.host, { ...request, json: false }, text.print);
  expect(await diffProfiles(m.host, { ...request, json: true }, data.print)).toBe(exit);
  const told = (said: string): string => said.replaceAll(m.folder, "~");
  return {
    exit,
    lines: told(text.stdout()).trimEnd().split("\n"),
    json: JSON.parse(told(data.stdout())),
    said: told(text.stderr()).split("\n")[0],
  };
}

const DEMANDS = `run_as: not-root
approval:
  rules: [{ shell: "git push", action: deny }, { pattern: "drop_*", action: ask }]
  modes: [strict]
  session_grants: false
`;

describe("what an operator demands is compared", () => {
  test("a profile that demands nothing any more is wider, each demand on a line of its own", async () => {
    const more = [
      "run_as: run tools as root",
      "approval: run `git push` at all (denied in the other)",
      "approval: call tools named `drop_*` without asking a person (the other asks)",
      "approval: answer requests by the mode `interactive`",
      "approval: answer requests by the mode `approve_all`",
      "approval: let an approval last for the session",
    ];
    expect(await diff(DEMANDS, "")).toEqual({
      exit: 1,
      lines: ["`b.yaml` allows, and `a.yaml` does not:", ...more.map((line) => `  + ${line}`)],
      json: { wider: true, more, less: [] },
      said: "cofferdam: `b.yaml` allows more than `a.yaml`: it may run tools as root",
    });
  });

  test("a rule is told with the arguments that it is about", async () => {
    const rule = (args: string): string =>
      `approval: { rules: [{ pattern: write, args: ${args}, action: deny }] }\n`;
    expect((await diff(rule("{ path: /etc/*, mode: '6*' }"), rule("{ path: /etc/ssh/* }"))).json).toEqual({
      wider: true,
      more: [
        'approval: call tools named `write` with `{"path":"/etc/*","mode":"6*"}` at all (denied in the other)',
      ],
      less: ['approval: call tools named `write` with `{"path":"/etc/ssh/*"}` at all (denied in the other)'],
    });
    expect((await diff(rule("{ path: /etc/ssh/* }"), rule("{ path: /etc/* }"))).exit).toBe(0);
  });

  test("one that demands more is not", async () => {
    const { exit, json, said } = await diff("", DEMANDS);
    expect([exit, json.wider, json.more, json.less.length, said]).toEqual([0, false, [], 6, ""]);
  });

  test("the same demands in another spelling are the same", async () => {
    const { exit, lines } = await diff(
      DEMANDS,
      DEMANDS.replace("git push", " git  push ").replace("[strict]", "[strict, strict]"),
    );
    expect([exit, lines]).toEqual([0, ["`a.yaml` and `b.yaml` allow the same"]]);
  });

  test("what can't be told counts as wider", async () => {
    const { exit, said } = await diff(
      'approval: { rules: [{ shell: "*/git push", action: deny }] }\n',
      'approval: { rules: [{ shell: "git push", action: deny }] }\n',
    );
    expect([exit, said]).toEqual([
      1,
      "cofferdam: `b.yaml` may allow more than `a.yaml`: it may perhaps run `*/git push` at all (denied in the other)",
    ]);
  });

  test("what a profile extends demands with it", async () => {
    expect(await diff("extends: [strict]\n", "extends: [strict]\napproval: {}\n")).toMatchObject({ exit: 0 });
  });

  test("the shipped `strict` without its `approval` is wider than `strict`", async () => {
    const { path } = readShipped("strict", { code: "PROFILE_INVALID", by: "PROFILE_INVALID", at: null });
    const text = readFileSync(path, "utf8").replace(/^profile: .*\n/m, "");
    const without = text.replace(/^approval:\n( .*\n)*/m, "");
    expect([without === text, (await diff(text, without)).json]).toEqual([
      false,
      {
        wider: true,
        more: [
          "approval: answer requests by the mode `approve_all`",
          "approval: let an approval last for the session",
        ],
        less: [],
      },
    ]);
    expect((await diff(without, text)).exit).toBe(0);
  });
});

describe("the same here is not the same everywhere", () => {
  const mask = (pattern: string): string => `masks: [{ pattern: "${pattern}", at_most: none }]\n`;
  const file = (path: string): string => `files: [{ path: "${path}", access: write }]\n`;

  test.each([
    [
      "a mask on the workspace, now on the folder that it is here",
      mask("${workspace}/**/*.key"),
      mask("~/home/ann/project/**/*.key"),
      /^write `\$\{workspace\}\/.*\.key`.*, with another workspace and home$/,
    ],
    [
      "a mask on a file in the home",
      mask("${home}/.netrc"),
      mask("~/home/ann/.netrc"),
      /^write `\$\{home\}\/\.netrc`.*, with another workspace and home$/,
    ],
    [
      "an entry for the home that is now one for the workspace",
      file("${home}"),
      file("${workspace}"),
      /^write `\$\{workspace\}` .*, with another workspace and home$/,
    ],
  ])("%s", async (_, a, b, line) => {
    const { exit, json, said } = await diff(a, b);
    expect([exit, json.wider, json.more]).toEqual([1, true, [expect.stringMatching(line)]]);
    expect(said).toMatch(/ allows more than `a.yaml`: it may write .*, with another workspace and home$/);
  });

  test("the variable in place of the folder is found the other way round", async () => {
    const { json } = await diff(mask("~/home/ann/project/**/*.key"), mask("${workspace}/**/*.key"));
    expect([json.wider, json.less.length]).toEqual([true, 1]);
  });

  test("two that write the same folder or the same variable, with an example of this place, are the same", async () => {
    for (const path of ["${workspace}", "~/home/ann/project", "${home}"]) {
      const text = `${file(path)}expect: [{ deny: read, path: /etc/shadow }, { allow: read, path: "~/home/ann/project/x" }]\n`;
      expect(await diff(text, text)).toMatchObject({ exit: 0, json: { wider: false, more: [], less: [] } });
    }
  });
});
