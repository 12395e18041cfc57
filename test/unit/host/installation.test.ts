import { describe, expect, test } from "vitest";
import type { RunningProcess } from "../../../src/host/look/running-process.ts";
import type { AbsolutePath } from "../../../src/profile/path.ts";
import { FIFO, installedAs, manifest, partsOf, type Tree } from "../../support/installed-parts.ts";

/** What a map in `p` says. */
function mapped(...packages: readonly string[]): RunningProcess["plugAndPlay"] & object {
  const at = (path: string): AbsolutePath => `TOP/${path}` as AbsolutePath;
  return { map: at("p/.pnp.cjs"), packages: packages.map(at), unmapped: [] };
}

const IN_NPM: Tree = {
  "p/node_modules/cofferdam/package.json": manifest("zod"),
  "p/node_modules/zod/package.json": manifest(),
};

describe("what decides which code a process of ours runs", () => {
  test("own: in `node_modules` it is all of that folder, and each such folder above, missing or not", () => {
    expect(partsOf(IN_NPM, "p/node_modules/cofferdam")).toEqual(["p/node_modules", "node_modules"]);
  });

  test("own: with a store of packages it is the outermost `node_modules` that holds them all", () => {
    const store = "p/node_modules/.pnpm/cofferdam@1/node_modules";
    const tree = {
      [`${store}/cofferdam/package.json`]: manifest("zod"),
      [`${store}/zod`]: "-> ../../zod@4/node_modules/zod",
      "p/node_modules/.pnpm/zod@4/node_modules/zod/package.json": manifest(),
      "p/node_modules/cofferdam": "-> .pnpm/cofferdam@1/node_modules/cofferdam",
    };
    expect(partsOf(tree, `${store}/cofferdam`)).toEqual(["p/node_modules", "node_modules"]);
  });

  test.each([
    [{ NODE_COMPILE_CACHE: "TOP/p/node_modules/.cache/node" }, "node"],
    [{ NODE_OPTIONS: "--require TOP/p/node_modules/.cache/hook.cjs" }, "hook.cjs"],
    [{ PATH: "TOP/p/node_modules/.cache/n/bin" }, "n/bin/node"],
  ])("own: of what stands for all of `node_modules` the place is known, too: %j", (env, place) => {
    const { found, from } = installedAs(IN_NPM, "p/node_modules/cofferdam", { env });
    expect(found.parts.flatMap(({ path }) => from(path))).not.toContain(`p/node_modules/.cache/${place}`);
    expect(found.places.flatMap(from)).toContain(`p/node_modules/.cache/${place}`);
  });

  test("own: of a checkout it is what is loaded, its packages and those above, and not its tests", () => {
    const tree = {
      "work/cofferdam/package.json": manifest("zod"),
      "work/cofferdam/dist/index.js": "",
      "work/cofferdam/profiles/protected.yaml": "",
      "work/cofferdam/test/a.test.ts": "",
      "work/cofferdam/node_modules/zod/package.json": manifest(),
    };
    expect(partsOf(tree, "work/cofferdam")).toEqual([
      "work/cofferdam/dist",
      "work/cofferdam/profiles",
      "work/cofferdam/package.json",
      "work/cofferdam/node_modules",
      "work/node_modules",
      "node_modules",
    ]);
  });

  test("own: of a checkout with scripts it is also what these run, missing or not", () => {
    const tree = {
      "work/cofferdam/package.json": manifest(),
      "work/cofferdam/src/index.ts": "",
      "work/cofferdam/scripts/cofferdam": "",
    };
    expect(partsOf(tree, "work/cofferdam").toSorted()).toEqual([
      "node_modules",
      "work/cofferdam/.cofferdam-node",
      "work/cofferdam/.npmrc",
      "work/cofferdam/node_modules",
      "work/cofferdam/npm-shrinkwrap.json",
      "work/cofferdam/package-lock.json",
      "work/cofferdam/package.json",
      "work/cofferdam/rolldown.config.ts",
      "work/cofferdam/scripts",
      "work/cofferdam/src",
      "work/cofferdam/tsconfig.build.json",
      "work/cofferdam/tsconfig.json",
      "work/node_modules",
    ]);
  });

  test.each([
    ["npm's", { "p/package.json": '{"workspaces":["packages/*","./tools/","!packages/c"]}' }],
    ["classic Yarn's", { "p/package.json": '{"workspaces":{"packages":["packages/**","tools"]}}' }],
    ["pnpm's", { "p/pnpm-workspace.yaml": "packages:\n  - packages/{a,b}\n  - t*ls\n" }],
  ])(
    "own: the packages of workspaces count, which are removed together with ours: %s",
    (_, manifests: Tree) => {
      const tree = {
        ...IN_NPM,
        ...manifests,
        "p/packages/a/node_modules/x/index.js": "",
        "p/packages/b/index.js": "",
        "p/tools/node_modules/x/index.js": "",
        "p/examples/node_modules/x/index.js": "",
      };
      expect(partsOf(tree, "p/node_modules/cofferdam").toSorted()).toEqual([
        "node_modules",
        "p/node_modules",
        "p/packages/a/node_modules",
        "p/tools/node_modules",
      ]);
    },
  );

  test("a manifest that is not a regular file, or too large, says nothing, and keeps no start waiting", () => {
    const large = `{"workspaces":["packages/*"],"x":"${"x".repeat(1024 * 1024)}"}`;
    const tree = { ...IN_NPM, "p/packages/a/node_modules/zod/a": "" };
    expect(partsOf({ ...tree, "p/package.json": large }, "p/node_modules/cofferdam")).toEqual([
      "p/node_modules",
      "node_modules",
    ]);
    for (const name of ["package.json", "pnpm-workspace.yaml", "node_modules/cofferdam/package.json"]) {
      const found = partsOf({ ...tree, [`p/${name}`]: FIFO }, "p/node_modules/cofferdam");
      expect([name, found]).toEqual([name, ["p/node_modules", "node_modules"]]);
    }
  });

  test("a manifest of workspaces that leads elsewhere, or says nothing, adds nothing", () => {
    for (const workspaces of ['["../other/*"]', '["/other/*"]', "7", "[{}]", '{"packages":1}']) {
      const tree = {
        ...IN_NPM,
        "p/package.json": `{"workspaces":${workspaces}}`,
        "p/pnpm-workspace.yaml": "packages: [",
        "other/a/node_modules/x/index.js": "",
      };
      expect(partsOf(tree, "p/node_modules/cofferdam")).toEqual(["p/node_modules", "node_modules"]);
    }
  });

  test("own: of a global installation it is also the command, which PATH need not find", () => {
    const tree = {
      "g/lib/node_modules/cofferdam/package.json": manifest(),
      "g/lib/node_modules/cofferdam/main.js": "",
      "g/bin/cofferdam": "-> ../lib/node_modules/cofferdam/main.js",
      "g/bin/other": "",
    };
    expect(partsOf(tree, "g/lib/node_modules/cofferdam")).toEqual([
      "g/lib/node_modules",
      "g/node_modules",
      "node_modules",
      "g/bin/cofferdam",
    ]);
  });

  const LINK = "-> ../i/node_modules/cofferdam/main.js";
  test.each([
    ["Bun's", { "g/bin/cofferdam": LINK }, ["g/bin/cofferdam"]],
    ["pnpm's", { "g/bin/cofferdam": "#!/bin/sh" }, ["g/bin/cofferdam", "g/bin/node"]],
    ["an older pnpm's", { "g/cofferdam": "#!/bin/sh" }, ["g/cofferdam", "g/node"]],
    [
      "Yarn's",
      { ".yarn/bin/cofferdam": "-> ../../g/i/node_modules/.bin/cofferdam" },
      [".yarn/bin/cofferdam"],
    ],
  ])(
    "own: so it is where the layout is %s, with the Node that a script takes first",
    (_whose, tree, held) => {
      const packages = {
        "g/i/node_modules/cofferdam/package.json": manifest(),
        "g/cofferdam/a": "",
        "g/bin/a": "",
      };
      const { "g/cofferdam/a": _, ...without } = packages;
      const all = { ...("g/cofferdam" in tree ? without : packages), ...tree };
      expect(
        partsOf(all, "g/i/node_modules/cofferdam").filter((path) => !path.endsWith("node_modules")),
      ).toEqual(held);
    },
  );

  test("own: by whatever path it was started", () => {
    const tree = {
      "store/node_modules/cofferdam/main.js": "",
      "g/1/node_modules/cofferdam": "-> ../../../store/node_modules/cofferdam",
      "g/bin/cofferdam": "#!/bin/sh",
    };
    const program = "TOP/g/1/node_modules/cofferdam/main.js" as AbsolutePath;
    const of = (running: Partial<RunningProcess>) => partsOf(tree, "store/node_modules/cofferdam", running);
    expect(of({ program })).toEqual(expect.arrayContaining(["g/bin/cofferdam", "g/bin/node"]));
    expect(of({})).not.toContain("g/bin/cofferdam");
  });

  test("own: a dependency that is a link counts where it leads", () => {
    const tree = {
      ...IN_NPM,
      "p/node_modules/cofferdam/package.json": manifest("zod", "linked"),
      "p/node_modules/linked": "-> ../../elsewhere/linked",
      "elsewhere/linked/package.json": manifest("deeper"),
      "elsewhere/node_modules/deeper/package.json": manifest(),
    };
    expect(partsOf(tree, "p/node_modules/cofferdam")).toEqual([
      "p/node_modules",
      "elsewhere/linked",
      "elsewhere/node_modules",
      "node_modules",
    ]);
  });

  test("own: a linked package counts by the link, too", () => {
    const tree = {
      "work/cofferdam/package.json": manifest(),
      "work/cofferdam/dist/index.js": "",
      "p/node_modules/cofferdam": "-> ../../work/cofferdam",
      "p/agent.js": "",
    };
    const program = "TOP/p/agent.js" as AbsolutePath;
    expect(partsOf(tree, "work/cofferdam", { program })).toContain("p/node_modules");
    expect(partsOf(tree, "work/cofferdam")).not.toContain("p/node_modules");
  });

  test("own: found by a path with links, as with preserved links, it is also where Node looks from that path", () => {
    const tree = {
      "g/node_modules/cofferdam/package.json": manifest("hono"),
      "work/a/node_modules/cofferdam": "-> ../../../g/node_modules/cofferdam",
      "work/a/node_modules/hono": "-> ../../packages/hono",
      "work/packages/hono/package.json": manifest(),
      "work/b": "-> a",
    };
    const inWork = (folder: string) => partsOf(tree, folder).filter((path) => path.startsWith("work"));
    expect(inWork("g/node_modules/cofferdam")).toEqual([]);
    const found = ["work/packages/hono", "work/a/node_modules", "work/node_modules"];
    expect(inWork("work/a/node_modules/cofferdam")).toEqual(found);
    expect(inWork("work/b/node_modules/cofferdam")).toEqual(expect.arrayContaining([...found, "work/b"]));
  });

  test("own: with Plug'n'Play it is the map, what lies beside it, and where the archives are", () => {
    const tree = {
      "p/.pnp.cjs": "",
      "p/.pnp.loader.mjs": "",
      "p/.yarn/install-state.gz": "",
      "cache/cofferdam.zip": "",
    };
    expect(partsOf(tree, "cache/cofferdam.zip", { plugAndPlay: mapped("cache/cofferdam.zip") })).toEqual([
      "cache",
      "p/.pnp.cjs",
      "p/.pnp.loader.mjs",
      "p/.yarn",
    ]);
  });

  test("own: with Plug'n'Play it is also each folder that the map leads to, by the links on the way, and no other", () => {
    const tree = {
      "p/.pnp.cjs": "",
      "p/vendor/yaml/package.json": manifest(),
      "p/packages/other/package.json": manifest(),
      "p/linked": "-> vendor",
      "cache/cofferdam.zip": "",
    };
    const plugAndPlay = mapped("cache/cofferdam.zip", "p/linked/yaml");
    expect(partsOf(tree, "cache/cofferdam.zip", { plugAndPlay })).toEqual([
      "cache",
      "p/vendor/yaml",
      "p/linked",
      "p/.pnp.cjs",
    ]);
  });

  test("own: where the map leads to a package that it has no place for, Node's own search counts", () => {
    const tree = {
      "p/.pnp.cjs": "",
      "linked/diff/package.json": manifest("deep"),
      "linked/node_modules/deep/package.json": manifest(),
      "cache/cofferdam.zip": "",
    };
    const plugAndPlay = {
      ...mapped("cache/cofferdam.zip", "linked/diff"),
      unmapped: ["TOP/linked/diff" as AbsolutePath],
    };
    expect(partsOf(tree, "cache/cofferdam.zip", { plugAndPlay })).toEqual([
      "cache",
      "linked/diff",
      "linked/node_modules",
      "node_modules",
      "p/.pnp.cjs",
    ]);
  });

  test("own: of a checkout that Plug'n'Play finds it is what is loaded, and not its tests", () => {
    const tree = {
      "p/.pnp.cjs": "",
      "work/cofferdam/package.json": manifest(),
      "work/cofferdam/dist/index.js": "",
      "work/cofferdam/test/a.test.ts": "",
    };
    expect(partsOf(tree, "work/cofferdam", { plugAndPlay: mapped("work/cofferdam") })).toEqual([
      "work/cofferdam/dist",
      "work/cofferdam/package.json",
      "p/.pnp.cjs",
    ]);
  });

  test("own: Node counts, the links that lead to it, and a command of ours that PATH finds", () => {
    const tree = {
      ...IN_NPM,
      "tools/node-24/bin/node": "",
      "tools/bin/node": "-> ../node-24/bin/node",
      "tools/bin/cofferdam": "",
    };
    const parts = partsOf(tree, "p/node_modules/cofferdam", {
      execPath: "TOP/tools/node-24/bin/node" as AbsolutePath,
      env: { PATH: "TOP/tools/bin:TOP/later:/usr/bin" },
    });
    expect(parts).toEqual([
      "p/node_modules",
      "node_modules",
      "tools/node-24/bin/node",
      "tools/bin/cofferdam",
      "tools/bin/node",
      "tools/node-24/lib/node",
    ]);
  });

  test.each([
    [{ NODE_OPTIONS: "--require ./a.cjs --import=file://TOP/b.mjs" }, ["a.cjs", "b.mjs"]],
    [{ NODE_OPTIONS: '--require "TOP/with blank.cjs"' }, ["with blank.cjs"]],
    [{ NODE_OPTIONS: "--env-file=c.env --max-old-space-size=100" }, ["c.env"]],
    [{ NODE_PATH: "TOP/lib:TOP/more" }, ["lib", "more"]],
    [{ NODE_COMPILE_CACHE: "TOP/compiled" }, ["compiled"]],
    [{ TMPDIR: "TOP/t/", TMP: "TOP/u" }, ["t/node-compile-cache"]],
    [{ TMPDIR: "", TMP: "TOP/u", TEMP: "TOP/v" }, ["u/node-compile-cache"]],
    [{ TEMP: "TOP/v" }, ["v/node-compile-cache"]],
    [{ LD_PRELOAD: "TOP/one.so TOP/two.so" }, ["one.so", "two.so"]],
    [{ OPENSSL_CONF: "TOP/openssl.cnf" }, ["openssl.cnf"]],
    [{ NODE_OPTIONS: "--require tool" }, ["p/node_modules"]],
  ])("own: what the environment names counts: %j", (env, found) => {
    const tree = {
      ...IN_NPM,
      "p/node_modules/tool/index.js": "",
      "p/node_modules/tool/package.json": "{}",
      "a.cjs": "",
      "b.mjs": "",
      "with blank.cjs": "",
    };
    const cwd = "NODE_OPTIONS" in env && env.NODE_OPTIONS.endsWith("tool") ? "TOP/p" : "TOP";
    const parts = partsOf(tree, "p/node_modules/cofferdam", { env, cwd: cwd as AbsolutePath });
    expect(parts.filter((path) => !/^node_modules|tool\.\w+$|package\.json$/.test(path))).toEqual([
      ...new Set(["p/node_modules", ...found]),
    ]);
  });

  test("a package that claims to need a path, or itself, leads nowhere else", () => {
    const tree = {
      "p/node_modules/cofferdam/package.json": manifest("../../elsewhere", "cofferdam", ".bin", "@x/../y"),
      "elsewhere/package.json": manifest(),
    };
    expect(partsOf(tree, "p/node_modules/cofferdam")).toEqual(["p/node_modules", "node_modules"]);
  });
});
