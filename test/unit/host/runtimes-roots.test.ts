import { existsSync, realpathSync, rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import type { RuntimeRequest } from "../../../src/host/look/runtimes/finding.ts";
import { LANGUAGES } from "../../../src/host/look/runtimes/language.ts";
import { detectRuntimes, everyRuntime, findRuntimes } from "../../../src/host/look/runtimes.ts";
import { type AbsolutePath, isInside } from "../../../src/profile/path.ts";
import type { Runtime } from "../../../src/tool/facts.ts";
import { node, python } from "./runtimes-layouts.ts";
import { type Entry, FOLDER, freshTrees, PROGRAM, type Tree } from "./runtimes-tree.ts";

const tree = freshTrees();

type Env = Readonly<Record<string, string>>;

/** The one root of every test here. */
const ROOT = "work";
const roots = (): readonly AbsolutePath[] => [tree().at(ROOT)];

/** Somebody's own version of every language, which nothing but a root leads to. */
const PRIVATE: Readonly<Record<string, Entry>> = {
  ...node("private"),
  ...python("private"),
  "private/bin/rustc": PROGRAM,
  "private/lib/rustlib/x": "",
  "private/bin/go": PROGRAM,
  "private/VERSION": "go1.26",
  "private/src": FOLDER,
  "private/pkg": FOLDER,
  "private/bin/git": PROGRAM,
  "private/libexec/git-core/git-log": PROGRAM,
  "private/bin/java": PROGRAM,
  "private/lib/modules": "",
  "private/bin/ghc": PROGRAM,
  "private/lib/ghc-9.6.6/lib/settings": "",
};

/** What the default config gets besides the system, told by names below the tree's top. */
function everything(path: readonly string[], env: Env = {}): readonly unknown[] {
  return told(everyRuntime(tree().host(env, path), roots()).slice(0, -1));
}

/** What a config gets that names these; of a refusal message and hint. */
function named(requests: readonly RuntimeRequest[], path: readonly string[], env: Env = {}): unknown {
  try {
    return told(findRuntimes(tree().host(env, path), requests, roots()));
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return within(`${error.code} ${error.message} — ${error.hint ?? ""}`);
  }
}

function told(runtimes: readonly Runtime[]): readonly unknown[] {
  return runtimes.map(({ name, read, path }) => ({ name, read: read.map(within), path: path.map(within) }));
}

function within(text: string): string {
  return text.replaceAll(`${tree().top}/`, "");
}

/** An environment as venv makes it: its python3 is a link to the interpreter's. */
function venv(folder: string, bin: string): Readonly<Record<string, Entry>> {
  return {
    [`${folder}/pyvenv.cfg`]: `home = ${tree().at(bin)}\n`,
    [`${folder}/bin/python3`]: { link: `~~/${bin}/python3` },
    [`${folder}/lib/python3.12/site-packages/x.py`]: "",
  };
}

describe("grants: a program on PATH decides nothing", () => {
  const ways: readonly (readonly [claim: string, make: (tree: Tree, program: string) => string])[] = [
    [
      "that is a link in a root",
      ({ add }, program) => {
        add({ [`${ROOT}/bin/${program}`]: { link: `~~/private/bin/${program}` } });
        return `${ROOT}/bin`;
      },
    ],
    [
      "whose folder is a link in a root",
      ({ add }) => {
        add({ [`${ROOT}/bin`]: { link: "~~/private/bin" } });
        return `${ROOT}/bin`;
      },
    ],
    [
      "whose folder is a link into a root",
      ({ add }, program) => {
        add({ [`${ROOT}/bin/${program}`]: { link: `~~/private/bin/${program}` } });
        add({ "home/me/bin": { link: `~~/${ROOT}/bin` } });
        return "home/me/bin";
      },
    ],
    [
      "that is a link through a root",
      ({ add }, program) => {
        add({ [`${ROOT}/tools`]: { link: "~~/private" } });
        add({ [`home/me/bin/${program}`]: { link: `~~/${ROOT}/tools/bin/${program}` } });
        return "home/me/bin";
      },
    ],
    [
      "that is a link which goes up out of a folder that a root can choose",
      ({ add }, program) => {
        add({ [`${ROOT}/deep`]: { link: "~~/private/lib" } });
        add({ [`home/me/bin/${program}`]: { link: `../../../${ROOT}/deep/../bin/${program}` } });
        return "home/me/bin";
      },
    ],
    [
      "that lies in a root itself",
      ({ add }) => {
        for (const [name, entry] of Object.entries(PRIVATE)) add({ [name.replace("private", ROOT)]: entry });
        return `${ROOT}/bin`;
      },
    ],
  ];
  const cases = ways.flatMap(([claim, make]) =>
    LANGUAGES.map(({ name, program }) => [claim, name, program, make] as const),
  );

  test.each(cases)("%s: %s", (_claim, name, program, make) => {
    tree().add(PRIVATE);
    const entry = make(tree(), program);
    expect(everything([entry])).toEqual([]);
    if (name !== "node") expect(named([name], [entry])).toContain(`the runtime \`${name}\` is not installed`);
    expect(named([name], [entry, "private/bin"])).toMatchObject([{ name, path: ["private/bin"] }]);
  });
});

describe("a version manager outside the roots", () => {
  const installed = (): void => {
    tree().add({ ...PRIVATE, ...node("home/me/.nodenv/versions/20.1.0") });
    tree().add({ "home/me/.nodenv/shims/node": PROGRAM });
  };
  const shims = ["home/me/.nodenv/shims"];

  test("does not ask a version file that a root has, nor a version that leads through one", () => {
    installed();
    tree().add({ [`${ROOT}/version`]: "20.1.0", [`${ROOT}/node`]: { link: "~~/private" } });
    tree().add({ "home/me/.nodenv/version": { link: `~~/${ROOT}/version` } });
    tree().add({ "home/me/.nodenv/versions/22.1.0": { link: `~~/${ROOT}/node` } });
    expect(everything(shims)).toEqual([]);
    expect(everything(shims, { NODENV_VERSION: "22.1.0" })).toEqual([]);
    expect(everything(shims, { NODENV_VERSION: "20.1.0" })).toMatchObject([{ name: "node" }]);
  });

  test.each([
    ["XDG_CONFIG_HOME", "home/me/.local/share/mise/shims"],
    ["CARGO_HOME", `${ROOT}/own/bin`],
    ["RUSTUP_HOME", "home/me/.cargo/bin"],
    ["VOLTA_HOME", "home/me/.volta/bin"],
    ["PYENV_ROOT", `${ROOT}/own/shims`],
    ["NVM_DIR", `${ROOT}/own/versions/node/v20.1.0/bin`],
    ["GOROOT", `${ROOT}/own/bin`],
    ["PYTHONHOME", `${ROOT}/own/bin`],
    ["VIRTUAL_ENV", `${ROOT}/own/bin`],
  ])("is not asked for by way of %s, where a root has that", (variable, path) => {
    tree().add({
      ...PRIVATE,
      ...node("home/me/.local/share/mise/installs/node/20.1.0"),
      "home/me/.local/share/mise/shims/node": PROGRAM,
      "home/me/.volta/bin/volta-shim": PROGRAM,
      "home/me/.volta/bin/node": { link: "volta-shim" },
      "home/me/.volta/bin/rustc": { link: "volta-shim" },
      "home/me/.cargo/bin/rustup": PROGRAM,
      "home/me/.cargo/bin/rustc": { link: "rustup" },
    });
    tree().add({
      [`${ROOT}/own/mise/config.toml`]: '[tools]\nnode = "20.1.0"\n',
      [`${ROOT}/own/settings.toml`]: 'default_toolchain = "stable"\n',
      [`${ROOT}/own/toolchains/stable`]: { link: "~~/private" },
      [`${ROOT}/own/tools/user/platform.json`]: '{ "node": { "runtime": "20.1.0" } }',
      [`${ROOT}/own/tools/image/node/20.1.0`]: { link: "~~/private" },
      [`${ROOT}/own/versions/node/v20.1.0`]: { link: "~~/private" },
      [`${ROOT}/own/versions/3.12.1`]: { link: "~~/private" },
      [`${ROOT}/own/version`]: "3.12.1",
      [`${ROOT}/own/shims/python3`]: PROGRAM,
      [`${ROOT}/own/bin`]: { link: "~~/private/bin" },
    });
    expect(everything([path], { [variable]: tree().at(`${ROOT}/own`) })).toEqual([]);
  });
});

describe("an environment in a root", () => {
  const BIN = `${ROOT}/.venv/bin`;

  test("made from the Python that PATH has outside the roots: its programs come first, and nothing is added", () => {
    tree().add({ ...python("opt/python"), ...venv(`${ROOT}/.venv`, "opt/python/bin") });
    const both = [{ name: "python", read: ["opt/python"], path: [BIN, "opt/python/bin"] }];
    expect(everything([BIN, "opt/python/bin"])).toEqual(both);
    expect(named(["python"], [BIN, "opt/python/bin"])).toEqual(both);
    expect(everything(["opt/python/bin", BIN])).toEqual([{ ...both[0], path: ["opt/python/bin"] }]);
  });

  test("made from what a version manager's shim stands for works as well", () => {
    const version = "home/me/.pyenv/versions/3.12.1";
    tree().add({ ...python(version), ...venv(`${ROOT}/.venv`, `${version}/bin`) });
    tree().add({ "home/me/.pyenv/shims/python3": PROGRAM, "home/me/.pyenv/version": "3.12.1" });
    expect(named(["python"], [BIN, "home/me/.pyenv/shims"])).toEqual([
      { name: "python", read: [version], path: [BIN, `${version}/bin`] },
    ]);
  });

  test("that leads to another Python is passed over by default, and refused where python is named", () => {
    tree().add({ ...python("opt/python"), ...PRIVATE, ...venv(`${ROOT}/.venv`, "private/bin") });
    const path = [BIN, "opt/python/bin"];
    expect(everything(path)).toEqual([{ name: "python", read: ["opt/python"], path: ["opt/python/bin"] }]);
    expect(detectRuntimes(tree().host({}, path), roots())).toEqual(["system", "python"]);
    expect(named(["system", "python"], path)).toMatchInlineSnapshot(
      `"CONFIG_INVALID the runtime \`python\` was found at \`work/.venv/bin/python3\`, a virtual environment in a root or behind one that leads to \`private/bin\`, \`private/lib\`, \`private/include\` — if tools may read that, write { name: python, read: [private/bin, private/lib, private/include] } instead of python; otherwise leave the environment (\`deactivate\`)"`,
    );
  });

  test("that was copied is held to what its config names", () => {
    tree().add({ ...python("opt/python"), ...PRIVATE });
    tree().add({
      [`${BIN}/python3`]: PROGRAM,
      [`${ROOT}/.venv/pyvenv.cfg`]: `home = ${tree().at("private/bin")}`,
    });
    const path = [BIN, "opt/python/bin"];
    expect(everything(path)).toEqual([{ name: "python", read: ["opt/python"], path: ["opt/python/bin"] }]);
    expect(named(["python"], path)).toContain("leads to `private/bin`, `private/lib`");
    tree().add({ [`${ROOT}/.venv/pyvenv.cfg`]: `home = ${tree().at("opt/python/bin")}` });
    expect(everything(path)).toMatchObject([{ read: ["opt/python"], path: [BIN, "opt/python/bin"] }]);
  });

  test("works with a Python that is listed by hand, as the message says", () => {
    tree().add({
      ...python("opt/python"),
      ...python("opt/other"),
      ...venv(`${ROOT}/.venv`, "opt/other/bin"),
    });
    const path = [BIN, "opt/python/bin"];
    const read = [tree().at("opt/other")];
    expect(named(["python"], path)).toContain("write { name: python, read: [opt/other] } instead of python");
    expect(named([{ name: "python", read }], path)).toEqual([
      { name: "python", read: ["opt/other"], path: [BIN, "opt/other/bin"] },
    ]);
    expect(named(["python", { name: "other", read }], path)).toMatchObject([
      { name: "python", read: ["opt/python"], path: [BIN, "opt/python/bin"] },
      { name: "other" },
    ]);
  });

  test("that leads to no Python, or to what is a person's own, says so and grants nothing", () => {
    tree().add({
      ...python("opt/python"),
      "home/me/.ssh/bin/python3": PROGRAM,
      "home/me/.ssh/lib/python3/x": "",
    });
    tree().add(venv(`${ROOT}/.venv`, "home/me/.ssh/bin"));
    const path = [BIN, "opt/python/bin"];
    expect(everything(path)).toMatchObject([{ read: ["opt/python"], path: ["opt/python/bin"] }]);
    expect(named(["python"], path)).toMatchInlineSnapshot(
      `"CONFIG_INVALID the runtime \`python\` was found at \`work/.venv/bin/python3\`, a virtual environment in a root or behind one that leads to no Python program — leave the environment (\`deactivate\`), or list the folders that it needs: runtimes: [{ name: python, read: [/its/folder] }]"`,
    );
  });

  test("of which the folder is a link to one elsewhere is not shown", () => {
    tree().add({ ...python("opt/python"), ...venv("home/me/.venvs/x", "opt/python/bin") });
    tree().add({ [`${ROOT}/.venv`]: { link: "~~/home/me/.venvs/x" } });
    const path = [BIN, "opt/python/bin"];
    expect(everything(path)).toEqual([{ name: "python", read: ["opt/python"], path: ["opt/python/bin"] }]);
    expect(named(["python"], path)).toContain("leads to `home/me/.venvs/x`");
    const outside = everything(["home/me/.venvs/x/bin", "opt/python/bin"]);
    expect(outside).toMatchObject([{ read: ["home/me/.venvs/x", "opt/python"] }]);
  });
});

test("whatever a root holds, what is granted outside of it is the same, or nothing", () => {
  const target = fc.constantFrom(
    "private/bin",
    "private",
    "opt/python/bin",
    "home/me/.ssh",
    `${ROOT}/other`,
    "usr",
  );
  const name = fc.constantFrom(
    "bin",
    ".venv",
    ".venv/bin",
    ".venv/bin/python3",
    ".venv/pyvenv.cfg",
    "bin/python3",
  );
  const entry = fc.oneof(
    fc.constant(PROGRAM),
    target.map((to) => ({ link: `~~/${to}` })),
    target.map((to) => ({ link: `~~/${to}/python3` })),
    target.map((to) => `home = ~~/${to}`),
  );
  tree().add({ ...PRIVATE, ...python("opt/python"), "home/me/.ssh/id": "s" });
  const path = [`${ROOT}/.venv/bin`, `${ROOT}/bin`, "opt/python/bin"];
  const host = tree().host({ VIRTUAL_ENV: tree().at(`${ROOT}/.venv`) }, path);
  const outside = (): readonly AbsolutePath[] =>
    everyRuntime(host, roots())
      .flatMap(({ read }) => read)
      .filter((folder) => !roots().some((root) => isInside(folder, root)));
  const before = outside();
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, entry), { selector: ([key]) => key }), (entries) => {
      rmSync(tree().at(ROOT), { recursive: true, force: true });
      for (const [key, made] of entries.toSorted(([a], [b]) => a.length - b.length))
        plant(`${ROOT}/${key}`, made);
      expect(outside()).toEqual(before);
    }),
    { numRuns: 200 },
  );
});

/** Adds what can be added in the root: of a name below a file or a link nothing is made. */
function plant(name: string, entry: Entry): void {
  const above = tree().at(name.slice(0, name.lastIndexOf("/")));
  if (existsSync(above) && realpathSync(above) !== above) return;
  const text = typeof entry === "string" ? entry.replace("~~", tree().top) : entry;
  try {
    tree().add({ [name]: text });
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}
