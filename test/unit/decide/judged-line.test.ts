import { describe, expect, test } from "vitest";
import type { CommandFacts } from "../../../src/decide/judged-line.ts";
import { judgedLine } from "../../../src/decide/judged-line.ts";
import type { JudgedCommand } from "../../../src/policy/command.ts";
import { absolutePath, isInside } from "../../../src/profile/path.ts";
import { type FileEntry, normalProfile } from "../../../src/profile/profile.ts";

const entry = (path: string, access: FileEntry["access"]): FileEntry => ({
  path: absolutePath(path),
  access,
  suffixes: "any",
});

/** A writable root, one in it that is not, another below it in a folder, and one in a folder of the sandbox's own. */
const cwd = absolutePath("/w");
const profile = normalProfile({
  files: [
    entry("/usr", "read"),
    entry("/home/u/ws", "write"),
    entry("/home/u/ws/.venv", "read"),
    entry("/home/u/ws/sub/inner", "read"),
    entry("/tmp/x/docs", "read"),
    entry("/tmp/near", "read"),
  ],
});

function command(
  word: string,
  real: string | null,
  places: readonly string[],
  before: readonly string[] = [],
): CommandFacts {
  const path = real === null ? null : absolutePath(real);
  return {
    words: [word],
    program: { path, real: path, id: null, content: null },
    way: { links: [], aliases: [], places: places.map(absolutePath), isTooLong: false },
    before: before.map(absolutePath),
    paths: [],
    ruleNames: [],
    isLookedUp: true,
  };
}

/** Whether the program is settled: in a line of several commands, alone in a line, and without a shell. */
function files(one: CommandFacts): readonly (JudgedCommand["programFile"] | undefined)[] {
  const judge = (input: { script: string } | { argv: [string] }, ...more: readonly CommandFacts[]) =>
    judgedLine({ input } as Parameters<typeof judgedLine>[0], {
      commands: [one, ...more],
      touches: [],
      touched: { folders: [cwd], opened: [] },
      gained: null,
      unread: [],
      roots: [],
      locale: "",
      profile,
      isMadeInside: (path) => isInside(path, absolutePath("/tmp")),
    }).commands[0]?.programFile;
  return [
    judge({ script: "x; y" }, command("true", "/usr/bin/true", ["/usr", "/usr/bin", "/usr/bin/true"])),
    judge({ script: "x >/dev/null" }),
    judge({ argv: ["x"] }),
  ];
}

/** Every place on a plain way. */
const way = (path: string): readonly string[] =>
  path
    .split("/")
    .map((_, at, names) => names.slice(0, at + 1).join("/"))
    .slice(1);

describe("which file a program is", () => {
  const settled = ["fixed", "fixed", "fixed"];
  const written = ["unsettled", "writable", "writable"];

  test.each([
    ["of the system", "/usr/bin/ls", settled],
    ["in a root that can only be read", "/home/u/ws/.venv/bin/pytest", settled],
    ["in one below a folder of a root", "/home/u/ws/sub/inner/x", settled],
    ["in a root right in a folder of the sandbox's own", "/tmp/near/x", settled],
    ["in a root that can be written", "/home/u/ws/x", written],
    ["in a root below a folder that can be moved away", "/tmp/x/docs/x", ["unsettled", "writable", "fixed"]],
  ])("is known of one %s", (_, path, expected) => {
    expect(files(command(path, path, way(path)))).toEqual(expected);
  });

  test("depends on each place that is passed, links and folders", () => {
    const real = "/usr/bin/ls";
    expect(files(command("d/../ls", real, ["/home/u/ws/d", real]))).toEqual(written);
    expect(files(command("v/ls", real, ["/home/u/ws/.venv", "/home/u/ws/.venv/v", real]))).toEqual(settled);
  });

  test("depends on what would be found before it, where a shell looks", () => {
    const hiddenBy = (path: string) => files(command("ls", "/usr/bin/ls", way("/usr/bin/ls"), way(path)));
    expect(hiddenBy("/home/u/ws/bin/ls")).toEqual(["unsettled", "writable", "fixed"]);
    expect(hiddenBy("/tmp/x/docs/ls")).toEqual(["unsettled", "writable", "fixed"]);
    expect(hiddenBy("/home/u/ws/.venv/bin/ls")).toEqual(settled);
    expect(files(command("nothing", null, [], way("/home/u/ws/bin/nothing")))[0]).toBe("unsettled");
    expect(files(command("./nothing", null, [], []))).toEqual(["unsettled", "unsettled", "fixed"]);
  });
});

test("where a program can be changed is named: a folder of the sandbox's own, a writable one, or the program", () => {
  const placeOf = (one: CommandFacts) =>
    judgedLine({ input: { script: "x >/dev/null" } } as Parameters<typeof judgedLine>[0], {
      commands: [one],
      touches: [],
      touched: { folders: [cwd], opened: [] },
      gained: null,
      unread: [],
      roots: [],
      locale: "",
      profile,
      isMadeInside: (path) => isInside(path, absolutePath("/tmp")),
    }).commands[0]?.programPlace;
  const hiddenBy = (path: string) => placeOf(command("git", "/usr/bin/git", way("/usr/bin/git"), way(path)));
  expect(hiddenBy("/tmp/x/docs/git")).toEqual({ path: "/tmp/x", isPrivate: true });
  expect(hiddenBy("/home/u/ws/bin/git")).toEqual({ path: "/home/u/ws/bin/git", isPrivate: false });
  expect(placeOf(command("./x", "/home/u/ws/x", way("/home/u/ws/x")))).toEqual({
    path: "/home/u/ws/x",
    isPrivate: false,
  });
  expect(placeOf(command("git", "/usr/bin/git", way("/usr/bin/git")))).toBeUndefined();
});

test.each([
  ["", "echo ä", []],
  ["C", "echo ä", []],
  ["de_DE.UTF-8", "echo ä", []],
  ["de_DE.utf8@euro", "echo ä", []],
  ["zh_CN.GBK", "echo x", []],
  ["zh_CN.GBK", "echo ä", ["it has characters that depend on the locale"]],
  ["ja_JP.SJIS", "echo ä", ["it has characters that depend on the locale"]],
  ["de_DE", "echo ä", ["it has characters that depend on the locale"]],
])(
  "in the locale %o the line %o is read by bash as by the parser, or asked about",
  (locale, script, unread) => {
    const isMadeInside = (): boolean => false;
    const line = judgedLine(
      { input: { script } },
      {
        commands: [],
        touches: [],
        touched: { folders: [cwd], opened: [] },
        gained: null,
        unread: [],
        roots: [],
        locale,
        profile,
        isMadeInside,
      },
    );
    expect(line.unread).toEqual(unread);
  },
);
