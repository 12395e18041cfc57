import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RepositorySign } from "../../../src/backend/repositories.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { RepositoryReader } from "../../../src/host/look/git/repositories.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { itNeeds } from "../../support/battery/needs.ts";

let top = "";
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "cofferdam-repositories-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const at = (name: string) => absolutePath(join(top, name));

function file(name: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  chmodSync(at(name), mode);
}

const caller = (env: Readonly<Record<string, string>> = {}) => ({
  user: { uid: 1, gid: 1, name: "you", home: at("home") },
  env: { XDG_CONFIG_HOME: at("xdg"), ...env },
});

/** Folders of hooks that a path from a repository's own folder names: each has one besides that from the working tree. */
const FROM_OWN_FOLDER = /(?:^|\/)\.git\/(?!.*hooks\/)/;

/**
 * What is obeyed because a configuration names it, by the path below the test's folder; hooks that are found from the
 * repository's own folder have a test of their own.
 */
function obeyed(
  kind: RepositorySign["kind"],
  name: string,
  reader = new RepositoryReader(),
  env: Readonly<Record<string, string>> = {},
): readonly string[] {
  const [found] = read(reader, caller(env), [{ kind, path: at(name), isWhole: true }]);
  const hooks = (found?.hooks ?? []).filter((path) => !FROM_OWN_FOLDER.test(path));
  return [...hooks, ...(found?.configs ?? [])].sort().map((path) => path.replace(`${top}/`, ""));
}

function read(
  reader: RepositoryReader,
  ...given: Parameters<RepositoryReader["read"]>
): ReturnType<RepositoryReader["read"]> extends Generator<void, infer Found> ? Found : never {
  const steps = reader.read(...given);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function runs(
  name: string,
  known: readonly string[] = [],
  kind: RepositorySign["kind"] = "folder",
): readonly string[] {
  const sign = (path: string): RepositorySign => ({ kind: "folder", path: at(path), isWhole: true });
  return new RepositoryReader().runs(caller(), { ...sign(name), kind }, known.map(sign)).names;
}

function link(name: string, target: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  symlinkSync(target, at(name));
}

function fifo(name: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  expect(spawnSync("mkfifo", [at(name)]).status).toBe(0);
}

describe("what a repository's configuration makes git obey", () => {
  it.each([
    ["nothing", "[core]\n\tbare = false\n", []],
    [
      "a folder of hooks from the working tree's top",
      "[core]\n\thooksPath = tools/hooks\n",
      ["r/tools/hooks"],
    ],
    ["the same in other letters", "[CORE]\nHOOKSPATH=h\n", ["r/h"]],
    ["one from the home", '[core]\nhooksPath = "~/h"\n', ["home/h"]],
    ["one above", "[core]\nhooksPath = ../h\n", ["h", "r/h"]],
    ["one that holds the working tree itself, which is left out", "[core]\nhooksPath = .\n", []],
    ["several, whichever wins", "[core]\nhooksPath = a\n[core]\nhooksPath = b\n", ["r/a", "r/b"]],
    ["an included file from the folder of the configuration", "[include]\npath = ../inc\n", ["r/inc"]],
    ["one under a condition", '[includeIf "gitdir:~/x/"]\npath = x.cfg\n', ["r/.git/x.cfg"]],
    [
      "hooks where the working tree is elsewhere",
      "[core]\nworktree = ../../w\nhooksPath = h\n",
      ["r/h", "w/h"],
    ],
  ])("%s", (_, text, paths) => {
    file("r/.git/config", text);
    expect(obeyed("folder", "r/.git")).toEqual(paths);
  });

  it.each([
    ["a relative folder, where hooks run for what is pushed into it", "h", ["r/.git/h", "r/h"]],
    ["nothing that holds the repository", "..", []],
    ["the home of a user by name", "~root/../h", ["/h"]],
    ["none of a user that there is not", "~nobody-of-that-name/h", []],
  ])("hooks that are found from a repository's own folder: %s", (_, written, paths) => {
    file("r/.git/config", `[core]\nhooksPath = ${written}\n`);
    const [found] = read(new RepositoryReader(), caller(), [
      { kind: "folder", path: at("r/.git"), isWhole: true },
    ]);
    expect(found?.hooks.map((path) => path.replace(`${top}/`, ""))).toEqual(paths);
  });

  it("hooks that are found from a worktree's part, wherever its tree lies", () => {
    file("r/.git/config", "[core]\nhooksPath = h\n");
    file("r/.git/worktrees/w/commondir", "../..\n");
    const [found] = read(new RepositoryReader(), caller(), [
      { kind: "folder", path: at("r/.git/worktrees/w"), isWhole: true },
    ]);
    expect(found?.hooks).toEqual([at("r/.git/worktrees/w/h")]);
  });

  it("what lies behind a link and back, as git goes there, and the link", () => {
    mkdirSync(at("far/deep"), { recursive: true });
    link("r/l", "../far/deep");
    file("far/inc", "[core]\nhooksPath = tools\n");
    file("r/.git/config", "[include]\npath = ../l/../inc\n");
    expect(obeyed("folder", "r/.git")).toEqual(["far/inc", "r/l", "r/tools"]);
    file("r/.git/config", "[core]\nhooksPath = l/../h\n");
    expect(obeyed("folder", "r/.git")).toEqual(["far/h", "r/.git/l", "r/l"]);
    file("r/.git/config", "[core]\nworktree = ../l/../w\nhooksPath = h\n");
    expect(obeyed("folder", "r/.git")).toEqual(["far/w/h", "r/h", "r/l"]);
  });

  it("by a `..` behind a name: what must not be made there, or changed, and the folders that must stay", () => {
    const needs = () => {
      const [found] = read(new RepositoryReader(), caller(), [
        { kind: "folder", path: at("r/.git"), isWhole: true },
      ]);
      const below = (path: string): string => path.replace(`${top}/`, "");
      return [found?.configs.map(below), found?.detours.map(below)];
    };
    mkdirSync(at("r/p/q/deep"), { recursive: true });
    file("r/.git/config", "[include]\npath = ../p/q/deep/../../../inc\n");
    expect(needs()).toEqual([["r/inc"], ["r/p", "r/p/q", "r/p/q/deep"]]);
    file("r/.git/config", "[include]\npath = ../p/q/deep/../../inc\n");
    expect(needs()).toEqual([["r/p/inc"], ["r/p/q", "r/p/q/deep"]]);
    file("r/.git/config", "[include]\npath = ../p/missing/../inc\n");
    expect(needs()).toEqual([["r/p/inc", "r/p/missing"], []]);
    file("r/p/file", "");
    file("r/.git/config", "[include]\npath = ../p/file/../inc\n");
    expect(needs()).toEqual([["r/p/file", "r/p/inc"], []]);
    file("r/.git/config", "[include]\npath = ../../r/inc\n");
    expect(needs()).toEqual([["r/inc"], []]);
  });

  it("what a name with a tab is for git before 2.45, and since", () => {
    file("r/.git/config", "[include]\npath = a\tb\n");
    expect(obeyed("folder", "r/.git")).toEqual(["r/.git/a\tb", "r/.git/a b"]);
  });

  it("what included files say, and those that they include, which need not be there", () => {
    file("r/.git/config", "[include]\npath = ../one\n");
    file("r/one", "[core]\nhooksPath = h\n[include]\npath = two\n");
    expect(obeyed("folder", "r/.git")).toEqual(["r/h", "r/one", "r/two"]);
  });

  it("ends where files include each other, however often", () => {
    file("r/.git/config", "[include]\npath = config\n");
    expect(obeyed("folder", "r/.git")).toEqual(["r/.git/config"]);
    file("r/.git/config", "[include]\npath = ../a\npath = ../b\n".repeat(20));
    for (const name of ["r/a", "r/b"]) file(name, "[include]\npath = a\npath = b\n".repeat(20));
    expect(obeyed("folder", "r/.git")).toEqual(["r/a", "r/b"]);
  });

  it("what the caller's own configuration says of all repositories", () => {
    file("home/.gitconfig", "[core]\nhooksPath = .hooks\n");
    file("xdg/git/config", "[include]\npath = more\n");
    mkdirSync(at("r/.git"), { recursive: true });
    expect(obeyed("folder", "r/.git")).toEqual(["r/.hooks", "xdg/git/more"]);
  });

  it("what the caller's environment says, or names a configuration by", () => {
    mkdirSync(at("r/.git"), { recursive: true });
    const under = (env: Readonly<Record<string, string>>) =>
      obeyed("folder", "r/.git", new RepositoryReader(), env);
    expect(under({})).toEqual([]);
    for (const name of ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"]) {
      file("other", "[core]\nhooksPath = theirs\n");
      expect(under({ [name]: at("other") })).toEqual(["r/theirs"]);
    }
    const given = {
      GIT_CONFIG_KEY_0: "Core.HooksPath",
      GIT_CONFIG_VALUE_0: "given",
      GIT_CONFIG_KEY_1: "includeIf.gitdir:Any.path",
      GIT_CONFIG_VALUE_1: at("other"),
    };
    expect(under({ GIT_CONFIG_COUNT: "2", ...given })).toEqual(["other", "r/given", "r/theirs"]);
    expect(under({ GIT_CONFIG_COUNT: "1", ...given })).toEqual(["r/given"]);
    for (const count of ["0", "-1", "x", "1e9"])
      expect(under({ GIT_CONFIG_COUNT: count, GIT_CONFIG_KEY_7: "core.hooksPath" })).toEqual([]);
  });

  it("what begins at the folder of the name that it is included by, links on the way followed, its own not", () => {
    file("r/else/deep/y", "[include]\npath = ../z\n");
    mkdirSync(at("r/d"));
    link("r/links/x", "../else/deep/y");
    file("r/.git/config", "[include]\npath = ../d/../links/x\n");
    expect(obeyed("folder", "r/.git")).toContain("r/z");
    file("s/deep/er/x", "[include]\npath = ../z\n");
    link("s/ld/l", "../deep/er");
    file("s/.git/config", "[include]\npath = ../ld/l/x\n");
    expect(obeyed("folder", "s/.git")).toContain("s/deep/z");
    // By two names it includes two.
    file("t/one/f", "[include]\npath = ../z\n");
    link("t/two/deep/f", "../../one/f");
    file("t/.git/config", "[include]\npath = ../one/f\npath = ../two/deep/f\n");
    expect(obeyed("folder", "t/.git")).toEqual(expect.arrayContaining(["t/z", "t/two/z"]));
  });

  it("whatever the number of line ends, names and repositories, at once", () => {
    const ends = "\n".repeat(1024 ** 2 - 100);
    file("w/.git", `gitdir: x${ends}x`);
    file("c/.git/HEAD", "");
    file("c/.git/commondir", `x${ends}x`);
    file("m/.git/config", `[include]\n${"path = a\n".repeat(40_000)}`);
    const links = Array.from({ length: 50 }, (_, n) => `links/${n}/.git`);
    for (const name of links) link(name, "../../m/.git");
    expect(obeyed("file", "w/.git")).toHaveLength(1);
    expect(obeyed("folder", "c/.git")).toHaveLength(1);
    const signs = links.map((name): RepositorySign => ({ kind: "link", path: at(name), isWhole: true }));
    expect(read(new RepositoryReader(), caller(), signs)).toHaveLength(50);
  });

  itNeeds(["/usr/bin/python3"], "what was changed without a trace in its times", async () => {
    file("r/.git/config", "[core]\nhooksPath = aa\n");
    const change = `import mmap, sys
f = open(sys.argv[1], "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:1] = b"["
print("dirty", flush=True); sys.stdin.readline(); m[-3:-1] = b"bb"; print("changed", flush=True); sys.stdin.readline()`;
    const child = spawn("/usr/bin/python3", ["-c", change, at("r/.git/config")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      await pause(100);
      const reader = new RepositoryReader();
      const before = statSync(at("r/.git/config"), { bigint: true });
      expect(obeyed("folder", "r/.git", reader)).toEqual(["r/aa"]);
      child.stdin.write("\n");
      await once(child.stdout, "data");
      const { ctimeNs, mtimeNs, size } = statSync(at("r/.git/config"), { bigint: true });
      expect({ ctimeNs, mtimeNs, size }).toEqual({
        ctimeNs: before.ctimeNs,
        mtimeNs: before.mtimeNs,
        size: before.size,
      });
      expect(obeyed("folder", "r/.git", reader)).toEqual(["r/bb"]);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("what the configuration of worktrees says", () => {
    file("r/.git/config.worktree", "[core]\nhooksPath = h\n");
    expect(obeyed("folder", "r/.git")).toEqual(["r/h"]);
  });

  it("in a bare repository hooks are found from its own folder", () => {
    file("bare/config", "[core]\nhooksPath = h\n");
    expect(obeyed("folder", "bare")).toEqual(["bare/h"]);
  });

  it.each([
    ["a file", "file", () => file("w/.git", "gitdir: ../r/.git/worktrees/w\n")],
    [
      "a link to a file",
      "link",
      () => {
        file("f", "gitdir: ../r/.git/worktrees/w\n");
        mkdirSync(at("w"));
        file("w/real", `gitdir: ${top}/r/.git/worktrees/w\n`);
        symlinkSync("real", at("w/.git"));
      },
    ],
    [
      "a link to a folder",
      "link",
      () => {
        mkdirSync(at("w"));
        symlinkSync("../r/.git/worktrees/w", at("w/.git"));
      },
    ],
  ] as const)(
    "by %s the common configuration is found, and hooks are found from that working tree",
    (_, kind, make) => {
      file("r/.git/config", "[core]\nhooksPath = h\n");
      file("r/.git/worktrees/w/commondir", "../..\n");
      make();
      expect(obeyed(kind, "w/.git")).toEqual(["w/h"]);
    },
  );

  it("is what the configuration of the home says that HOME names, too", () => {
    file("home/.gitconfig", "[core]\nhooksPath = a\n");
    file("other/.gitconfig", "[core]\nhooksPath = ~/b\n");
    mkdirSync(at("r/.git"), { recursive: true });
    expect(obeyed("folder", "r/.git")).toEqual(["r/a"]);
    const reader = new RepositoryReader();
    const [found] = read(reader, { ...caller(), env: { HOME: at("other") } }, [
      { kind: "folder", path: at("r/.git"), isWhole: true },
    ]);
    expect(found?.hooks).toEqual([at("other/b"), at("r/.git/a"), at("r/a")]);
  });

  it("are the links among the hooks, wherever the hooks are", () => {
    file("r/.git/config", "[core]\nhooksPath = tools\n");
    file("r/.git/hooks/pre-push", "");
    mkdirSync(at("r/tools"));
    symlinkSync("../../x", at("r/.git/hooks/pre-commit"));
    symlinkSync("../x", at("r/tools/pre-commit"));
    expect(obeyed("folder", "r/.git")).toEqual(["r/.git/hooks/pre-commit", "r/tools", "r/tools/pre-commit"]);
  });

  it("are the names by which a file's way goes through links, and what is not there", () => {
    mkdirSync(at("real/store"), { recursive: true });
    mkdirSync(at("w"));
    symlinkSync("real", at("link"));
    file("w/.git", "gitdir: ../link/store\n");
    expect(obeyed("file", "w/.git")).toEqual(["link/store/commondir"]);
    // Behind a link `..` is the kernel's to follow, so that the link itself must stay.
    file("w/.git", "gitdir: ../link/../real/store\n");
    expect(obeyed("file", "w/.git")).toEqual(["link"]);
    file("w/.git", "gitdir: ../real/gone\n");
    expect(obeyed("file", "w/.git")).toEqual(["real/gone"]);
    file("w/.git", "gitdir: ../real/store\r\n");
    expect(obeyed("file", "w/.git")).toEqual([]);
  });

  it.each(["", "gitdir:\n", "nonsense"])("a file that says %j leads nowhere", (text) => {
    file("w/.git", text);
    expect(obeyed("file", "w/.git")).toEqual([]);
  });

  describe("that can't be read as git would read it is refused", () => {
    const reason = (kind: RepositorySign["kind"], name: string): string => {
      try {
        return obeyed(kind, name).join(" ");
      } catch (cause) {
        if (!(cause instanceof CofferdamError) || cause.code !== "NOT_ENFORCEABLE") throw cause;
        return cause.message.replaceAll(`${top}/`, "");
      }
    };
    const told = (sign: string, file: string, why: string): string =>
      `the git repository \`${sign}\` can't be protected: \`${file}\` ${why}`;

    it.each([
      ["contains a NUL", () => file("r/.git/config", "[include]\npath = ../inc\0x\n")],
      ["names too many files", () => file("r/.git/config", `[a]\n${"b=c\n".repeat(50_001)}`)],
      [
        "names too many files",
        () => file("r/.git/config", `[a "${"b".repeat(500_000)}"]\n${"c\n".repeat(200_000)}`),
      ],
      ["is larger than 1 MiB", () => file("r/.git/config", `#${"x".repeat(1024 ** 2)}\n`)],
      ["is not a regular file", () => fifo("r/.git/config")],
      [
        "includes more than 1000 files",
        () =>
          file(
            "r/.git/config",
            `[include]\n${Array.from({ length: 1_001 }, (_, n) => `path = i${n}\n`).join("")}`,
          ),
      ],
      [
        "names more than 100 folders",
        () =>
          file(
            "r/.git/config",
            `[core]\n${Array.from({ length: 101 }, (_, n) => `hooksPath = i${n}\n`).join("")}`,
          ),
      ],
      ["leads through /proc or too many names", () => link("r/.git/config", "/proc/self/cwd/e")],
      ["leads through /proc or too many names", () => link("r/.git/config", "/proc/1/../thread-self/cwd/e")],
    ])("a configuration that %s", (why, make) => {
      file("r/.git/HEAD", "");
      make();
      expect(reason("folder", "r/.git")).toBe(told("r/.git", "r/.git/config", why));
    });

    it.each(["/proc/self/cwd/x", "/proc/thread-self/../x", "/proc/self/cwd/../../../../tmp/x"])(
      "what %s names",
      (path) => {
        file("r/.git/config", `[include]\npath = ${path}\n`);
        expect(reason("folder", "r/.git")).toContain(" through /proc");
        file("r/.git/config", `[core]\nhooksPath = ${path}\n`);
        expect(reason("folder", "r/.git")).toContain(" through /proc");
        file("w/.git", `gitdir: ${path}\n`);
        expect(reason("file", "w/.git")).toBe(
          told("w/.git", "w/.git", "leads through /proc or too many names"),
        );
        file("r/.git/commondir", path);
        expect(reason("folder", "r/.git")).toBe(
          told("r/.git", "r/.git/commondir", "leads through /proc or too many names"),
        );
      },
    );

    it("hooks, a hook, and a link in the place of a repository", () => {
      mkdirSync(at("r/.git"), { recursive: true });
      link("r/.git/hooks", "/proc/self/cwd/e");
      expect(reason("folder", "r/.git")).toBe(
        told("r/.git", "r/.git/hooks", "leads through /proc or too many names"),
      );
      link("s/.git/hooks/pre-commit", "/proc/self/cwd/e");
      expect(reason("folder", "s/.git")).toBe(
        told("s/.git", "s/.git/hooks/pre-commit", "leads through /proc or too many names"),
      );
      link("w/.git", "/proc/self/cwd/e");
      expect(reason("link", "w/.git")).toBe(
        told("w/.git", "w/.git", "leads through /proc or too many names"),
      );
    });

    it("and what git takes for nothing is not: /dev/null, a folder, a link to nothing", () => {
      link("r/.git/config", "/dev/null");
      mkdirSync(at("home/.gitconfig"), { recursive: true });
      link("xdg/git/config", "nowhere");
      expect(reason("folder", "r/.git")).toBe("");
    });

    it("nor is a file that ends in the middle, of which git obeys nothing", () => {
      file("r/.git/config", "[core]\nhooksPath = a\n{\nhooksPath = b\n");
      expect(reason("folder", "r/.git")).toBe("r/a");
    });
  });

  it("is read again when it changed, also within a moment and back at its old time", () => {
    const reader = new RepositoryReader();
    for (const name of ["a", "b", "c"]) {
      file("r/.git/config", `[core]\nhooksPath = ${name}\n`);
      utimesSync(at("r/.git/config"), 1, 1);
      expect(obeyed("folder", "r/.git", reader)).toEqual([`r/${name}`]);
      expect(obeyed("folder", "r/.git", reader)).toEqual([`r/${name}`]);
    }
  });
});

describe("what git may run of a repository by itself", () => {
  it("nothing where it was just made", () => {
    file(
      "r/config",
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
    );
    file("r/hooks/pre-commit.sample", "", 0o755);
    file("r/hooks/README", "");
    expect(runs("r")).toEqual([]);
  });

  it("nothing where it was cloned, but from what is no plain address", () => {
    const remote = (url: string): string =>
      `[remote "origin"]\nurl = ${url}\nfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\nremote = origin\nmerge = refs/heads/main\n`;
    for (const url of ["https://example.com/x.git", "git@example.com:x.git", "../lib"]) {
      file("r/config", remote(url));
      expect(runs("r")).toEqual([]);
    }
    for (const url of ["ext::sh -c x", "-oProxyCommand=x"]) {
      file("r/config", remote(url));
      expect(runs("r")).toEqual(["remote.origin.url"]);
    }
  });

  it.each([
    ["core.fsmonitor", "[core]\nfsmonitor = ./x\n"],
    ["core.sshcommand", "[core]\nsshCommand = x\n"],
    ["core.hookspath", "[core]\nhooksPath = x\n"],
    ["alias.st", "[alias]\nst = !x\n"],
    ["filter.x.clean", '[filter "x"]\nclean = x\n'],
    ["credential.helper", "[credential]\nhelper = x\n"],
    ["init.templatedir", "[init]\ntemplateDir = x\n"],
    ["submodule.x.update", '[submodule "x"]\nupdate = !x\n'],
    ["include.path", "[include]\npath = x\n"],
    ["any.thing", "[any]\nthing = x\n"],
    ["core.fsmonitor", '[ "x"]\n[core]\nfsmonitor = ./x\n'],
  ])("%s", (name, text) => {
    file("r/config", text);
    expect(runs("r")).toEqual([name]);
  });

  it("hooks that can be run, and what included files say", () => {
    file("r/hooks/pre-commit", "", 0o755);
    file("r/config", "[include]\npath = more\n");
    file("r/more", "[core]\neditor = x\n");
    expect(runs("r")).toEqual(["hooks/pre-commit", "include.path", "core.editor"]);
  });

  it("hooks in its tree, by a relative folder that configurations name which were there", () => {
    file("r/tools/hooks/pre-commit", "", 0o755);
    file("r/tools/hooks/notes", "");
    file("r/.git/HEAD", "ref: refs/heads/main\n");
    expect(runs("r/.git")).toEqual([]);
    file("home/.gitconfig", "[core]\nhooksPath = tools/hooks\n");
    expect(runs("r/.git")).toEqual(["tools/hooks/pre-commit"]);
    file("home/.gitconfig", "[core]\nhooksPath = /tools/hooks\n");
    expect(runs("r/.git")).toEqual([]);
    file("home/.gitconfig", "");
    file("main/.git/config", "[core]\nhooksPath = tools/hooks\n");
    file("main/.git/worktrees/w/commondir", "../..\n");
    file("w/tools/hooks/post-merge", "", 0o755);
    file("w/.git", `gitdir: ${at("main/.git/worktrees/w")}\n`);
    expect(runs("w/.git", ["main/.git"], "file")).toEqual(["tools/hooks/post-merge"]);
  });

  describe("anything, where it can't be read as git reads it", () => {
    it.each([
      [
        "a name that ends at a NUL for git",
        "config contains a NUL",
        () => file("r/config", '[remote "origin.uploadpack\0"]\nfetch = x\n'),
      ],
      [
        "more than is read here",
        "config is larger than 1 MiB",
        () => file("r/config", `#${"x".repeat(1024 ** 2)}\n[core]\nfsmonitor = x\n`),
      ],
      ["a FIFO", "config is not a regular file", () => fifo("r/config")],
      [
        "a link by who asks",
        "config leads through /proc or too many names",
        () => link("r/config", "/proc/self/cwd/e"),
      ],
      [
        "a link to such a link",
        "config leads through /proc or too many names",
        () => {
          link("other", "/proc/self/cwd");
          link("r/config", "../other/e");
        },
      ],
      [
        "such hooks",
        "hooks leads through /proc or too many names",
        () => link("r/hooks", "/proc/self/cwd/e"),
      ],
      ["what is no configuration", "config can't be parsed", () => file("r/config", "[core]\n{\n")],
      [
        "such a file of a worktree's",
        "config.worktree contains a NUL",
        () => file("r/config.worktree", "[a]\nb = \0\n"),
      ],
      [
        "such a way to the rest",
        "commondir leads through /proc or too many names",
        () => file("r/commondir", "/proc/self/cwd/e"),
      ],
    ])("%s: %s", (_, why, make) => {
      file("r/HEAD", "");
      make();
      expect(runs("r")).toEqual([`anything (${why})`]);
    });

    it("by an included file, a file that leads to it, a link in its place", () => {
      file("r/config", "[include]\npath = ../more\n");
      file("more", "[a]\nb = \0\n");
      expect(runs("r")).toEqual([`anything (${top}/more contains a NUL)`, "include.path"]);
      file("v/.git", "gitdir: /proc/self/cwd/e\n");
      expect(runs("v/.git", [], "file")).toEqual([
        `anything (${top}/v/.git leads through /proc or too many names)`,
      ]);
      link("w/.git", "/proc/self/cwd/e");
      expect(runs("w/.git", [], "link")).toEqual([
        `anything (${top}/w/.git leads through /proc or too many names)`,
      ]);
    });

    it("and one hook of which that is so by its name", () => {
      link("r/hooks/pre-commit", "/proc/self/cwd/e");
      expect(runs("r")).toEqual(["hooks/pre-commit"]);
    });
  });

  describe("a working tree that is not the repository's own", () => {
    const worktree = (path: string): string => `[core]\nworktree = ${path}\n`;

    it.each([
      ["elsewhere", "/srv"],
      ["above", "../.."],
      ["one that is not there", "../gone"],
      ["one of another repository", "../../other"],
      ["one behind a link, which can be put elsewhere", "../link"],
      ["one beside a name, which can become a link", "../src/../../r"],
    ])("%s", (_, path) => {
      file("r/.git/config", worktree(path));
      file("other/.git", "gitdir: elsewhere\n");
      mkdirSync(at("r/src"));
      link("r/link", ".");
      expect(runs("r/.git")).toEqual(["core.worktree"]);
    });

    it("is told of none that leads back to it: its own, a submodule's, one apart from it", () => {
      file("r/.git/config", worktree(".."));
      expect(runs("r/.git")).toEqual([]);
      file("r/.git/config", worktree(at("r")));
      expect(runs("r/.git")).toEqual([]);
      file("r/.git/modules/sub/config", worktree("../../../sub"));
      file("r/sub/.git", "gitdir: ../.git/modules/sub\n");
      expect(runs("r/.git/modules/sub")).toEqual([]);
      file("real/config", worktree("../apart"));
      file("apart/.git", `gitdir: ${at("real")}\n`);
      expect(runs("real")).toEqual([]);
      expect(runs("apart/.git", [], "file")).toEqual([]);
    });

    it("by a worktree's part, which takes the setting for its own where configurations are split", () => {
      file("r/.git/config", worktree(".."));
      file("r/.git/worktrees/w/commondir", "../..\n");
      expect(runs("r/.git/worktrees/w")).toEqual([]);
      file("r/.git/config", `[extensions]\nworktreeConfig = true\n${worktree("..")}`);
      expect(runs("r/.git/worktrees/w")).toEqual(["core.worktree"]);
    });
  });

  it("what a repository that is known says is not told again for its worktrees", () => {
    file("r/.git/config", "[core]\neditor = x\n");
    file("r/.git/hooks/pre-commit", "", 0o755);
    file("r/.git/worktrees/w/commondir", "../..\n");
    expect(runs("r/.git/worktrees/w")).toEqual(["hooks/pre-commit", "core.editor"]);
    expect(runs("r/.git/worktrees/w", ["r/.git"])).toEqual([]);
  });
});
