import { describe, expect, test } from "vitest";
import type { AbsolutePath } from "../../../src/profile/path.ts";
import { elfWith } from "../../support/elf.ts";
import {
  ELSEWHERE,
  installedAs,
  inWork,
  manifest,
  partsOf,
  type Tree,
} from "../../support/installed-parts.ts";

describe("what PATH finds in place of ours", () => {
  test.each([
    ["relative", "bin"],
    ["relative, with a dot", "./bin"],
    ["with slashes too many", "TOP/work//bin/"],
    ["with a detour", "TOP/work/sub/../bin"],
    ["through a link above the root", "TOP/link/bin"],
  ])("own: a folder before Node's is held by both names, missing or not: %s", (_, entry) => {
    const tree = { "work/sub/a": "", link: "-> work", "node/bin/node": "", "node/bin/cofferdam": "" };
    for (const files of [{}, { "work/bin/other": "" }])
      expect(inWork({ ...tree, ...files }, { PATH: `${entry}:TOP/node/bin` })).toEqual([
        "bin/cofferdam",
        "bin/node",
      ]);
    expect(inWork(tree, { PATH: `TOP/node/bin:${entry}` })).toEqual([]);
  });

  test("own: a relative one ends no search, for in another folder it finds nothing; an absolute one does", () => {
    const tree = { "work/bin/cofferdam": "", "work/bin/node": "", "work/tools/a": "" };
    const held = ["bin/cofferdam", "bin/node"];
    expect(inWork(tree, { PATH: "TOP/work/bin:TOP/work/tools" })).toEqual(held);
    const both = ["bin/cofferdam", "tools/cofferdam", "bin/node", "tools/node"];
    expect(inWork(tree, { PATH: "bin:TOP/work/tools" })).toEqual(both);
  });

  test("own: a tilde means the homes as well as the name that it is", () => {
    const running = { homes: ["TOP/work/home" as AbsolutePath] };
    const found = inWork({}, { PATH: "~/bin:/usr/bin" }, running);
    const commands = (name: string) => [`~/bin/${name}`, `home/bin/${name}`];
    expect(found.filter((path) => path.includes("bin/"))).toEqual(["cofferdam", "node"].flatMap(commands));
  });

  test.each([".", "", "TOP/work"])("own: so is the current folder: %j", (entry) => {
    expect(inWork({}, { PATH: `${entry}:/usr/bin` })).toEqual(["cofferdam", "node"]);
  });

  test("own: a link that leads nowhere is held with where it leads, and a folder behind a link with the link", () => {
    const dangling = { "work/bin/node": "-> ../x/node" };
    expect(inWork(dangling, { PATH: "TOP/work/bin" })).toEqual(["bin/cofferdam", "x/node", "bin/node"]);
    const linked = { "work/s/bin": "-> ../x" };
    expect(inWork(linked, { PATH: "TOP/work/s/bin" })).toEqual(["x/cofferdam", "s/bin", "x/node"]);
  });

  test("own: what can't be run, or is no folder, is held too, for another would be found in its place", () => {
    const tree = { "work/tools/node": "", "work/file": "" };
    expect(inWork(tree, { PATH: "tools:file" }).toSorted()).toEqual([
      "file",
      "tools/cofferdam",
      "tools/node",
    ]);
  });

  test("own: a missing folder with a detour behind it is held itself", () => {
    expect(inWork({}, { PATH: "gone/../bin" })).toEqual(["bin/cofferdam", "gone", "bin/node"]);
  });

  test("own: commands that package managers would put in their folders are not held: those are made anew as a whole", () => {
    const tree = { "work/node_modules/.bin/other": "" };
    expect(inWork(tree, { PATH: "TOP/work/node_modules/.bin:TOP/work/sub/node_modules/.bin" })).toEqual([]);
  });
});

describe("where the loader takes libraries from", () => {
  test.each([
    ["an empty entry is the current folder", "/usr/local/lib:", ["work"]],
    ["a semicolon stands between two", "/usr/local/lib;TOP/work/ll", ["work/ll"]],
    ["the program's folder", "$ORIGIN/../lib", ["node/lib"]],
    ["the same in braces", `\${ORIGIN}/lib`, ["node/bin/lib"]],
    ["the system's name for it", "TOP/work/$LIB", ["work/lib/x86_64-linux-gnu"]],
    ["a processor, of which the folder above is held", "TOP/work/p/$PLATFORM/x", ["work/p"]],
    ["a relative one, by way of a link", "l/x", ["work/ll/x", "work/l"]],
  ])("own: LD_LIBRARY_PATH: %s", (_, value, found) => {
    const tree = { ...ELSEWHERE, "work/l": "-> ll", "work/ll/a": "", "node/bin/node": "" };
    const parts = partsOf(tree, "g/node_modules/cofferdam", {
      cwd: "TOP/work" as AbsolutePath,
      execPath: "TOP/node/bin/node" as AbsolutePath,
      libraries: ["/usr/lib/x86_64-linux-gnu/libc.so.6" as AbsolutePath],
      env: { LD_LIBRARY_PATH: value, PATH: "/usr/bin" },
    });
    const usual = /node_modules$|^node\/bin\/node$|^node\/lib\/node$/;
    expect(parts.filter((path) => !usual.test(path)).toSorted()).toEqual(found.toSorted());
  });

  test("own: an empty LD_LIBRARY_PATH names nothing, and a name without a slash in LD_PRELOAD no file", () => {
    expect(inWork({}, { LD_LIBRARY_PATH: "", LD_PRELOAD: "libjemalloc.so.2" })).toEqual([]);
  });

  test("own: where it is not known what `$LIB` is, all that it may be is held", () => {
    expect(inWork({}, { LD_LIBRARY_PATH: "$LIB:/usr/lib" })).toEqual(["lib", "lib64"]);
  });

  test.each([
    ["RUNPATH", elfWith("$ORIGIN/../lib:$ORIGIN/more")],
    ["RPATH", elfWith("$ORIGIN/../lib:$ORIGIN/more", { tag: 15 })],
    ["RUNPATH of 32 bits", elfWith("$ORIGIN/../lib:$ORIGIN/more", { isWide: false })],
    ["RUNPATH with the bytes the other way", elfWith("$ORIGIN/../lib:$ORIGIN/more", { isBig: true })],
  ])("own: the folders that Node's own file names are held, missing or not: %s", (_, node) => {
    const execPath = "TOP/work/env/bin/node" as AbsolutePath;
    const tree = { "work/env/bin/node": node, "work/env/lib/a.so": "" };
    expect(inWork(tree, {}, { execPath })).toEqual(["env/bin/node", "env/lib", "env/bin/more"]);
    expect(inWork({ ...tree, "work/env/bin/node": "#!" }, {}, { execPath })).toEqual([
      "env/bin/node",
      "env/lib/node",
    ]);
  });

  test("own: the folder of each library that is loaded is held, and what that library names; not the system's", () => {
    const libraries = ["TOP/work/lib/liba.so.1", "/usr/lib/x86_64-linux-gnu/libc.so.6"] as AbsolutePath[];
    const tree = { "work/lib/liba.so.1": elfWith("$ORIGIN/../deeper") };
    expect(inWork(tree, {}, { libraries })).toEqual(["lib", "deeper"]);
  });
});

describe("what options of Node load", () => {
  const PACKAGE = { "node_modules/tracer/package.json": manifest(), "node_modules/tracer/index.js": "" };

  test.each<[what: string, options: string, tree: Tree, found: readonly string[]]>([
    ["a file without its ending", "--require ./hook", { "work/hook.js": "" }, ["hook", "hook.js"]],
    ["a folder", "-r ./hook", { "work/hook/index.js": "" }, ["hook", "hook.js", "hook.json", "hook.node"]],
    ["a loader, with an underscore", "--experimental_loader=./l.mjs", { "work/l.mjs": "" }, ["l.mjs"]],
    ["a link", "--import ./l/h.mjs", { "work/l": "-> x", "work/x/h.mjs": "" }, ["x/h.mjs", "l"]],
    [
      "a package above, of which none may come nearer, for which the folder's own can stand",
      "--require tracer",
      PACKAGE,
      [...["", ".js", ".json", ".node"].map((ending) => `node_modules/tracer${ending}`), "package.json"],
    ],
    ["a package that is imported", "--import tracer", PACKAGE, ["node_modules/tracer", "package.json"]],
    [
      "a package that only an import finds, behind a link",
      "--import hook",
      {
        "work/package.json": "{}",
        "work/node_modules/hook": "-> ../packages/hook",
        "work/packages/hook/package.json": '{"exports":{"import":"./h.mjs"}}',
      },
      ["packages/hook", "node_modules", "packages/node_modules", "package.json"],
    ],
    [
      "what a file imports",
      "--import ./h.mjs",
      {
        "work/h.mjs": 'import "./x/one.js";\nimport fs from "node:fs"; import "zod";',
        "work/x/one.js": 'require("./two")',
        "work/x/two.js": "",
      },
      ["h.mjs", "x/one.js", "node_modules", "package.json", "x/two", "x/two.js"],
    ],
    [
      "a config file elsewhere",
      "--experimental-config-file=TOP/c.json",
      { "c.json": '{"nodeOptions":{"import":["./h.mjs"]}}', "work/h.mjs": "" },
      ["h.mjs"],
    ],
    ["a URL with a query", "--import ./h.mjs?x=1", { "work/h.mjs": "" }, ["h.mjs"]],
    ["a URL with a fragment", "--loader ./h.mjs#x", { "work/h.mjs": "" }, ["h.mjs"]],
    ["a URL with escapes", "--experimental-loader ./%68.mjs", { "work/h.mjs": "" }, ["h.mjs"]],
    [
      "a URL from the root, of this machine",
      "--import //localhostTOP/work/h.mjs",
      { "work/h.mjs": "" },
      ["h.mjs"],
    ],
    ["a whole URL in large letters", "--import FILE://TOP/work/%68.mjs", { "work/h.mjs": "" }, ["h.mjs"]],
    ["a URL with a tab, which counts for nothing", "--import ./h\t.mjs", { "work/h.mjs": "" }, ["h.mjs"]],
    [
      "a path with what is special in a URL",
      "--require ./%68?x#y.cjs",
      { "work/%68?x#y.cjs": "" },
      ["%68?x#y.cjs"],
    ],
    ...["--require", "--import"].map((option): [string, string, Tree, string[]] => [
      `a path that goes back by names, and not by where a link leads: ${option}`,
      `${option} ./l/../h.mjs`,
      { "work/h.mjs": "", "work/l": "-> x/y", "work/x/y/a": "", "work/x/h.mjs": "" },
      ["h.mjs"],
    ]),
    [
      "a URL in a config file",
      "--experimental-config-file=TOP/c.json",
      { "c.json": '{"nodeOptions":{"import":["./%68.mjs?x"]}}', "work/h.mjs": "" },
      ["h.mjs"],
    ],
    [
      "the usual config file, where none is named",
      "--experimental-config-file",
      { "work/node.config.json": '{"nodeOptions":{"import":["./h.mjs"]}}', "work/h.mjs": "" },
      ["node.config.json", "h.mjs"],
    ],
    [
      "the config file of this folder",
      "--experimental-default-config-file",
      { "work/node.config.json": '{"nodeOptions":{"require":"./h.cjs"}}', "work/h.cjs": "" },
      ["node.config.json", "h.cjs"],
    ],
  ])("own: %s", (_what, options, tree, found) => {
    expect(inWork(tree, { NODE_OPTIONS: options })).toEqual(found);
    const [name = "", ...rest] = options.replace("TOP", "TOP").split(/(?<=^\S+) /);
    expect(inWork(tree, {}, { execArgv: [name, ...rest] })).toEqual(found);
  });

  test("own: a package's name that the folder itself has makes all of that count", () => {
    const tree = { ...PACKAGE, "work/sub/a": "", "work/package.json": '{"name":"tracer","exports":"./a"}' };
    const cwd = "TOP/work/sub" as AbsolutePath;
    expect(
      partsOf({ ...ELSEWHERE, ...tree }, "g/node_modules/cofferdam", {
        cwd,
        env: { NODE_OPTIONS: "--import tracer" },
      }),
    ).toContain("work");
  });

  test("own: the folder that a program has its compiled code kept in is held, and the links that lead there", () => {
    const tree = { "work/l": "-> x", "work/x/a": "" };
    const compileCache = "TOP/work/l/cc" as AbsolutePath;
    expect(inWork(tree, {}, { compileCache })).toEqual(["x/cc", "l"]);
    expect(inWork(tree, {}, { compileCache: null })).toEqual([]);
  });

  test.each([
    ["--import ./h%00.mjs"],
    ["--import ./%.mjs"],
    ["--import //elsewhere/h.mjs"],
    ["--import https://example.org/h.mjs"],
  ])("own: a URL that Node can't read as a file of this machine's names nothing: %s", (options) => {
    expect(inWork({ "work/h.mjs": "" }, { NODE_OPTIONS: options })).toEqual([]);
  });

  test("own: what is Node's own, or no file, names nothing", () => {
    expect(
      inWork(
        {},
        { NODE_OPTIONS: "--import node:fs -r fs --import data:text/javascript,1 --max-old-space-size=99" },
      ),
    ).toEqual([]);
  });

  test("own: what OpenSSL's settings include, and libraries that they name, count, wherever the settings lie", () => {
    const tree = {
      "ssl/openssl.cnf":
        ".include = TOP/ssl/$ENV::PART\ndir = TOP/work\n[e]\ncerts = $dir/certs\ndynamic_path = ${dir}/engine.so\n.include more.cnf",
      "ssl/one.cnf": ".include TOP/work/included # the last",
      "work/included/a.cnf": "module = TOP/work/provider.so",
      "work/included/b.txt": "module = TOP/work/other.so",
    };
    const found = ["engine.so", "included", "more.cnf", "provider.so"];
    const env = { PART: "one.cnf" };
    const parts = (more: Readonly<Record<string, string>>): readonly string[] =>
      inWork(tree, { ...env, ...more }).toSorted();
    expect(parts({ OPENSSL_CONF: "TOP/ssl/openssl.cnf" })).toEqual(found);
    expect(parts({ NODE_OPTIONS: "--openssl-config=TOP/ssl/openssl.cnf" })).toEqual(found);
  });
});

describe("packages that a map finds", () => {
  const of = (url: string, ...keys: readonly string[]) => ({
    url,
    dependencies: Object.fromEntries(keys.map((key) => [`name of ${key}`, key])),
  });
  const PACKAGES = {
    app: of("../work", "other", "cf"),
    cf: of("../g/node_modules/cofferdam", "hono"),
    hono: of("../work/l/hono", "deep"),
    deep: of("file://TOP/work/deep/", "hono"),
    other: of("../work/other"),
  };
  const mapped = (text: string, env: Readonly<Record<string, string>> = {}): readonly string[] =>
    inWork(
      { "work/l": "-> x", "work/x/hono/package.json": "{}", "maps/map.json": text },
      { NODE_OPTIONS: `--experimental-package-map=../maps/map.json ${env["MORE"] ?? ""}` },
    );

  test("own: what the product may load by it is held, wherever the map lies, and no more", () => {
    expect(mapped(JSON.stringify({ packages: PACKAGES }))).toEqual(["x/hono", "l", "deep"]);
  });

  test("own: all of it is, where the product has no place in it, or a module is loaded ahead", () => {
    const { cf: _, app: __, ...others } = PACKAGES;
    const all = ["x/hono", "l", "deep", "other"];
    expect(mapped(JSON.stringify({ packages: others }))).toEqual(all);
    const { app: ___, ...withoutApp } = PACKAGES;
    const more = { MORE: "--import data:text/javascript,1" };
    expect(mapped(JSON.stringify({ packages: withoutApp }), more)).toEqual(all);
  });

  test.each([
    ["no JSON", "{"],
    ["no map", '{"packages":{"a":{}}}'],
    ["no place on a disk", '{"packages":{"a":{"url":"https://example.org/"}}}'],
    ["too large", `{"packages":{}${" ".repeat(16 * 1024 * 1024)}}`],
  ])("own: where it can't be read, everything may be what it names: %s", (_, text) => {
    const { found } = installedAs({ ...ELSEWHERE, "m.json": text }, "g/node_modules/cofferdam", {
      env: { NODE_OPTIONS: "--experimental-package-map=m.json" },
    });
    expect(found.parts.map(({ path }) => path)).toEqual(["/"]);
  });

  test("own: one that is missing is held, and names nothing", () => {
    expect(inWork({}, { NODE_OPTIONS: "--experimental-package-map=m.json" })).toEqual(["m.json"]);
  });
});

describe("settings of types, where a loader obeys them", () => {
  const CHECKOUT = { "c/package.json": manifest(), "c/src/index.ts": "", "t/l.mjs": "" };
  const LOADER = { NODE_OPTIONS: "--import TOP/t/l.mjs" };
  const ofTypes = (env: Readonly<Record<string, string>>, tree: Tree = {}, folder = "c"): readonly string[] =>
    partsOf({ ...ELSEWHERE, ...CHECKOUT, ...tree }, folder, {
      cwd: "TOP/work/sub" as AbsolutePath,
      env,
    }).filter((path) => path.endsWith(".json") && path !== "c/package.json");

  test("own: of a checkout each that may come to be found, and what those extend", () => {
    const tree = {
      "work/tsconfig.json": '{ // a comment\n "extends": ["./base", "@x/types"] }',
      "work/base.json": '{"extends":"../above.json"}',
      "work/other.json": "{}",
    };
    expect(ofTypes(LOADER, tree)).toEqual(
      expect.arrayContaining([
        "work/sub/tsconfig.json",
        "work/tsconfig.json",
        "work/base.json",
        "above.json",
        "c/tsconfig.json",
      ]),
    );
    expect(ofTypes(LOADER, tree)).not.toContain("work/other.json");
    expect(ofTypes({}, tree)).toEqual([]);
    expect(ofTypes(LOADER, tree, "g/node_modules/cofferdam")).toEqual([]);
  });

  test.each(["TSX_TSCONFIG_PATH", "TS_NODE_PROJECT"])("own: what %s names", (name) => {
    expect(ofTypes({ ...LOADER, [name]: "../other.json" }, { "work/sub/a": "" })).toContain(
      "work/other.json",
    );
  });

  test("own: with ts-node, which loads modules that they name, of a package in `node_modules`, too", () => {
    const tree = { "t/node_modules/ts-node/package.json": "{}", "t/node_modules/ts-node/register.js": "" };
    const env = { NODE_OPTIONS: "-r TOP/t/node_modules/ts-node/register.js" };
    expect(ofTypes(env, tree, "g/node_modules/cofferdam")).toContain("work/tsconfig.json");
  });
});
