import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GitSetting, parseGitConfig, readGitConfig } from "../../../src/host/runtimes/git-config.ts";
import { findRuntimes } from "../../../src/host/runtimes.ts";
import { freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();

describe("a git config file", () => {
  const texts: readonly (readonly [
    claim: string,
    text: string,
    settings: Readonly<Record<string, string | null>>,
  ])[] = [
    ["sections and keys in any case", "[User]\n\tNAME = Ada\n", { "user.name": "Ada" }],
    ["a key on the line of its section", "[user] name = Ada\n", { "user.name": "Ada" }],
    ["no end of line at the end", "[user]name=Ada", { "user.name": "Ada" }],
    [
      "white space inside kept, around it dropped",
      "[user]\nname =   Ada  King\t \n",
      { "user.name": "Ada  King" },
    ],
    ["quotes keep everything", '[user]\nname = " Ada # King; "\n', { "user.name": " Ada # King; " }],
    ["quotes in the middle", '[user]\nname = Ada" "King\n', { "user.name": "Ada King" }],
    ["escapes", '[user]\nname = A\\"d\\\\a\\tK\n', { "user.name": 'A"d\\a\tK' }],
    ["comments", "# c\n[user] ; c\nname = Ada # King\n; email = x\n", { "user.name": "Ada" }],
    ["a line that goes on", "[user]\nname = Ada \\\n  King\n", { "user.name": "Ada   King" }],
    [
      "a byte order mark and Windows lines",
      "\uFEFF[user]\r\nname = Ada\r\nemail = a@b\r\n",
      { "user.name": "Ada", "user.email": "a@b" },
    ],
    [
      "a subsection is another section",
      '[user "x.Y"]\nname = Eve\n[user]\nname = Ada\n',
      { "user.x.Y.name": "Eve", "user.name": "Ada" },
    ],
    [
      "a subsection of a section without a name, after which git reads on",
      '[ "x"]\nname = Eve\n[user]\nname = Ada\n',
      { ".x.name": "Eve", "user.name": "Ada" },
    ],
    ["a key without a value", "[user]\nname\nemail = a@b\n", { "user.name": null, "user.email": "a@b" }],
    ["an empty value", "[user]\nname =\nemail = \n", { "user.name": "", "user.email": "" }],
    [
      "include is not followed",
      "[include]\npath = /etc/passwd\n[user]\nname = Ada\n",
      { "include.path": "/etc/passwd", "user.name": "Ada" },
    ],
    [
      "an open quote ends it",
      '[user]\nemail = a@b\nname = "Ada\n[user]\nname = Eve\n',
      { "user.email": "a@b" },
    ],
    ["an unknown escape ends it", "[user]\nemail = a@b\nname = A\\da\nname = Eve\n", { "user.email": "a@b" }],
    [
      "a key outside of sections is nobody's",
      "name = Eve\n[user]\nname = Ada\n",
      { name: "Eve", "user.name": "Ada" },
    ],
    ["what is no config ends it", "[user]\nname = Ada\n{}\nname = Eve\n", { "user.name": "Ada" }],
    [
      "what ends a line elsewhere ends no comment here",
      "# a\u{2028}b\n[user]\nname = Ada ; c\u{2029}\\d\n#\rq\nemail = a@b\n",
      { "user.name": "Ada", "user.email": "a@b" },
    ],
    ["nothing", "", {}],
  ];

  test.each(texts)("%s", (_claim, text, settings) => {
    expect(parseGitConfig(text)).toEqual(Object.entries(settings).map(([name, value]) => ({ name, value })));
  });

  test("a tab within a value is one, and a space too", () => {
    const values = parseGitConfig('[a]\nb = \tx\ty \t"\tz"\t\nc = x y\n').map(({ value }) => value);
    expect(values).toEqual(["x\ty \t\tz", "x y  \tz", "x y"]);
  });

  test.each([
    ["[a]\nb = c\n", true],
    ["", true],
    ["[a]\nb = c\n{}\n", false],
    ['[a]\nb = "c\n', false],
    ["[]\n", false],
  ])("%j is one to its end: %s", (text, isWhole) => {
    expect(readGitConfig(text).isWhole).toBe(isWhole);
  });

  const git = spawnSync("git", ["--version"], { encoding: "utf8" });
  if (git.status !== 0) console.warn("the parser is not compared with git: git is not installed");

  test.runIf(git.status === 0)("means what git takes it for, whatever its text", () => {
    const token = fc.constantFrom(
      "[user]",
      '[user "a\\"b"]',
      "[a.B]",
      '[ "s"]',
      "[",
      "]",
      "name",
      "e-mail",
      "=",
      " = ",
      "x",
      "é",
      " ",
      "\t",
      "\n",
      "\\\n",
      '"',
      "\\",
      "\\n",
      "\\t",
      '\\"',
      "#",
      ";",
      "\r\n",
      "\r",
      "\u{2028}",
      "\u{2029}",
    );
    const line = fc.oneof(
      fc.constantFrom("[user]\n", '[s "Sub"]\n'),
      fc.array(token, { maxLength: 6 }).map((parts) => `name = ${parts.join("")}\n`),
    );
    const text = fc
      .oneof(fc.array(line, { maxLength: 6 }), fc.array(token, { maxLength: 16 }))
      .map((parts) => parts.join(""));
    let understood = 0;
    fc.assert(
      fc.property(text, (config) => {
        tree().add({ config });
        const { status, stdout } = spawnSync(
          "git",
          ["config", "--file", tree().at("config"), "--list", "-z"],
          { encoding: "utf8" },
        );
        if (status !== 0) return;
        expect(readGitConfig(config).isWhole).toBe(true);
        const told = stdout
          .split("\0")
          .slice(0, -1)
          .map((entry) => {
            const end = entry.indexOf("\n");
            return end === -1
              ? { name: entry, value: null }
              : { name: entry.slice(0, end), value: entry.slice(end + 1) };
          });
        understood += told.length;
        // In git's order, and beside it nothing but other readings.
        const settings = parseGitConfig(config);
        let last = -1;
        for (const one of told) {
          last = settings.findIndex((setting, at) => at > last && isDeepStrictEqual(setting, one));
          expect(last).not.toBe(-1);
        }
        expect(new Set(settings.map(spaced))).toEqual(new Set(told.map(spaced)));
      }),
      { numRuns: 150 },
    );
    expect(understood).toBeGreaterThan(30);
  });
});

/** Git before 2.45 made a space of every tab in a value. */
function spaced({ name, value }: GitSetting): string {
  return JSON.stringify([name, value?.replace(/[\t\r]/g, " ") ?? null]);
}

describe("the git runtime", () => {
  const env = (variables: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
    tree().add({ "opt/git/bin/git": PROGRAM, "opt/git/libexec/git-core/git-log": PROGRAM });
    return findRuntimes(tree().host(variables, ["opt/git/bin"]), ["git"], [])[0]?.env ?? expect.unreachable();
  };

  test("is its program and what that runs, and nothing of the caller's config", () => {
    tree().add({ "home/me/.gitconfig": "[user]\nname = Ada\n" });
    expect(env()).toEqual({
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Ada",
    });
    const [git] = findRuntimes(tree().host({}, ["opt/git/bin"]), ["git"], []);
    expect(git).toMatchObject({ read: [tree().at("opt/git")], path: [tree().at("opt/git/bin")] });
  });

  test("carries name and address alone: no helper, no credential, no alias", () => {
    tree().add({
      "home/me/.gitconfig":
        '[credential]\nhelper = store\n[alias]\nx = !rm\n[user]\nname = Ada\nemail = a@b\nsigningkey = k\n[url "https://t@h"]\ninsteadOf = h\n',
    });
    expect(env()).toEqual({
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Ada",
      GIT_CONFIG_KEY_1: "user.email",
      GIT_CONFIG_VALUE_1: "a@b",
    });
  });

  test("takes ~/.gitconfig before the folder's file, and of one file the last value", () => {
    tree().add({ "home/me/.config/git/config": "[user]\nname = Folder\nemail = folder@h\n" });
    tree().add({ "home/me/.gitconfig": "[user]\nname = First\nname = Last\n" });
    expect(env()).toMatchObject({ GIT_CONFIG_VALUE_0: "Last", GIT_CONFIG_VALUE_1: "folder@h" });
    tree().add({ "xdg/git/config": "[user]\nemail = xdg@h\n" });
    expect(env({ XDG_CONFIG_HOME: tree().at("xdg") })).toMatchObject({
      GIT_CONFIG_VALUE_0: "Last",
      GIT_CONFIG_VALUE_1: "xdg@h",
    });
  });

  test("says nothing where the caller has no name, an empty one, or one that no variable can hold", () => {
    expect(env()).toEqual({});
    tree().add({ "home/me/.gitconfig": "[user]\nname =\nemail\n" });
    expect(env()).toEqual({});
    tree().add({ "home/me/.gitconfig": "[user]\nname = A\0B\n" });
    expect(env()).toEqual({});
  });
});
