import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { otherName } from "../../../src/host/look/installation/other-names.ts";
import { loadedPackages } from "../../../src/host/look/installation/packages.ts";
import { type AbsolutePath, absolutePath } from "../../../src/profile/path.ts";

/** Names one file plainly, one by a condition, and none of the rest. */
const MANIFEST = JSON.stringify({
  main: "lib/a.js",
  exports: { ".": { types: "./lib/a.d.ts", import: "./lib/b.cjs" }, "./*": "./lib/*.js", "./up": "../up.js" },
});

/** A package that lies in a project, and files that are links to it, or copies of it. */
function installed(links: Readonly<Record<string, string>>, copies: readonly string[] = []) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-names-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const at = (path: string): AbsolutePath => absolutePath(join(top, path));
  const make = (path: string, how: (path: string) => void): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    how(at(path));
  };
  const own = [
    "p/node_modules/zod/lib/a.js",
    "p/node_modules/zod/lib/b.cjs",
    "p/node_modules/zod/lib/rest.js",
  ];
  for (const path of [...own, ...copies]) make(path, (file) => writeFileSync(file, "{}"));
  writeFileSync(at("p/node_modules/zod/package.json"), MANIFEST);
  for (const [path, to] of Object.entries(links)) make(path, (file) => linkSync(at(to), file));
  const look = (folder: string, held: readonly string[] = []) =>
    otherName(loadedPackages(at("p/node_modules/zod")), { folders: [at(folder)], held: held.map(at) });
  return { at, look };
}

const LINKED = {
  "store/1": "p/node_modules/zod/package.json",
  "store/2": "p/node_modules/zod/lib/a.js",
};

describe("other names of what is loaded", () => {
  test("own: a store in a folder is found by the first file that it shares with a package", () => {
    const { at, look } = installed(LINKED);
    expect([look("store"), look("."), look("p", ["p/node_modules"])]).toEqual([
      { file: expect.stringContaining("zod"), name: expect.stringContaining("/store/") },
      { file: expect.stringContaining("zod"), name: expect.stringContaining(at("")) },
      null,
    ]);
  });

  test("own: a second project that shares the packages is found, wherever its folder is", () => {
    const { at, look } = installed({
      ...LINKED,
      "work/deep/node_modules/zod/lib/a.js": "p/node_modules/zod/lib/a.js",
    });
    expect(look("work")).toEqual({
      file: at("p/node_modules/zod/lib/a.js"),
      name: at("work/deep/node_modules/zod/lib/a.js"),
    });
  });

  test.each(["lib/a.js", "lib/b.cjs"])(
    "own: a package whose manifest has no other name, and a file that it names has: %s",
    (name) => {
      const file = `p/node_modules/zod/${name}`;
      const { at, look } = installed({ "work/x": file });
      expect(look("work")).toEqual({ file: at(file), name: at("work/x") });
      const all = installed({ "work/x": "p/node_modules/zod/lib/rest.js", "store/1": file });
      expect(all.look("work")).toMatchObject({ name: all.at("work/x") });
    },
  );

  test("copies, links that stand for other files, and what nobody can write are no other names", () => {
    const { at, look } = installed(LINKED, ["work/a.js", "work/b.js"]);
    linkSync(at("work/a.js"), at("work/c.js"));
    symlinkSync(at("store"), at("work/store"));
    expect([look("work"), look(".", ["store", "p/node_modules"])]).toEqual([null, null]);
    expect(installed({}, ["work/a.js"]).look(".")).toBeNull();
  });
});
