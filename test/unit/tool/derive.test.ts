import { expect, test } from "vitest";
import { isWithin } from "../../../src/profile/compare.ts";
import { intersect } from "../../../src/profile/intersect.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { OPEN } from "../../../src/profile/profile.ts";
import { printReadable } from "../../../src/testing/serializer.ts";
import {
  deriveEnvironment,
  deriveFileNeeds,
  deriveShellNeeds,
  type ToolSettings,
} from "../../../src/tool/derive.ts";
import type { Root } from "../../../src/tool/facts.ts";
import { SandboxSection, ShellSection } from "../../../src/tool/settings.ts";

const root = (name: string, path: string, more: Partial<Root>): Root => ({
  name,
  path: absolutePath(path),
  mode: "rw",
  suffixes: "any",
  writeApproval: true,
  readApproval: false,
  at: null,
  ...more,
});

function settings(more: Partial<ToolSettings> = {}): ToolSettings {
  return {
    roots: [
      root("notes", "/w/notes", { suffixes: [".md", ".txt"] }),
      root("cache", "/w/cache", { writeApproval: false }),
      root("docs", "/w/docs", { mode: "ro" }),
      root("private", "/w/private", { readApproval: true }),
    ],
    runtimes: [
      {
        name: "system",
        read: [absolutePath("/usr")],
        links: [],
        path: [absolutePath("/usr/bin")],
        env: { GIT_CONFIG_COUNT: "0" },
        macos: [],
      },
    ],
    sandbox: SandboxSection.parse({
      limits: { wall: "2m", memory: "2GiB", cpu: "90s" },
      env: { set: { CI: "1" } },
    }),
    shell: ShellSection.parse({}),
    ownFiles: [absolutePath("/w/cache/cofferdam.yaml")],
    ...more,
  };
}

test("without asking, what asks to be written is read-only and what asks to be read is hidden", () => {
  expect(printReadable(deriveShellNeeds(settings()).withoutApproval)).toMatchInlineSnapshot(`
    "read     /usr
    write    /w/cache
    read     /w/docs
    read     /w/notes for .md, .txt
    mask     /w/cache/cofferdam.yaml at most read
    network  none
    sockets  none listed
    env      CI, LANG, LC_*, TERM, TZ
    limits   wall 2m, cpu 90s, memory 2GiB"
  `);
});

test("a yes gives each root its own mode, and own files stay as they are (S1-25)", () => {
  expect(printReadable(deriveShellNeeds(settings()).withApproval)).toMatchInlineSnapshot(`
    "read     /usr
    write    /w/cache
    read     /w/docs
    write    /w/notes for .md, .txt
    write    /w/private
    mask     /w/cache/cofferdam.yaml at most read
    network  none
    sockets  none listed
    env      CI, LANG, LC_*, TERM, TZ
    limits   wall 2m, cpu 90s, memory 2GiB"
  `);
});

test("what is granted unasked is within what a yes grants", () => {
  const { withoutApproval: unasked, withApproval: onYes } = deriveShellNeeds(settings());
  expect(isWithin(unasked, onYes)).toBe(true);
  expect(isWithin(onYes, unasked)).toBe(false);
});

test("the network is what the config says, never more", () => {
  const network = (shell: unknown) =>
    deriveShellNeeds(settings({ shell: ShellSection.parse(shell) })).withApproval.network;
  expect(network({})).toBe("none");
  expect(network({ network: "host" })).toBe("host");
});

test("of macOS a call has what the config lists, and what its runtimes bring along", () => {
  const python = { name: "python", read: [], links: [], path: [], env: {}, macos: ["python"] } as const;
  const granted = (groups: readonly string[], runtimes: ToolSettings["runtimes"]): unknown => {
    const sandbox = SandboxSection.parse({ macos: groups });
    const { withoutApproval: unasked, withApproval: onYes } = deriveShellNeeds(
      settings({ sandbox, runtimes }),
    );
    expect(unasked.macos).toEqual(onYes.macos);
    return onYes.macos;
  };
  expect(deriveShellNeeds(settings()).withApproval.macos).toEqual([]);
  expect(granted(["tls", "pty"], [])).toEqual(["pty", "tls"]);
  expect(granted([], [python])).toEqual(["python"]);
  expect(granted(["tls", "python"], [python, python])).toEqual(["python", "tls"]);
  const { withApproval: onYes } = deriveShellNeeds(settings({ runtimes: [python] }));
  expect(intersect(onYes, { ...OPEN, macos: ["tls"] }).macos).toEqual([]);
  expect(deriveFileNeeds(settings({ runtimes: [python] }), "writing").withApproval.macos).toEqual([]);
});

test("a runtime inside a root has the root's mode", () => {
  const venv = {
    name: "venv",
    read: [absolutePath("/w/cache/venv")],
    links: [],
    path: [],
    env: {},
    macos: [],
  };
  const { withApproval: onYes } = deriveShellNeeds(settings({ runtimes: [venv] }));
  expect(onYes.files.map((entry) => entry.path)).not.toContain("/w/cache/venv");
});

test("the environment is ours first, then the caller's granted names, then what the config sets", () => {
  const given = { LANG: "C.UTF-8", LC_ALL: "C", SECRET: "s", PATH: "/evil", HOME: "/home/you" };
  const env = deriveEnvironment(
    settings(),
    deriveShellNeeds(settings()).withApproval,
    { uid: 1000, home: absolutePath("/tmp/home") },
    given,
  );
  expect(env).toEqual({
    LANG: "C.UTF-8",
    LC_ALL: "C",
    HOME: "/tmp/home",
    PATH: "/usr/bin",
    TMPDIR: "/tmp",
    USER: "user",
    LOGNAME: "user",
    SHELL: "/bin/sh",
    GIT_CONFIG_COUNT: "0",
    CI: "1",
  });
});

test("what programs obey comes along by its own name alone, and what bash obeys never", () => {
  const given = {
    ...{ FREE: "1", LD_PRELOAD: "x", PAGER: "x", GIT_DIR: "x", BASH_ENV: "x", IFS: "x", SHELLOPTS: "x" },
    ...{ POSIXLY_CORRECT: "x", BASH_COMPAT: "x", EXECIGNORE: "x" },
    ...{ "BASH_FUNC_git%%": "() { id; }", "__BASH_FUNC<kill>()": "() { true; }" },
  };
  const passed = (pass: readonly string[]): readonly string[] => {
    const sandbox = { env: { pass } };
    const own = settings({
      sandbox: { ...settings().sandbox, ...sandbox, env: { pass: [...pass], set: {} } },
    });
    const person = { uid: 1000, home: absolutePath("/tmp/home") };
    const env = deriveEnvironment(own, deriveShellNeeds(own).withApproval, person, given);
    return Object.keys(env).filter((name) => Object.hasOwn(given, name));
  };
  expect(passed(["*"])).toEqual(["FREE"]);
  expect(passed(["GIT_*", "LD_*", "B*", "__*"])).toEqual([]);
  expect(passed(["GIT_DIR", "BASH_ENV", "PAGER", "IFS", "POSIXLY_CORRECT"])).toEqual(["PAGER", "GIT_DIR"]);
});
