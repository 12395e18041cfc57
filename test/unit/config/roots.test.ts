import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isHome, realHomes } from "../../../src/config/homes.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { assertNoOwnPlace } from "../../../src/config/roots.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { type Machine, machine, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

function configured(paths: string): string {
  return `version: 1\nsandbox:\n  runtimes: []\n  paths:\n${paths}`;
}

function load(m: Machine) {
  return loadConfig(m.host, { config: m.at(CONFIG) }).config;
}

function one(root: string): Machine {
  return machine({
    [CONFIG]: configured(`    a: { root: ${JSON.stringify(root)}, mode: rw }\n`),
    "home/ann/project/notes/sub/a.txt": "",
  });
}

describe("roots", () => {
  test("are real folders, relative to the config's, with all that is said of them (S1-15)", () => {
    const m = machine({
      [CONFIG]: configured(
        "    notes: { root: ./notes/, mode: rw, suffixes: [.txt], write_approval: false }\n    sub: { root: linked/sub, mode: ro, read_approval: true }\n    all: { root: ./all, mode: rw }\n",
      ),
      "home/ann/project/notes/sub/a.txt": "",
      "home/ann/project/all/a.txt": "",
    });
    symlinkSync("notes", m.at("home/ann/project/linked"));
    const { roots, workspace } = load(m);
    expect(workspace).toBe(m.project);
    expect(roots).toEqual([
      {
        name: "notes",
        path: m.at("home/ann/project/notes"),
        mode: "rw",
        suffixes: [".txt"],
        writeApproval: false,
        readApproval: false,
        at: { file: m.at(CONFIG), line: 5, column: 5 },
      },
      {
        name: "sub",
        path: m.at("home/ann/project/notes/sub"),
        links: [{ path: m.at("home/ann/project/linked"), target: "notes" }],
        mode: "ro",
        suffixes: "any",
        writeApproval: true,
        readApproval: true,
        at: { file: m.at(CONFIG), line: 6, column: 5 },
      },
      {
        name: "all",
        path: m.at("home/ann/project/all"),
        mode: "rw",
        suffixes: "any",
        writeApproval: true,
        readApproval: false,
        at: { file: m.at(CONFIG), line: 7, column: 5 },
      },
    ]);
  });

  const refused: readonly (readonly [claim: string, root: string, code: string, message: string])[] = [
    ["that is missing", "./nots", "ROOT_REFUSED", "the folder `~/home/ann/project/nots` does not exist"],
    [
      "that is a file",
      "./notes/sub/a.txt",
      "ROOT_REFUSED",
      "the folder `~/home/ann/project/notes/sub/a.txt` is not a folder",
    ],
    ["that is the whole file system", "/", "ROOT_REFUSED", "the folder `/` is the whole file system"],
    [
      "that holds a view",
      process.platform === "darwin" ? "/private/var" : "/var",
      "ROOT_REFUSED",
      "/tmp`, which is new for each call",
    ],
    [
      "that is the kernel's",
      "/dev",
      "ROOT_REFUSED",
      process.platform === "darwin"
        ? "the folder `/dev` is or contains `/dev`, which all programs on this machine share"
        : "the folder `/dev` is or contains `/dev`, which is new for each call",
    ],
    [
      "whose name is too long",
      "x".repeat(256),
      "ROOT_REFUSED",
      "x` is too long: a path may have 4095 bytes, and a name in it 255",
    ],
    ["with `..`", "../other", "PATH_INVALID", "the path `../other` contains `..`"],
    [
      "with a variable",
      "${HOME}/x",
      "PATH_INVALID",
      "the path `${HOME}/x` has a variable or `~`, which are not expanded",
    ],
    ["with a tilde", "~/x", "PATH_INVALID", "the path `~/x` has a variable or `~`, which are not expanded"],
    [
      "with a NUL",
      "a\0b",
      "PATH_INVALID",
      "the path `~/home/ann/project/a\\u{0}b` contains a control character or is not UTF-8",
    ],
  ];

  test.each(refused)("one %s is refused at its line", (_claim, root, code, message) => {
    const m = one(root);
    const before = m.inventory();
    const refusal = refusalOf(() => load(m), m.folder);
    expect(refusal).toMatchObject({ exit: 65, code, at: "~/home/ann/project/cofferdam.yaml:5:16" });
    expect(refusal.message).toContain(message);
    expect(refusal.hint).toMatch(/./);
    expect(m.inventory()).toEqual(before);
  });

  test("one that is a home folder, a symlink, or around the state folder", () => {
    const m = machine({ "home/ann/.local/state/cofferdam/x": "", "home/ann/project/notes/a": "" });
    symlinkSync("notes", m.at("home/ann/project/linked"));
    const told = (root: string) => {
      m.write({ [CONFIG]: configured(`    a: { root: ${root}, mode: rw }\n`) });
      const { code, message, hint } = refusalOf(() => load(m), m.folder);
      return `${code} ${message} — ${hint}`;
    };
    expect(
      [
        "linked",
        m.home,
        m.at("home"),
        m.at("home/ann/.local"),
        m.at("home/ann/.local/state/cofferdam"),
        `${m.at("home/ann/.local/state/cofferdam")}/x`,
      ].map(told),
    ).toMatchInlineSnapshot(`
      [
        "ROOT_REFUSED the folder \`~/home/ann/project/linked\` is a symlink — check the target of that link, then name the folder that you mean",
        "ROOT_REFUSED the folder \`~/home/ann\` is a home folder — name a smaller folder that contains only files for tools",
        "ROOT_REFUSED the folder \`~/home\` contains the state folder \`~/home/ann/.local/state/cofferdam\`, which contains the records and trusted configs — name a smaller folder that contains only files for tools",
        "ROOT_REFUSED the folder \`~/home/ann/.local\` contains the state folder \`~/home/ann/.local/state/cofferdam\`, which contains the records and trusted configs — name a smaller folder that contains only files for tools",
        "ROOT_REFUSED the folder \`~/home/ann/.local/state/cofferdam\` is in the state folder \`~/home/ann/.local/state/cofferdam\`, which contains the records and trusted configs — name a smaller folder that contains only files for tools",
        "ROOT_REFUSED the folder \`~/home/ann/.local/state/cofferdam/x\` is not a folder — name the folder that contains it",
      ]
    `);
  });

  test("one that a symlink in a root leads to is refused: a tool could lead it elsewhere", () => {
    const m = machine({ "home/ann/project/work/a": "", "home/ann/private/sub/key": "" });
    symlinkSync("../../private", m.at("home/ann/project/work/linked"));
    const sub = "    sub: { root: work/linked/sub, mode: ro }\n";
    const work = "    work: { root: work, mode: rw }\n";
    for (const paths of [work + sub, sub + work]) {
      m.write({ [CONFIG]: configured(paths) });
      expect(refusalOf(() => load(m), m.folder)).toMatchObject({
        code: "ROOT_REFUSED",
        message:
          "the folder `~/home/ann/project/work/linked/sub` is reached by the symlink `~/home/ann/project/work/linked`, which is in the root `work`",
        hint: "check the target of that link, then name the folder that you mean",
      });
    }
    m.write({ [CONFIG]: configured(sub) });
    expect(load(m).roots.map((root) => root.path)).toEqual([m.at("home/ann/private/sub")]);
  });

  test("one below a view is fine", ({ skip }) => {
    const m = one("notes");
    if (!m.folder.startsWith("/tmp/")) skip("the temporary folder of this machine is not /tmp");
    expect(load(m).roots).toHaveLength(1);
  });

  test("two for one folder are refused, one in the other are not", () => {
    const m = one("notes");
    m.write({
      [CONFIG]: configured("    a: { root: notes, mode: rw }\n    b: { root: ./notes/, mode: ro }\n"),
    });
    expect(refusalOf(() => load(m), m.folder)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yaml:6:16",
        "code": "ROOT_REFUSED",
        "exit": 65,
        "hint": "list each folder once",
        "message": "the folder \`~/home/ann/project/notes\` is already the root \`a\`",
      }
    `);
    m.write({
      [CONFIG]: configured("    a: { root: notes, mode: rw }\n    b: { root: notes/sub, mode: ro }\n"),
    });
    expect(load(m).roots.map((root) => root.name)).toEqual(["a", "b"]);
  });

  test("folders listed by hand for a runtime follow the same rules as to where they lie", () => {
    const m = machine({
      [CONFIG]: "version: 1\nsandbox:\n  runtimes:\n    - { name: tools, read: [./tools, /dev] }\n",
      "home/ann/project/tools/bin/x": "",
    });
    expect(refusalOf(() => load(m), m.folder)).toMatchObject({
      exit: 65,
      code: "ROOT_REFUSED",
      at: "~/home/ann/project/cofferdam.yaml:4:38",
    });
    m.write({
      [CONFIG]:
        "version: 1\nsandbox:\n  runtimes:\n    - { name: tools, read: [./tools] }\n    - { name: none, read: [./none] }\n",
    });
    expect(refusalOf(() => load(m), m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      at: "~/home/ann/project/cofferdam.yaml:5:7",
    });
    m.write({ [CONFIG]: "version: 1\nsandbox:\n  runtimes:\n    - { name: tools, read: [./tools] }\n" });
    expect(load(m).runtimes).toMatchObject([{ name: "tools", read: [m.at("home/ann/project/tools")] }]);
  });

  test("folders listed by hand for a runtime are refused where a symlink in a root leads to them", () => {
    const listed = "  runtimes:\n    - { name: tools, read: [./work/tools] }\n";
    const m = machine({ "home/ann/project/work/a": "", "home/ann/private/key": "" });
    symlinkSync("../../private", m.at("home/ann/project/work/tools"));
    m.write({ [CONFIG]: `version: 1\nsandbox:\n  paths: { work: { root: work, mode: rw } }\n${listed}` });
    expect(refusalOf(() => load(m), m.folder)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yaml:5:7",
        "code": "CONFIG_INVALID",
        "exit": 65,
        "hint": "check the target of that link, then name the folder that you mean",
        "message": "the folder \`~/home/ann/project/work/tools\` of the runtime \`tools\` is reached by the symlink \`~/home/ann/project/work/tools\`, which is in a root",
      }
    `);
    m.write({ [CONFIG]: `version: 1\nsandbox:\n${listed}` });
    expect(load(m).runtimes).toMatchObject([{ name: "tools", read: [m.at("home/ann/private")] }]);
  });
});

test("homes are those of the user database and the caller's, exactly", () => {
  const m = machine({ "homes/eve/x": "", passwd: "" });
  symlinkSync("homes", m.at("people"));
  mkdirSync(m.at("other/bob"), { recursive: true });
  writeFileSync(
    m.at("passwd"),
    [
      "root:x:0:0:root:/root:/bin/sh",
      `eve:x:1:1::${m.at("people/eve")}/:/bin/sh`,
      "broken",
      "nobody:x:2:2::/:/bin/false",
      `bob:x:3:3::${m.at("other/bob")}:`,
      "",
    ].join("\n"),
  );
  const homes = [
    "/root",
    m.home,
    m.at("homes/eve"),
    m.at("other/bob"),
    m.at("homes"),
    m.at("homes/eve/x"),
    "/",
    "/srv",
  ].filter((path) => isHome(m.host, absolutePath(path), m.at("passwd")));
  expect(homes).toEqual(["/root", m.home, m.at("homes/eve"), m.at("other/bob")]);
  expect(isHome(m.host, m.home, m.at("missing"))).toBe(true);
  // Programs obey HOME, whatever the user database says.
  const host = { ...m.host, env: { ...m.host.env, HOME: m.at("other/tom") } };
  const own = [m.home, m.at("other/tom"), m.at("other/tim")].map(absolutePath);
  expect(own.map((path) => isHome(host, path, m.at("missing")))).toEqual([true, true, false]);
  expect(realHomes(host)).toEqual([m.home, m.at("other/tom")]);
});

describe("on macOS", () => {
  /** What is said of a real path as a root: of the folders that a system has for all. */
  const told = (path: string, platform: "linux" | "darwin"): string | null => {
    const { host } = machine();
    try {
      assertNoOwnPlace({ ...host, platform }, absolutePath(path));
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  test.each([
    ["/private/tmp", "is or contains `/private/tmp`, which all programs on this machine share"],
    ["/private", "is or contains `/private/tmp`, which all programs on this machine share"],
    ["/private/var", "is or contains `/private/var/tmp`, which all programs on this machine share"],
    ["/private/var/run", "is or contains `/private/var/run`, which all programs on this machine share"],
    ["/System/Volumes", "is or contains `/System/Volumes/Data`, which all programs on this machine share"],
    ["/dev/fd", "is in `/dev`, which all programs on this machine share"],
  ])("no root is or holds what all share: %s", (path, what) => {
    expect(told(path, "darwin")).toBe(`the folder \`${path}\` ${what}`);
  });

  test("a folder below one of them may be one, and so may what only Linux makes anew", () => {
    for (const path of ["/private/tmp/work", "/private/var/folders/ab/T/work", "/run/work", "/proc"])
      expect(told(path, "darwin")).toBeNull();
    expect(told("/proc", "linux")).toMatch("is or contains `/proc`");
    expect(told("/private", "linux")).toBeNull();
  });

  test("a folder where people's homes lie is somebody's home, and none on Linux, nor is what they share", () => {
    const { host } = machine();
    const homes = (platform: "linux" | "darwin"): readonly boolean[] =>
      ["/Users/somebody", "/Users/Shared", "/Users/somebody/work"].map((path) =>
        isHome({ ...host, platform }, absolutePath(path), "/nowhere"),
      );
    expect([homes("darwin"), homes("linux")]).toEqual([
      [true, false, false],
      [false, false, false],
    ]);
  });
});
