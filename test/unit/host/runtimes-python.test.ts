import { describe, expect, test } from "vitest";
import { finder, python, whole } from "./runtimes-layouts.ts";
import { type Entry, FOLDER, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const found = finder(tree);

describe("python", () => {
  test("of a pyenv shim: the first version of its file that has a python3", () => {
    const pyenv = "home/me/.pyenv";
    tree().add({
      ...python(`${pyenv}/versions/3.12.1`),
      ...python(`${pyenv}/versions/3.11.7`, "3.11"),
      [`${pyenv}/shims/python3`]: PROGRAM,
    });
    tree().add({
      [`${pyenv}/versions/2.7.18/bin/python2`]: PROGRAM,
      [`${pyenv}/version`]: "2.7.18\n3.11.7\n3.12.1\n",
    });
    expect(found("python", [`${pyenv}/shims`])).toEqual(whole(`${pyenv}/versions/3.11.7`));
    expect(found("python", [`${pyenv}/shims`], { PYENV_VERSION: "2.7.18:3.12" })).toEqual(
      whole(`${pyenv}/versions/3.12.1`),
    );
    expect(found("python", [`${pyenv}/shims`], { PYENV_VERSION: "3.9.0" })).toContain("no file names");
  });

  test("of uv: the version that the link in ~/.local/bin leads to", () => {
    const prefix = "home/me/.local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu";
    tree().add({
      ...python(prefix),
      [`${prefix}/BUILD`]: "",
      "home/me/.local/bin/python3": { link: `~~/${prefix}/bin/python3.12` },
    });
    expect(found("python", ["home/me/.local/bin"])).toEqual(whole(prefix));
  });

  test("that its folder does not call python3: the version, and the link that does", () => {
    tree().add({
      "opt/py/bin/python3.12": PROGRAM,
      "opt/py/lib/python3.12/os.py": "",
      "home/me/bin/python3": { link: "~~/opt/py/bin/python3.12" },
    });
    expect(found("python", ["home/me/bin"])).toEqual({
      read: ["opt/py"],
      links: ["home/me/bin/python3 → opt/py/bin/python3.12"],
      path: ["home/me/bin"],
    });
  });

  test("of conda: code and certificates, not its variables, channels and other environments", () => {
    const conda = "home/me/miniconda3";
    tree().add({
      ...python(conda),
      [`${conda}/conda-meta/state`]: "s",
      [`${conda}/.condarc`]: "s",
      [`${conda}/ssl/cacert.pem`]: "",
    });
    tree().add({ [`${conda}/envs/other/conda-meta/state`]: "s" });
    expect(found("python", [`${conda}/bin`])).toEqual({
      read: ["bin", "lib", "include", "ssl"].map((name) => `${conda}/${name}`),
      path: [`${conda}/bin`],
    });
  });

  test("without its library beside, or in a person's own folder: not found, because one file does not start", () => {
    tree().add({ "opt/bin/python3": PROGRAM, ...python("home/me/.local") });
    const message = "is not in a folder that contains only one version";
    expect(found("python", ["opt/bin"])).toBe(
      `the runtime \`python\` was found at \`opt/bin/python3\`, which ${message}`,
    );
    expect(found("python", ["home/me/.local/bin"])).toContain(message);
  });

  const venv = (folder: string, home: string): Record<string, Entry> => ({
    [`${folder}/pyvenv.cfg`]: `home = ${tree().at(home)}\ninclude-system-site-packages = false\n`,
    [`${folder}/bin/python3`]: { link: `~~/${home}/python3` },
    [`${folder}/lib/python3.12/site-packages/x.py`]: "",
    [`${folder}/lib64`]: { link: "lib" },
  });

  test("of a virtual environment: the environment and the version behind it", () => {
    tree().add({ ...python("opt/python"), ...venv("work/.venv", "opt/python/bin") });
    expect(found("python", ["work/.venv/bin"])).toEqual({
      read: ["work/.venv", "opt/python"],
      links: ["work/.venv/bin/python3 → opt/python/bin/python3", "opt/python/bin/python3 → python3.12"],
      path: ["work/.venv/bin"],
    });
  });

  test("of a virtual environment on the system's Python: the environment", () => {
    tree().add({ ...python("usr"), ...venv("work/.venv", "usr/bin") });
    expect(found("python", ["work/.venv/bin"])).toMatchObject({
      read: ["work/.venv"],
      path: ["work/.venv/bin"],
    });
  });

  test("of a virtual environment that was copied: the version that its config names, and the links on the way", () => {
    tree().add({ ...python("opt/python-3.12.1"), "opt/python-3.12": { link: "python-3.12.1" } });
    tree().add({ "work/.venv/bin/python3": PROGRAM, "work/.venv/lib/python3.12/site-packages": FOLDER });
    tree().add({ "work/.venv/pyvenv.cfg": `home = ${tree().at("opt/python-3.12/bin")}` });
    expect(found("python", ["work/.venv/bin"])).toEqual({
      read: ["work/.venv", "opt/python-3.12.1"],
      links: ["opt/python-3.12 → python-3.12.1"],
      path: ["work/.venv/bin"],
    });
  });

  test("of a virtual environment: a config that names no Python, and one with a token beside it, grant neither", () => {
    tree().add({
      ...python("opt/python"),
      ...venv("work/.venv", "opt/python/bin"),
      "work/.venv/pip.conf": "index-url = https://me:s@host",
    });
    tree().add({ "home/me/.ssh/id": "s", "work/.venv/include": { link: "~~/home/me/.ssh" } });
    expect(found("python", ["work/.venv/bin"])).toMatchObject({
      read: ["work/.venv/bin", "work/.venv/lib", "work/.venv/lib", "work/.venv/pyvenv.cfg", "opt/python"],
    });
    tree().add({ "copy/bin/python3": PROGRAM, "copy/pyvenv.cfg": `home = ${tree().at("home/me/.ssh")}` });
    expect(found("python", ["copy/bin"])).toBe("the runtime `python` is not installed");
  });

  test("of a virtual environment whose python3 is something else: not found", () => {
    tree().add({
      ...venv("work/.venv", "home/me/tools"),
      "home/me/tools/deploy": PROGRAM,
      "home/me/tools/python3": { link: "deploy" },
    });
    expect(found("python", ["work/.venv/bin"])).toContain("leads to `deploy`");
  });
});
