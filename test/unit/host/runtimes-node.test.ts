import { realpathSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findRuntimes } from "../../../src/host/look/runtimes.ts";
import { finder, node, whole } from "./runtimes-layouts.ts";
import { FOLDER, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const found = finder(tree);

describe("node", () => {
  test("in a folder of one version: that folder", () => {
    tree().add(node("home/me/.nvm/versions/node/v24.1.0"));
    tree().add({
      "home/me/.nvm/versions/node/v20.0.0/bin/node": PROGRAM,
      "home/me/.nvm/alias/default": "24",
    });
    expect(found("node", ["home/me/.nvm/versions/node/v24.1.0/bin"])).toEqual(
      whole("home/me/.nvm/versions/node/v24.1.0"),
    );
  });

  test("behind links of folders (fnm): the folder that they lead to", () => {
    tree().add(node("home/me/.local/share/fnm/node-versions/v24.1.0/installation"));
    tree().add({
      "run/fnm_multishells/1": { link: "~~/home/me/.local/share/fnm/node-versions/v24.1.0/installation" },
    });
    expect(found("node", ["run/fnm_multishells/1/bin"])).toEqual(
      whole("home/me/.local/share/fnm/node-versions/v24.1.0/installation"),
    );
  });

  test("of the system: nothing more than the folder on PATH", () => {
    tree().add({
      "usr/bin/node": PROGRAM,
      "usr/include/node": FOLDER,
      bin: { link: "usr/bin" },
      "opt/bin/node": { link: "~~/usr/bin/node" },
    });
    expect(found("node", ["usr/bin"])).toEqual({ read: [], path: ["usr/bin"] });
    expect(found("node", ["bin"])).toEqual({ read: [], path: ["usr/bin"] });
    expect(found("node", ["opt/bin"])).toEqual({ read: [], path: ["usr/bin"] });
  });

  test("alone in a folder with other things: the one file", () => {
    tree().add({
      "home/me/work/bin/node": PROGRAM,
      "home/me/work/bin/token": "s",
      "home/me/work/.env": "s",
    });
    expect(found("node", ["home/me/work/bin"])).toEqual({
      read: ["home/me/work/bin/node"],
      path: ["home/me/work/bin"],
    });
  });

  test("alone under another name: the file, and the link by which it is called", () => {
    tree().add({ "opt/node24/nodejs": PROGRAM, "home/me/bin/node": { link: "~~/opt/node24/nodejs" } });
    expect(found("node", ["home/me/bin"])).toEqual({
      read: ["opt/node24/nodejs"],
      links: ["home/me/bin/node → opt/node24/nodejs"],
      path: ["home/me/bin"],
    });
  });

  test("installed into a folder that is a person's own: the one file, never that folder", () => {
    for (const prefix of ["home/me", "home/me/.local", "home/me/data"]) {
      tree().add(node(prefix));
      const env = { XDG_DATA_HOME: tree().at("home/me/data/share") };
      expect(found("node", [`${prefix}/bin`], env)).toEqual({
        read: [`${prefix}/bin/node`],
        path: [`${prefix}/bin`],
      });
    }
    expect(found("node", ["home/me/data/bin"])).toEqual(whole("home/me/data"));
  });

  test("in a folder where npm or somebody put more: the distribution's code without it", () => {
    const prefix = "opt/node";
    tree().add({ ...node(prefix), [`${prefix}/etc/npmrc`]: "//registry/:_authToken=s" });
    expect(found("node", [`${prefix}/bin`])).toEqual({
      read: ["bin", "lib", "include"].map((name) => `${prefix}/${name}`),
      path: [`${prefix}/bin`],
    });
  });

  test("the first on PATH is the one in use", () => {
    tree().add({ ...node("opt/a"), ...node("opt/b") });
    expect(found("node", ["opt/b/bin", "opt/a/bin"])).toEqual(whole("opt/b"));
  });

  test("behind a launcher that is no version manager's: not found, and the launcher is named", () => {
    tree().add({ "usr/bin/snap": PROGRAM, "snap/bin/node": { link: "~~/usr/bin/snap" } });
    expect(found("node", ["snap/bin"])).toBe(
      "the runtime `node` was found at `snap/bin/node`, which leads to `snap`, which chooses the version",
    );
  });

  test("not on PATH: the Node that runs this", () => {
    const [runtime] = findRuntimes(tree().host({}, []), ["node"], []);
    expect(
      [...(runtime?.read ?? []), ...(runtime?.path ?? [])].some((path) =>
        realpathSync(process.execPath).startsWith(path),
      ),
    ).toBe(true);
  });

  test("of Homebrew: its formulas, never its config", () => {
    const brew = "home/brew/.linuxbrew";
    tree().add(node(`${brew}/Cellar/node/24.1.0`));
    tree().add({
      [`${brew}/bin/node`]: { link: "../Cellar/node/24.1.0/bin/node" },
      [`${brew}/opt/node`]: { link: "../Cellar/node/24.1.0" },
    });
    tree().add({ [`${brew}/etc/npmrc`]: "s", [`${brew}/lib`]: { link: "~~/home/me" } });
    expect(found("node", [`${brew}/bin`])).toEqual({
      read: [`${brew}/Cellar`, `${brew}/opt`],
      path: [`${brew}/Cellar/node/24.1.0/bin`],
    });
  });
});
