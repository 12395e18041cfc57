import { describe, expect, test } from "vitest";
import { findings } from "../../../src/config/check.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { machine, PLAIN } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

function told(
  config: string,
  files: Readonly<Record<string, string>> = {},
  profiles: readonly string[] = [],
): readonly string[] {
  const m = machine({ [CONFIG]: config, ...files });
  const found = findings(loadConfig(m.host, { config: m.at(CONFIG), profiles }));
  expect(found.every(({ hint }) => hint.length > 0)).toBe(true);
  return found.map(
    ({ severity, message, at }) =>
      `${severity} ${at === null ? "-" : `${at.file.split("/").at(-1)}:${at.line}:${at.column}`} ${message.replaceAll(m.folder, "~")}`,
  );
}

const rules = (order: string, ...list: readonly string[]): string =>
  `${PLAIN}shell:\n  order: ${order}\n  rules:\n${list.map((rule) => `    - { ${rule} }\n`).join("")}`;

describe("check finds", () => {
  test("nothing in a config that does what it says", () => {
    expect(
      told(
        rules(
          "first-match",
          "pattern: git push, approval: true",
          "pattern: git, approval: false",
          "pattern: rm, allowed: false",
        ),
      ),
    ).toEqual([]);
  });

  const dead: readonly (readonly [claim: string, config: string, found: readonly string[]])[] = [
    [
      "a deny behind a wider allow",
      rules("first-match", "pattern: git, approval: false", "pattern: git push, allowed: false"),
      [
        "warning cofferdam.yaml:8:7 the rule `git push` never denies a call: `git` on line 7 comes earlier and allows it",
      ],
    ],
    [
      "an allow behind a wider ask",
      rules("first-match", "pattern: git *", "pattern: git status, approval: false"),
      [
        "warning cofferdam.yaml:8:7 the rule `git status` never allows a call: `git *` on line 7 decides first",
      ],
    ],
    [
      "the same rule twice",
      rules("first-match", "pattern: ls", "pattern: ls"),
      ["warning cofferdam.yaml:8:7 the rule `ls` never asks: `ls` on line 7 decides first"],
    ],
    [
      "an allow under a stricter one that stands later",
      rules("strictest", "pattern: git status, approval: false", "pattern: git"),
      ["warning cofferdam.yaml:7:7 the rule `git status` never allows a call: `git` on line 8 decides first"],
    ],
    [
      "no deny under a wider allow where the strictest wins",
      rules("strictest", "pattern: git, approval: false", "pattern: git push, allowed: false"),
      [],
    ],
    [
      "no rule behind an exact one",
      rules("first-match", "pattern: git, approval: false, exact: true", "pattern: git push, allowed: false"),
      [],
    ],
    [
      "an exact rule behind a prefix",
      rules("first-match", "pattern: git, approval: false", "pattern: git push, exact: true"),
      [
        "warning cofferdam.yaml:8:7 the rule `git push` never asks: `git` on line 7 comes earlier and allows it",
      ],
    ],
    [
      "no rule with a glob behind one without",
      rules("first-match", "pattern: git push, approval: false", "pattern: git p*"),
      [],
    ],
  ];

  test.each(dead)("%s", (_claim, config, found) => {
    expect(told(config)).toEqual(found);
  });

  test("rules whose pattern never matches, operators' too", () => {
    const quoted = ["pattern: \"'git push' -f\", allowed: false", "pattern: git 'x'"];
    expect(told(rules("first-match", ...quoted))).toEqual([
      "warning cofferdam.yaml:7:7 the rule `'git push' -f` never matches: its program has quotes",
    ]);
    const approval = `${PLAIN}approval: { rules: [{ pattern: " ", action: deny }, { pattern: git push, action: deny }] }\n`;
    const operators = `profile: p
approval:
  rules:
    - { shell: " ", action: deny }
    - { shell: '"rm" -rf', action: deny }
    - { pattern: git push, action: deny }
    - { pattern: "shell:rm", action: deny }
    - { pattern: shell, args: rm *, action: deny }
    - { shell: git push, action: deny }
`;
    expect(told(approval, { "etc/profiles.d/p.yaml": operators })).toEqual([
      "warning cofferdam.yaml:4:21 the rule ` ` never matches: it is blank",
      "warning cofferdam.yaml:4:53 the rule `git push` never matches: tool names have no blanks, quotes or colons",
      "warning - the rule ` ` never matches: it is blank",
      'warning - the rule `"rm" -rf` never matches: its program has quotes',
      "warning - the rule `git push` never matches: tool names have no blanks, quotes or colons",
      "warning - the rule `shell:rm` never matches: tool names have no blanks, quotes or colons",
      'warning - the rule `shell with "rm *"` never matches: the text of all arguments is JSON, from `{` to `}`',
    ]);
  });

  test("a rule that allows by its path what another asks about by its name", () => {
    const allows = "pattern: /usr/bin/git status, approval: false";
    expect(told(rules("first-match", allows, "pattern: git"))).toEqual([
      "warning cofferdam.yaml:7:7 the rule `/usr/bin/git status` never allows a call: `git` covers the same program by name",
    ]);
    expect(told(rules("first-match", allows, "pattern: git push"))).toEqual([]);
  });

  test("no rule behind one that speaks of some roots only", () => {
    const paths =
      "  paths: { a: { root: ., mode: ro }, b: { root: sub, mode: ro } }\nshell:\n  rules:\n    - { pattern: cat, approval: false, sandbox_paths: [a] }\n";
    const files = { "home/ann/project/sub/x": "" };
    expect(told(`${PLAIN}${paths}    - { pattern: cat }\n`, files)).toEqual([]);
    expect(told(`${PLAIN}${paths}    - { pattern: cat, sandbox_paths: [a, b] }\n`, files)).toEqual([]);
    expect(told(`${PLAIN}${paths}    - { pattern: cat x, sandbox_paths: [a] }\n`, files)).toHaveLength(1);
  });

  test("an allowed program that tools could write", () => {
    const config = (program: string): string =>
      `${PLAIN}  paths: { a: { root: ., mode: rw } }\nshell: { rules: [{ pattern: ${program}, approval: false }] }\n`;
    expect(told(config("./build.sh"))).toEqual([
      "warning cofferdam.yaml:5:18 the rule `./build.sh` never allows a call: tools can replace its program",
    ]);
    const readOnly = config("./bin/build.sh").replace("mode: rw }", "mode: rw }, b: { root: bin, mode: ro }");
    expect(told(readOnly, { "home/ann/project/bin/build.sh": "" })).toEqual([]);
    expect(told(config("/usr/bin/make"))).toEqual([]);
    expect(told(config("make"))).toEqual([]);
  });

  test("an allowed command that only an exact rule lets pass", () => {
    const config = (rule: string): string => `${PLAIN}shell: { rules: [{ ${rule}, approval: false }] }\n`;
    expect(told(config("pattern: find . -delete"))).toEqual([
      "warning cofferdam.yaml:4:18 the rule `find . -delete` never allows a call: `-delete` writes or removes files, which needs an exact rule",
    ]);
    expect(told(config("pattern: find . -delete, exact: true"))).toEqual([]);
    expect(told(config("pattern: find ."))).toEqual([]);
  });

  test("variables that operators cut off, and not the default ones", () => {
    const profile = { "etc/profiles.d/p.yaml": "profile: p\nenv: [LANG, NODE_*]\n" };
    expect(
      told(`${PLAIN}  env: { pass: [LANG, HOME_*], set: { CI: "1", NODE_ENV: test } }\n`, profile),
    ).toEqual([
      "error cofferdam.yaml:4:23 operators do not allow the variable `HOME_*`",
      "error cofferdam.yaml:4:39 operators do not allow the variable `CI`",
    ]);
    expect(told(PLAIN, profile)).toEqual([]);
  });

  test("a mode that operators do not allow", () => {
    expect(told(`${PLAIN}approval: { mode: approve_all }\n`, {}, ["strict"])).toEqual([
      "error cofferdam.yaml:4:13 operators do not allow the approval mode `approve_all`",
    ]);
    expect(told(`${PLAIN}approval: { mode: strict }\n`, {}, ["strict"])).toEqual([]);
  });

  test("a network that a profile does not name, and roots that it cuts", () => {
    const config = `${PLAIN}  paths: { a: { root: ., mode: rw } }\nshell: { network: host }\n`;
    expect(told(config, {}, ["read-only", "no-network"])).toEqual([
      "error cofferdam.yaml:5:10 the profile `no-network` does not allow the machine's own network",
      expect.stringMatching(
        /^warning cofferdam.yaml:4:12 the root `a` may only be read: `~\/home\/ann\/project` has access read by `read-only` at .*\/read-only\.yaml:\d+:\d+$/,
      ),
    ]);
  });

  test("a runtime that a profile cuts off", () => {
    const config = "version: 1\nsandbox:\n  runtimes: [{ name: tools, read: [./tools] }]\n";
    const files = {
      "home/ann/project/tools/x": "",
      "etc/profiles.d/p.yaml": "profile: p\nfiles: [{ path: /srv, access: read }]\n",
    };
    expect(told(config, files)).toEqual([
      "error p.yaml:2:1 the profile `p` does not allow `~/home/ann/project/tools`, which programs of tools need to start",
    ]);
    const twin = 'profile: p\nfiles: [{ path: "${runtime}", access: read }]\n';
    expect(told(config, { ...files, "etc/profiles.d/p.yaml": twin })).toEqual([]);
  });

  test("a mask that says one path and does not say from where", () => {
    const files = {
      "home/ann/project/conf/secret.txt": "",
      "etc/profiles.d/p.yaml": "profile: p\nmasks: [{ pattern: conf/secret.txt, at_most: none }]\n",
    };
    expect(told(PLAIN, files)).toEqual([
      "warning p.yaml:2:9 the mask `conf/secret.txt` covers only files that exist when a call starts",
    ]);
    expect(
      told(PLAIN, {
        ...files,
        "etc/profiles.d/p.yaml":
          'profile: p\nmasks: [{ pattern: "${workspace}/conf/secret.txt", at_most: none }]\n',
      }),
    ).toEqual([]);
  });
});
