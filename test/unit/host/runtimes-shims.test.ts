import { describe, expect, test } from "vitest";
import { findRuntimes } from "../../../src/host/look/runtimes.ts";
import { finder, foundBy, node, whole } from "./runtimes-layouts.ts";
import { freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const found = finder(tree);

describe("shims", () => {
  const NODENV = "home/me/.nodenv";
  const nodenv = (): void => {
    tree().add({
      ...node(`${NODENV}/versions/20.1.0`),
      ...node(`${NODENV}/versions/24.1.0`),
      ...node(`${NODENV}/versions/24.10.0`),
    });
    tree().add({ [`${NODENV}/shims/node`]: PROGRAM });
  };

  test("of nodenv: the variable, else the version file, in all its spellings", () => {
    nodenv();
    const version = (text: string): string => {
      tree().add({ [`${NODENV}/version`]: text });
      return JSON.stringify(found("node", [`${NODENV}/shims`])).replaceAll(`${NODENV}/`, "");
    };
    const is = (name: string): string => JSON.stringify(whole(`versions/${name}`));
    expect(version("20.1.0\n")).toBe(is("20.1.0"));
    expect(version("node-v20.1.0")).toBe(is("20.1.0"));
    expect(version("# chosen by hand\nv24.1.0")).toBe(is("24.1.0"));
    expect(version("24")).toBe(is("24.10.0"));
    expect(version("22.0.0\n20.1.0")).toBe(is("20.1.0"));
    expect(found("node", [`${NODENV}/shims`], { NODENV_VERSION: "24.1.0" })).toEqual(
      whole(`${NODENV}/versions/24.1.0`),
    );
  });

  test("of nodenv, with a version that is not installed or leads elsewhere: not found, with what to do", () => {
    nodenv();
    for (const version of ["22.0.0", "../versions/20.1.0", "..", "2"]) {
      const message = found("node", [`${NODENV}/shims`, "opt/node/bin"], { NODENV_VERSION: version });
      expect(message).toBe(
        `the runtime \`node\` was found at \`${NODENV}/shims/node\`, which is a shim for a version that no file names`,
      );
    }
    expect(() =>
      findRuntimes(tree().host({ NODENV_VERSION: "22" }, [`${NODENV}/shims`]), ["node"], []),
    ).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        hint: "choose its global version, or list the folders that it needs: runtimes: [{ name: node, read: [/its/folder] }]",
      }),
    );
  });

  test("that stand for the system's version: what comes next on PATH", () => {
    nodenv();
    tree().add(node("opt/node"));
    const path = [`${NODENV}/shims`, "opt/node/bin"];
    expect(found("node", path)).toEqual(whole("opt/node"));
    expect(found("node", path, { NODENV_VERSION: "system" })).toEqual(whole("opt/node"));
    expect(found("node", path, { NODENV_VERSION: "20.1.0" })).toEqual(whole(`${NODENV}/versions/20.1.0`));
  });

  test("never ask the version files of a project", () => {
    nodenv();
    tree().add({
      [`${NODENV}/version`]: "24.1.0",
      "work/.node-version": "20.1.0",
      "work/.tool-versions": "nodejs 20.1.0",
    });
    const host = { ...tree().host({ PWD: tree().at("work") }, [`${NODENV}/shims`]), cwd: tree().at("work") };
    expect(foundBy(tree(), host, "node")).toEqual(whole(`${NODENV}/versions/24.1.0`));
  });

  test("of asdf: the variable, else ~/.tool-versions", () => {
    tree().add({
      ...node("home/me/.asdf/installs/nodejs/20.1.0"),
      ...node("home/me/.asdf/installs/nodejs/24.1.0"),
    });
    tree().add({
      "home/me/.asdf/shims/node": PROGRAM,
      "home/me/.tool-versions": "# tools\npython 3.12.1\nnodejs 24.1.0 20.1.0\n",
    });
    expect(found("node", ["home/me/.asdf/shims"])).toEqual(whole("home/me/.asdf/installs/nodejs/24.1.0"));
    expect(found("node", ["home/me/.asdf/shims"], { ASDF_NODEJS_VERSION: "20.1.0" })).toEqual(
      whole("home/me/.asdf/installs/nodejs/20.1.0"),
    );
    expect(found("node", ["home/me/.asdf/shims"], { ASDF_NODEJS_VERSION: "18.0.0" })).toContain(
      "no file names",
    );
    expect(found("node", ["home/me/.asdf/shims"], { ASDF_NODEJS_VERSION: "system" })).toBe(
      "the runtime `node` is not installed",
    );
  });

  test("of mise: its global config, by alias and by list", () => {
    const mise = "home/me/.local/share/mise";
    tree().add({
      ...node(`${mise}/installs/node/24.1.0`),
      [`${mise}/installs/node/lts`]: { link: "./24.1.0" },
    });
    tree().add({
      "home/me/.local/bin/mise": PROGRAM,
      [`${mise}/shims/node`]: { link: "~~/home/me/.local/bin/mise" },
    });
    for (const text of [
      'node = "lts"',
      "node = ['lts']",
      'node = { version = "24.1.0" }',
      '"node" = "24" # 20',
      'node = ["22", "24"]',
    ]) {
      tree().add({
        "home/me/.config/mise/config.toml": `[settings]\nnode = "18"\n[tools]\npython = "3.12"\n${text}\n`,
      });
      expect(found("node", [`${mise}/shims`])).toEqual(whole(`${mise}/installs/node/24.1.0`));
    }
    tree().add({ "home/me/.config/mise/config.toml": '[settings]\nnode = "24.1.0"\n' });
    expect(found("node", [`${mise}/shims`])).toContain("no file names");
    expect(found("node", [`${mise}/shims`], { MISE_NODE_VERSION: "24" })).toEqual(
      whole(`${mise}/installs/node/24.1.0`),
    );
  });

  test("of volta: the version that its platform file names", () => {
    tree().add({
      ...node("home/me/.volta/tools/image/node/24.1.0"),
      "home/me/.volta/bin/volta-shim": PROGRAM,
    });
    tree().add({ "home/me/.volta/bin/node": { link: "volta-shim" } });
    expect(found("node", ["home/me/.volta/bin"])).toContain("no file names");
    tree().add({
      "home/me/.volta/tools/user/platform.json":
        '{ "node": { "runtime": "24.1.0", "npm": null }, "yarn": null }',
    });
    expect(found("node", ["home/me/.volta/bin"])).toEqual(whole("home/me/.volta/tools/image/node/24.1.0"));
    tree().add({ "home/me/.volta/tools/user/platform.json": '{ "node": ' });
    expect(found("node", ["home/me/.volta/bin"])).toContain("no file names");
  });

  test("of Yarn, in a folder of a command's own: whatever comes later on PATH", () => {
    tree().add({ ...node("opt/node"), "tmp/xfs-1/node": PROGRAM });
    const env = { BERRY_BIN_FOLDER: tree().at("tmp/xfs-1") };
    expect(found("node", ["tmp/xfs-1", "opt/node/bin"], env)).toEqual(whole("opt/node"));
    expect(found("node", ["tmp/xfs-1", "opt/node/bin"])).not.toEqual(whole("opt/node"));
  });

  test("of a manager that is not known: not found", () => {
    tree().add({
      "home/me/.proto/shims/node": PROGRAM,
      "home/me/.proto/tools/node/24.1.0/node": PROGRAM,
    });
    expect(found("node", ["home/me/.proto/shims"])).toContain("no file names");
  });
});
