import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CofferdamError } from "../../../../src/errors.ts";
import { CallFolder, sweepCallFolders } from "../../../../src/host/launch/mac/call-folder.ts";
import { printProcess, thisProcess } from "../../../../src/host/launch/process-id.ts";
import { type AbsolutePath, knownPath } from "../../../../src/profile/path.ts";

const TOOLS = { rm: knownPath("/bin/rm"), chmod: knownPath("/bin/chmod"), chflags: null };
const TEXT = '(version 1)\n(deny default (with message "cofferdam-0000000000000000"))\n';
const PLAN = { rules: { text: TEXT, parameters: {} }, given: [], atHome: [] };

let top: string;
let calls: AbsolutePath;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-folder-")));
  calls = knownPath(join(top, "calls"));
});
afterEach(() => {
  spawnSync("/bin/chmod", ["-R", "u+rwX", top]);
  rmSync(top, { recursive: true, force: true });
});

function tried(folder: CallFolder): CallFolder {
  writeFileSync(join(folder.place("temporary"), "control"), "x\n");
  return folder;
}

it("is not there at all where it can't be made whole", () => {
  const path = knownPath(`/x/${"n".repeat(300)}`);
  const given = [{ path, bytes: Buffer.from("x") }];
  expect(() => new CallFolder(calls, null, { ...PLAN, given })).toThrow("ENAMETOOLONG");
  expect(readdirSync(calls)).toEqual([]);
});

it("is its user's alone, says who made it, and has the text with a tag of its own", () => {
  const folder = new CallFolder(calls, null, PLAN);
  expect(readdirSync(folder.path).sort()).toEqual(["canary", "given", "home", "rules.sb", "tmp"]);
  const modes = readdirSync(folder.path).map((name) =>
    (statSync(join(folder.path, name)).mode & 0o777).toString(8),
  );
  expect(new Set(modes)).toEqual(new Set(["600", "700"]));
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(folder.path.startsWith(`${calls}/${printProcess(thisProcess())}-`)).toBe(true);
  expect(folder.tag).toMatch(/^cofferdam-[0-9a-f]{16}$/);
  expect(readFileSync(folder.place("rules"), "utf8")).toBe(
    TEXT.replace("cofferdam-0000000000000000", folder.tag),
  );
  expect(new CallFolder(calls, null, PLAN).tag).not.toBe(folder.tag);
});

it("leaves a path that reads like the place of the tag as it is", () => {
  const rule = '(deny file-write* (literal "/w/cofferdam-0000000000000000/.git") (with message ';
  const odd = '(deny file-read* (literal "/w/(with message \\"cofferdam-0000000000000000\\")"))\n';
  const text = `${TEXT}${rule}"cofferdam-0000000000000000"))\n${odd}`;
  const folder = new CallFolder(calls, null, { rules: { text, parameters: {} }, given: [], atHome: [] });
  expect(readFileSync(folder.place("rules"), "utf8")).toBe(
    `${TEXT.replace("cofferdam-0000000000000000", folder.tag)}${rule}"${folder.tag}"))\n${odd}`,
  );
});

it("a canary, a folder and a control that are as they must be are let pass, once", () => {
  const folder = tried(new CallFolder(calls, null, PLAN));
  folder.assertTried();
  expect(readdirSync(folder.place("temporary"))).toEqual([]);
  expect(() => folder.assertTried()).toThrow("a granted file could not be written");
});

it.each([
  ["a hidden file was written", (folder: CallFolder) => appendFileSync(folder.place("canary"), "x")],
  [
    "a file was created in a read-only place",
    (folder: CallFolder) => writeFileSync(folder.place("made"), ""),
  ],
  [
    "a granted file could not be written",
    (folder: CallFolder) => {
      rmSync(join(folder.place("temporary"), "control"));
      symlinkSync(folder.place("canary"), join(folder.place("temporary"), "control"));
    },
  ],
])("%s: nothing is let go", (what, change) => {
  const folder = tried(new CallFolder(calls, null, PLAN));
  change(folder);
  const thrown = (() => {
    try {
      folder.assertTried();
      return null;
    } catch (cause) {
      return cause;
    }
  })();
  expect(thrown).toBeInstanceOf(CofferdamError);
  expect(thrown).toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    message: `the sandbox differs from the plan: ${what}`,
  });
});

it("fs.residue: what a program left goes, however deep and however shut; what its links lead to stays", async () => {
  const folder = new CallFolder(calls, null, PLAN);
  const outside = join(top, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "kept");
  symlinkSync(outside, join(folder.place("home"), "link"));
  const shut = join(folder.place("temporary"), "shut");
  mkdirSync(join(shut, "inner"), { recursive: true });
  writeFileSync(join(shut, "inner", "file"), "");
  // Deeper than a path can be long.
  spawnSync("/usr/bin/perl", [
    "-e",
    'chdir shift; for (1..900) { mkdir "dddd"; chdir "dddd" }',
    folder.place("home"),
  ]);
  spawnSync("/bin/chmod", ["-R", "000", shut]);
  expect(await folder.remove(TOOLS)).toBe(null);
  expect(readdirSync(calls)).toEqual([]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("kept");
  // A second time there is nothing to do.
  expect(await folder.remove(TOOLS)).toBe(null);
});

it("it is renamed before anything in it is removed: no rule speaks of what is left of it", async () => {
  const folder = new CallFolder(calls, null, PLAN);
  writeFileSync(join(folder.place("home"), "file"), "");
  const seen = join(top, "seen");
  const rm = knownPath(join(top, "rm"));
  writeFileSync(rm, `#!/bin/sh\nls '${calls}' >>'${seen}'\nexec /bin/rm "$@"\n`, { mode: 0o700 });
  expect(await folder.remove({ ...TOOLS, rm })).toBe(null);
  expect(readFileSync(seen, "utf8")).toMatch(/^\d+\.\d+-[0-9a-f]{16}\.gone\n$/);
});

it("what can't be removed is told, and why", async () => {
  const folder = new CallFolder(calls, null, PLAN);
  writeFileSync(join(folder.place("home"), "file"), "");
  const rm = knownPath(join(top, "rm"));
  writeFileSync(rm, '#!/bin/sh\necho "rm: file: Operation not permitted" >&2\nexit 1\n', { mode: 0o700 });
  const left = await folder.remove({ ...TOOLS, rm });
  expect(left).toContain("could not be removed: rm: file: Operation not permitted");
  expect(existsSync(`${folder.path}.gone`)).toBe(true);
});

it("fs.residue: folders of supervisors that have ended are swept, those of one that runs are not", async () => {
  const own = new CallFolder(calls, null, PLAN);
  const names = ["999999.1-0123456789abcdef", "999999.1-0123456789abcdef.gone", "something else", "12.x-1"];
  for (const name of names) mkdirSync(join(calls, name, "tmp"), { recursive: true });
  await sweepCallFolders(calls, TOOLS);
  expect(readdirSync(calls).sort()).toEqual(["12.x-1", own.path.split("/").at(-1), "something else"].sort());
});

it("what a launch is handed by its bytes lies in it, and its words name it there", async () => {
  const path = knownPath("/worker.mjs");
  const folder = new CallFolder(calls, null, { ...PLAN, given: [{ path, bytes: Buffer.from("1;") }] });
  const [program = "", ...others] = folder.wordsOf([path, "/worker.mjs.txt", "x"]);
  expect(readFileSync(program, "utf8")).toBe("1;");
  expect(program).toBe(join(folder.place("given"), "worker.mjs"));
  expect(others).toEqual(["/worker.mjs.txt", "x"]);
  expect(await folder.remove(TOOLS)).toBe(null);
  expect(readdirSync(calls)).toEqual([]);
});
