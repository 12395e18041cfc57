import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { namedPaths } from "../../../src/call/denials/named-paths.ts";
import { leadsTo } from "../../../src/host/look/leads.ts";
import { isInside, knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { normalProfile, type Profile } from "../../../src/profile/profile.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-named-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const ws = knownPath(`${top}/ws`);
const granted = normalProfile({ files: [{ path: ws, access: "write", suffixes: "any" }] });
mkdirSync(`${ws}/folder/sub`, { recursive: true });
mkdirSync(`${top}/outside`);
mkdirSync(`${ws}/hidden`);
symlinkSync("../../outside", `${ws}/hidden/l`);
for (const file of ["ws/file", "ws/folder/file", "outside/there"]) writeFileSync(`${top}/${file}`, "");
symlinkSync("there", `${top}/outside/link`);
for (const [name, to] of [
  ["out", "../outside"],
  ["out-absolute", `${top}/outside`],
  ["out-and-in", "../outside/../ws/folder"],
  ["in", "folder"],
  ["deep", "folder/sub"],
  ["loop", "loop"],
] as const)
  symlinkSync(to, `${ws}/${name}`);

/** What is found of a word, below the top. */
function found(word: string): unknown {
  const [one] = namedPaths([word], ws, granted);
  return [one?.judged.slice(top.length + 1), one?.kind];
}

describe("the paths that a call's words name", () => {
  it.each([
    ['print(open("folder/file").read())', ["ws/folder/file"]],
    ["open('../outside/there').write(\"../none\")", ["outside/there", "none"]],
    ["\np = 'folder/file'\nopen(p)", ["ws/folder/file"]],
    ['readFileSync("./file")', ["ws/file"]],
    ['open("$HOME/x");open(f"{a}/b")', []],
  ])("are those in the quotes of a program's text: %s", (text, paths) => {
    const named = namedPaths([text], ws, granted).map(({ judged }) => judged.slice(top.length + 1));
    // The other parts are single words of the program.
    expect(named.filter((path) => !/^ws\/(?!file$)(\W|\.?\w+$)/.test(path))).toEqual(paths);
  });

  it("are told by what is there, where the call can see it", () => {
    expect(found("file")).toEqual(["ws/file", "file"]);
    expect(found("in/file")).toEqual(["ws/folder/file", "file"]);
    expect(found("in")).toEqual(["ws/folder", "folder"]);
    expect(found("in/../file")).toEqual(["ws/file", "file"]);
    expect(found("deep/../file")).toEqual(["ws/folder/file", "file"]);
    expect(found("none/x")).toEqual(["ws/none/x", "missing"]);
    expect(found("file/x")).toEqual(["ws/file/x", "missing"]);
    expect(found("loop")).toEqual(["ws/loop", "missing"]);
    expect(found("out-and-in/file")).toEqual(["ws/folder/file", "file"]);
  });

  it("tell nothing of a link that a glob hides", () => {
    const masks = parsePatterns(`${ws}/**/hidden`).map((pattern) => ({
      pattern,
      atMost: "none" as const,
      ignoreCase: false,
    }));
    const hiding = normalProfile({ ...granted, masks });
    const at = (profile: Profile) => namedPaths(["hidden/l"], ws, profile)[0]?.judged.slice(top.length + 1);
    expect([at(granted), at(hiding)]).toEqual(["outside", "ws/hidden/l"]);
  });

  it("are told alike where they lead out of what it can see, whether something is there, is a link, or not", () => {
    for (const link of ["out", "out-absolute"])
      for (const name of ["there", "missing", "link", "there/x", "missing/x"])
        expect(found(`${link}/${name}`)).toEqual([`outside/${name}`, "file"]);
    for (const name of ["there", "missing"])
      expect(found(`${top}/outside/${name}`)).toEqual([`outside/${name}`, "file"]);
  });
});

describe("where a path leads", () => {
  it("is found by looking at nothing that may not be looked at", () => {
    const looked: string[] = [];
    const led = leadsTo("out/there", knownPath(ws), (path) => {
      const may = isInside(path, ws);
      if (may) looked.push(path);
      return may;
    });
    expect(led).toEqual({ path: `${top}/outside/there`, kind: "unseen" });
    expect(looked).toEqual([`${ws}/out`]);
  });
});
