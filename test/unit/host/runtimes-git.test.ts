import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type GitSetting,
  parseGitConfig,
  readGitConfig,
} from "../../../src/host/look/runtimes/git-config.ts";
import { CARRIED, isCarried } from "../../../src/host/look/runtimes/git-keys.ts";
import { printSetting } from "../../../src/host/look/runtimes/git-text.ts";
import { FOLDER, FORMAT, TEXT } from "../../../src/host/look/runtimes/git-values.ts";
import { findRuntimes } from "../../../src/host/look/runtimes.ts";
import type { AbsolutePath } from "../../../src/profile/path.ts";
import type { HomeFile } from "../../../src/tool/facts.ts";
import { fatesOf } from "../../support/git/refused-keys.ts";
import { freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const git = spawnSync("git", ["--version"], { encoding: "utf8" });

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
  const files = (
    variables: Readonly<Record<string, string>> = {},
    roots: readonly AbsolutePath[] = [],
  ): readonly HomeFile[] => {
    tree().add({ "opt/git/bin/git": PROGRAM, "opt/git/libexec/git-core/git-log": PROGRAM });
    const [git] = findRuntimes(tree().host(variables, ["opt/git/bin"]), ["git"], roots);
    return git?.files ?? expect.unreachable();
  };
  /** What git inside reads as the person's configuration. */
  const carried = (...given: Parameters<typeof files>): Readonly<Record<string, string | null>> =>
    settingsOf(files(...given), ".gitconfig");
  const settingsOf = (all: readonly HomeFile[], name: string) =>
    Object.fromEntries(
      parseGitConfig(all.find((one) => one.name === name)?.text ?? "").map((one) => [one.name, one.value]),
    );

  test("is its program and what that runs", () => {
    files();
    const [git] = findRuntimes(tree().host({}, ["opt/git/bin"]), ["git"], []);
    expect(git).toMatchObject({ read: [tree().at("opt/git")], path: [tree().at("opt/git/bin")], env: {} });
  });

  test("carries what can run nothing, by value, and leaves out all else", () => {
    tree().add({
      "home/me/.gitconfig": `
[credential]\nhelper = store
[alias]\nx = !rm\ny = log
[user]\nname = Ada\nemail = a@b
[core]\npager = evil\nsshCommand = evil\nhooksPath = evil\nfsmonitor = evil\nautocrlf = input\neditor = evil
[pull]\nrebase = merges
[filter "x"]\nclean = evil
[filter "lfs"]\nclean = git-lfs clean -- %f
[gpg]\nprogram = evil
[url "https://t@h"]\ninsteadOf = h
[init]\ndefaultBranch = trunk\ntemplateDir = evil
[color "branch"]\ncurrent = yellow bold
`,
    });
    expect(carried()).toEqual({
      "user.name": "Ada",
      "user.email": "a@b",
      "core.autocrlf": "input",
      "pull.rebase": "merges",
      "init.defaultbranch": "trunk",
      "color.branch.current": "yellow bold",
    });
  });

  test("carries a value only where git documents it for the key", () => {
    const lines = (rebase: string, branch: string, pretty: string): string =>
      `[pull]\nrebase = ${rebase}\n[init]\ndefaultBranch = ${branch}\n[format]\npretty = "${pretty}"\n`;
    tree().add({ "home/me/.gitconfig": lines("evil", "-x", "%h %G?") });
    expect(files()).toEqual([]);
    tree().add({ "home/me/.gitconfig": lines("true", "x", "%h %s") });
    expect(carried()).toEqual({ "pull.rebase": "true", "init.defaultbranch": "x", "format.pretty": "%h %s" });
  });

  test("takes ~/.gitconfig after the folder's file, and both after the machine's", () => {
    tree().add({ "etc/gitconfig": "[user]\nname = Machine\n[fetch]\nprune\n" });
    tree().add({ "home/me/.config/git/config": "[user]\nname = Folder\nemail = folder@h\n" });
    tree().add({ "home/me/.gitconfig": "[user]\nname = First\nname = Last\n" });
    const system = { GIT_CONFIG_NOSYSTEM: "0", GIT_CONFIG_SYSTEM: tree().at("etc/gitconfig") };
    expect(carried(system)).toEqual({ "user.name": "Last", "user.email": "folder@h", "fetch.prune": null });
    expect(carried()).toEqual({ "user.name": "Last", "user.email": "folder@h" });
    tree().add({ "xdg/git/config": "[user]\nemail = xdg@h\n" });
    expect(carried({ XDG_CONFIG_HOME: tree().at("xdg") })).toEqual({
      "user.name": "Last",
      "user.email": "xdg@h",
    });
    const named = { GIT_CONFIG_GLOBAL: tree().at("etc/gitconfig"), GIT_CONFIG_COUNT: "1" };
    expect(carried({ ...named, GIT_CONFIG_KEY_0: "user.Email", GIT_CONFIG_VALUE_0: "env@h" })).toEqual({
      "user.name": "Machine",
      "user.email": "env@h",
      "fetch.prune": null,
    });
  });

  test("reads what is included, under its condition where it has one", () => {
    tree().add({
      "home/me/.gitconfig":
        '[include]\npath = sub/plain\npath = gone\n[includeIf "gitdir:~/work/"]\npath = ~/work.inc\n',
      "home/me/sub/plain": "[user]\nname = Plain\n[include]\npath = deeper\n",
      "home/me/sub/deeper": "[user]\nemail = deeper@h\n[include]\npath = ../.gitconfig\n",
      "home/me/work.inc": "[user]\nemail = work@h\n[core]\npager = evil\n",
    });
    const all = files();
    const condition = `includeif.gitdir:${tree().home}/work/.path`;
    const included = settingsOf(all, ".gitconfig")[condition]?.slice("~/".length) ?? "";
    expect(settingsOf(all, ".gitconfig")).toMatchObject({ "user.name": "Plain", "user.email": "deeper@h" });
    expect(settingsOf(all, included)).toEqual({ "user.email": "work@h" });
  });

  test("hands on lists of patterns by their content, without comments, where git finds them", () => {
    tree().add({
      "home/me/.gitconfig": "[core]\nexcludesFile = ~/ig\n",
      "home/me/ig": "# private\n*.o\n\\#x\n",
      "home/me/.config/git/attributes": "*.bin binary\n",
    });
    const all = files();
    const config = settingsOf(all, ".gitconfig");
    const textAt = (key: string) => all.find(({ name }) => `~/${name}` === config[key])?.text;
    expect(textAt("core.excludesfile")).toBe("*.o\n\\#x\n");
    expect(textAt("core.attributesfile")).toBe("*.bin binary\n");
  });

  test("takes nothing from a root: not the file, nor what it includes or names", () => {
    tree().add({
      "home/me/.gitconfig": "[user]\nname = Ada\n[include]\npath = ~/p/inc\n[core]\nexcludesFile = ~/p/ig\n",
      "home/me/p/inc": "[user]\nname = Eve\n",
      "home/me/p/ig": "*\n",
    });
    expect(carried({}, [tree().at("home/me/p")])).toEqual({ "user.name": "Ada", "core.excludesfile": "" });
    expect(carried()).toMatchObject({ "user.name": "Eve" });
  });

  test("carries LFS's filter where git-lfs is found by PATH inside, and in its known values alone", () => {
    const lfs = (clean: string) =>
      `[filter "lfs"]\nclean = ${clean}\nsmudge = git-lfs smudge -- %f\nprocess = git-lfs filter-process\nrequired = true\n`;
    tree().add({ "home/me/.gitconfig": lfs("git-lfs clean -- %f") });
    expect(files()).toEqual([]);
    tree().add({ "opt/git/bin/git-lfs": PROGRAM });
    expect(Object.keys(carried())).toEqual(
      ["clean", "smudge", "process", "required"].map((key) => `filter.lfs.${key}`),
    );
    tree().add({ "home/me/.gitconfig": lfs("evil; git-lfs clean -- %f") });
    expect(carried()).not.toHaveProperty("filter.lfs.clean");
  });

  test("gives what signs only beside the variable by which the signer is found, and a key by its content", () => {
    tree().add({
      "home/me/.gitconfig":
        "[commit]\ngpgsign = true\n[gpg]\nformat = ssh\nprogram = evil\n[user]\nsigningkey = ~/.ssh/id\n",
      "home/me/.ssh/id": "PRIVATE",
      "home/me/.ssh/id.pub": "ssh-ed25519 AAAA me@here\n",
    });
    const signing = files().find(({ needs }) => needs === "SSH_AUTH_SOCK");
    expect(parseGitConfig(signing?.text ?? "")).toEqual([
      { name: "commit.gpgsign", value: "true" },
      { name: "gpg.format", value: "ssh" },
      { name: "user.signingkey", value: "key::ssh-ed25519 AAAA" },
    ]);
    expect(JSON.stringify(files())).not.toMatch(/PRIVATE|evil/);
  });

  test("makes no file where there is nothing to carry, or what no file can hold", () => {
    expect(files()).toEqual([]);
    tree().add({ "home/me/.gitconfig": "[user]\nname =\nemail\n" });
    expect(files()).toEqual([]);
    tree().add({ "home/me/.gitconfig": "[user]\nname = A\0B\n" });
    expect(files()).toEqual([]);
  });

  test.runIf(git.status === 0)("writes any value so that git reads it as it was", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((one) => TEXT(one));
    fc.assert(
      fc.property(text, text, (name, pretty) => {
        const config =
          printSetting("user.name", name) + printSetting(`includeif.onbranch:${pretty}.path`, "x");
        tree().add({ config });
        expect(parseGitConfig(config)).toEqual([
          { name: "user.name", value: name },
          { name: `includeif.onbranch:${pretty}.path`, value: "x" },
        ]);
        const { stdout } = spawnSync("git", ["config", "--file", tree().at("config"), "-z", "user.name"]);
        expect(stdout.toString()).toBe(`${name}\0`);
      }),
      { numRuns: 40 },
    );
  });
});

describe("the table of keys that are carried", () => {
  const listed = spawnSync("git", ["help", "--config"], { encoding: "utf8" }).stdout.split("\n");
  const keys = listed.map((line) => line.trim()).filter((line) => /^[\w-]+\.\S+$/.test(line));

  test.runIf(git.status === 0)(
    "speaks of every key that git lists: it is carried, or refused for one reason",
    () => {
      const ends = keys.map((key) => [key, ...fatesOf(key)]);
      expect(ends.filter((one) => one.length !== 2)).toEqual([]);
      expect(keys.length).toBeGreaterThan(400);
    },
  );

  test.each([
    ["core.pager", "less"],
    ["alias.x", "log"],
    ["core.sshCommand", "ssh"],
    ["core.hooksPath", "hooks"],
    ["filter.x.clean", "cat"],
    ["diff.x.textconv", "cat"],
    ["merge.x.driver", "cat"],
    ["credential.helper", "store"],
    ["gpg.program", "gpg"],
    ["gpg.ssh.defaultKeyCommand", "true"],
    ["include.path", "x"],
    ["includeIf.gitdir:/x.path", "x"],
    ["init.templateDir", "/x"],
    ["pull.twohead", "evil"],
    ["pager.log", "true"],
    ["core.fsmonitor", "true"],
    ["http.proxy", "http://h"],
    ["url.x.insteadOf", "y"],
    ["protocol.ext.allow", "always"],
    ["interactive.diffFilter", "cat"],
    ["trace2.eventTarget", "af_unix:/x"],
    ["sequence.editor", "vi"],
    ["help.autoCorrect", "immediate"],
    ["log.showSignature", "true"],
    ["remote.origin.url", "x"],
  ])("does not carry %s", (key, value) => {
    expect(isCarried(key.toLowerCase(), value)).toBe(false);
    expect(isCarried("pull.rebase", "true")).toBe(true);
  });

  test("has no check that lets through a line break, and none but of text that lets through a command", () => {
    for (const { keys: group } of CARRIED)
      for (const [key, check] of Object.entries(group)) {
        expect([key, check("a\nb")]).toEqual([key, false]);
        const isText = check === TEXT || check === FORMAT || check === FOLDER;
        if (!isText)
          expect([key, check("sh -c 'x'"), check("!x"), check("/bin/x`y`"), check("$(x)")]).toEqual([
            key,
            false,
            false,
            false,
            false,
          ]);
      }
  });
});
