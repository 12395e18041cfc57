import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { type Host, thisHost } from "../../../src/host/look/host.ts";
import { EVERYTHING } from "../../../src/host/look/runtimes/disk.ts";
import type { RuntimeRequest } from "../../../src/host/look/runtimes/finding.ts";
import { grantOf, settle } from "../../../src/host/look/runtimes/grant.ts";
import { detectRuntimes, everyRuntime, findRuntimes } from "../../../src/host/look/runtimes.ts";
import { type AbsolutePath, absolutePath, isInside, ROOT } from "../../../src/profile/path.ts";
import type { Runtime } from "../../../src/tool/facts.ts";
import { FOLDER, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();

/** Node and Go as their tarballs unpack. */
const TARBALLS = {
  "opt/node/bin/node": PROGRAM,
  "opt/node/include/node/node.h": "",
  "opt/go/bin/go": PROGRAM,
  "opt/go/VERSION": "go1.26",
  "opt/go/src": FOLDER,
  "opt/go/pkg": FOLDER,
} as const;

/** Code, message and hint of the refusal, the tree's own folder taken out. */
function refusal(host: Host, requests: readonly RuntimeRequest[]): string {
  try {
    findRuntimes(host, requests, []);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return [error.code, error.message, error.hint].join("\n").replaceAll(tree().top, "~~");
  }
  throw new Error("nothing was refused");
}

describe("the result", () => {
  test("has the other runtimes in the order asked for, and the system last", () => {
    tree().add(TARBALLS);
    const host = tree().host({}, ["opt/node/bin", "opt/go/bin"]);
    const found = findRuntimes(host, ["system", "go", "node"], []);
    expect(found.map(({ name }) => name)).toEqual(["go", "node", "system"]);
    expect(found.slice(0, 2)).toEqual([
      {
        name: "go",
        read: [tree().at("opt/go")],
        links: [],
        path: [tree().at("opt/go/bin")],
        env: {},
        macos: [],
      },
      {
        name: "node",
        read: [tree().at("opt/node")],
        links: [],
        path: [tree().at("opt/node/bin")],
        env: {},
        macos: [],
      },
    ]);
  });

  test("is empty when nothing is asked for", () => {
    expect(findRuntimes(tree().host({}, []), [], [])).toEqual([]);
  });

  test("has a runtime once that is asked for twice", () => {
    tree().add(TARBALLS);
    const found = findRuntimes(tree().host({}, ["opt/node/bin"]), ["node", "system", "node", "system"], []);
    expect(found.map(({ name }) => name)).toEqual(["node", "system"]);
  });

  test("has what the system has in the system only, so that its order of folders holds", () => {
    const [own, usr] = [absolutePath("/no/such/own"), absolutePath("/usr")];
    const runtime: Runtime = {
      name: "go",
      read: [own, usr],
      links: [],
      path: [usr, own],
      env: {},
      macos: [],
    };
    const system: Runtime = { ...runtime, name: "system", read: [usr], path: [usr] };
    expect(settle([runtime, runtime], system)).toEqual([
      { ...runtime, read: [own], path: [own] },
      { ...runtime, read: [], path: [] },
      system,
    ]);
  });

  test("lists nothing twice and nothing inside another, whatever the runtimes", () => {
    const path = fc
      .array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 })
      .map((names) => absolutePath(`/no/such/${names.join("/")}`));
    const runtime = fc.record({ read: fc.array(path), path: fc.array(path) });
    fc.assert(
      fc.property(fc.array(runtime), fc.option(runtime), (some, last) => {
        const named = (one: { read: AbsolutePath[]; path: AbsolutePath[] }): Runtime => ({
          name: "r",
          links: [],
          env: {},
          macos: [],
          ...one,
        });
        const given = some.map(named);
        const result = settle(given, last === null ? null : named(last));
        const all = [...given, ...(last === null ? [] : [last])];
        const read = result.flatMap((each) => each.read);
        expect(result).toHaveLength(all.length);
        expect(
          read.filter((one, index) => read.some((other, at) => at !== index && isInside(one, other))),
        ).toEqual([]);
        for (const one of all.flatMap((each) => each.read))
          expect(read.some((shown) => isInside(one, shown))).toBe(true);
        const folders = result.flatMap((each) => each.path);
        expect(folders.toSorted()).toEqual([...new Set(all.flatMap((each) => each.path))].toSorted());
      }),
    );
  });
});

describe("what programs ask macOS for beside files", () => {
  const asked = (platform: "darwin" | "linux", requests: readonly RuntimeRequest[]): unknown => {
    tree().add({ ...TARBALLS, "opt/python/bin/python3": PROGRAM, "opt/python/lib/python3.12/os.py": "" });
    const host = { ...tree().host({}, ["opt/node/bin", "opt/go/bin", "opt/python/bin"]), platform };
    expect(everyRuntime(host, []).map(({ name, macos }) => [name, macos])).toEqual([
      ["node", []],
      ["python", platform === "darwin" ? ["python"] : []],
      ["go", []],
      ["system", []],
    ]);
    return findRuntimes(host, requests, []).map(({ name, macos }) => [name, macos]);
  };

  test("comes along with Python there, found or listed by hand, and with nothing else", () => {
    const listed: RuntimeRequest = { name: "python", read: [tree().at("opt/python")] };
    const jdk: RuntimeRequest = { name: "jdk", read: [tree().at("opt/python")] };
    expect(asked("darwin", ["node", "python", "go", "system"])).toEqual([
      ["node", []],
      ["python", ["python"]],
      ["go", []],
      ["system", []],
    ]);
    expect(asked("darwin", [listed, jdk])).toEqual([
      ["python", ["python"]],
      ["jdk", []],
    ]);
  });

  test("is nothing elsewhere", () => {
    expect(asked("linux", ["python"])).toEqual([["python", []]]);
  });
});

describe("what is not there", () => {
  test("is refused by name, with what to do", () => {
    expect(refusal(tree().host({}, []), ["go"])).toMatchInlineSnapshot(`
      "CONFIG_INVALID
      the runtime \`go\` is not installed
      install \`go\`, or list the folders that it needs: runtimes: [{ name: go, read: [/its/folder] }]"
    `);
    expect(refusal(tree().host({}, []), ["system", "ruby"])).toMatchInlineSnapshot(`
      "CONFIG_INVALID
      no runtime is named \`ruby\`
      write one of system, node, python, rust, go, git, xcode, java, haskell, or { name, read: [folder] }"
    `);
  });
});

describe("the default", () => {
  test("is the system alone where PATH has no other program", () => {
    expect(detectRuntimes(tree().host({}, []), [])).toEqual(["system"]);
  });

  test("names the languages whose programs are on PATH, in one order", () => {
    tree().add({ ...TARBALLS, "opt/git/bin/git": PROGRAM });
    expect(detectRuntimes(tree().host({}, ["opt/git/bin", "opt/go/bin", "opt/node/bin"]), [])).toEqual([
      "system",
      "node",
      "go",
      "git",
    ]);
  });

  test("leaves out a program that can't be granted, so that what it names can always be found", () => {
    tree().add({ "shims/node": PROGRAM, "home/me/.cargo/bin/rustc": PROGRAM });
    const host = tree().host({}, ["shims", "home/me/.cargo/bin"]);
    expect(detectRuntimes(host, [])).toEqual(["system"]);
    expect(() => findRuntimes(host, ["node"], [])).toThrow(CofferdamError);
    expect(() => findRuntimes(host, ["rust"], [])).toThrow(CofferdamError);
  });

  test("passes over relative entries and programs that a repository brings", () => {
    tree().add({ "work/node_modules/.bin/node": PROGRAM, "work/node_modules/x/bin/go": PROGRAM });
    const host = tree().host({ PATH: "" }, ["work/node_modules/.bin"]);
    expect(detectRuntimes({ ...host, env: { PATH: `${host.env["PATH"]}:.:bin::` } }, [])).toEqual(["system"]);
  });

  test("passes over what is no program: a folder, a file that can't be run, a link to nothing", () => {
    tree().add({ "a/node": FOLDER, "b/node": "text", "c/node": { link: "gone" } });
    expect(detectRuntimes(tree().host({}, ["a", "b", "c"]), [])).toEqual(["system"]);
  });
});

describe("folders listed by hand", () => {
  const listed = (...read: string[]): RuntimeRequest => ({
    name: "jdk",
    read: read.map((name) => tree().at(name)),
  });

  test("are granted, with `bin` on PATH where there is one", () => {
    tree().add({ "opt/jdk/bin/java": PROGRAM, "opt/tools/tool": PROGRAM });
    expect(findRuntimes(tree().host({}, []), [listed("opt/jdk", "opt/tools")], [])).toEqual([
      {
        name: "jdk",
        read: [tree().at("opt/jdk"), tree().at("opt/tools")],
        links: [],
        path: [tree().at("opt/jdk/bin"), tree().at("opt/tools")],
        env: {},
        macos: [],
      },
    ]);
  });

  test("are granted where they really are, and seen under the name that was written too", () => {
    tree().add({ "opt/jdk-21/lib/x": "", "opt/jdk": { link: "jdk-21" }, "opt/all": { link: "../opt" } });
    expect(findRuntimes(tree().host({}, []), [listed("opt/all/jdk")], [])).toMatchObject([
      {
        read: [tree().at("opt/jdk-21")],
        links: [
          { path: tree().at("opt/all"), target: "../opt" },
          { path: tree().at("opt/jdk"), target: "jdk-21" },
        ],
        path: [tree().at("opt/jdk-21")],
      },
    ]);
  });

  test("take in what another runtime needs of them", () => {
    tree().add(TARBALLS);
    const found = findRuntimes(tree().host({}, ["opt/node/bin"]), ["node", listed("opt")], []);
    expect(found.map(({ read }) => read)).toEqual([[], [tree().at("opt")]]);
  });

  test("must exist and be folders", () => {
    tree().add({ "opt/file": "" });
    expect(refusal(tree().host({}, []), [listed("opt/none")])).toMatchInlineSnapshot(`
      "CONFIG_INVALID
      the folder \`~~/opt/none\` of the runtime \`jdk\` is not a folder on this machine
      name existing folders"
    `);
    expect(refusal(tree().host({}, []), [listed("opt/file")])).toContain("is not a folder");
  });

  test("must not be, hold or lead to the root, the home or /etc, nor lie in the state folder", () => {
    tree().add({
      "home/me/.local/state/cofferdam/journal": FOLDER,
      "opt/home": { link: "../home/me" },
      "opt/jdk": FOLDER,
    });
    const host = tree().host({}, []);
    const wide = ["home/me", "home", "opt/home", "home/me/.local", "home/me/.local/state/cofferdam/journal"];
    for (const folder of wide)
      expect(refusal(host, [listed("opt/jdk", folder)])).toMatch(/^CONFIG_INVALID\n/);
    expect(refusal(host, [{ name: "all", read: [ROOT] }])).toMatchInlineSnapshot(`
      "CONFIG_INVALID
      the folder \`/\` of the runtime \`all\` is or contains the home folder
      list the folders in it that programs need"
    `);
    expect(refusal(host, [{ name: "etc", read: [absolutePath("/etc")] }])).toMatchInlineSnapshot(`
      "CONFIG_INVALID
      the folder \`/etc\` of the runtime \`etc\` is or contains \`/etc\`
      list the folders in it that programs need"
    `);
    expect(findRuntimes(host, [listed("opt/jdk")], [])).toHaveLength(1);
  });
});

test("links that a sandbox can't make are left out", () => {
  const [runtime] = settle(
    [
      {
        name: "r",
        path: [],
        env: {},
        macos: [],
        ...grantOf(EVERYTHING, [absolutePath("/proc/self/root/usr")]),
      },
    ],
    null,
  );
  expect(runtime?.links).toEqual([]);
});

test("what a config gets that names no runtime is what it would get by naming those that are detected", () => {
  const host = thisHost();
  expect(everyRuntime(host, [])).toEqual(findRuntimes(host, detectRuntimes(host, []), []));
});
