import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { History } from "../../support/git/history.ts";

let at: History;
beforeEach(() => {
  at = new History();
});
afterEach(() => at[Symbol.dispose]());

/** All that `side` holds and hosts execute. */
const SIDE = [".envrc", ".husky", ".husky/pre-commit", "deep/er/.mcp.json", ".claude"];

async function expectHeld(folder: string, repositories?: readonly string[]): Promise<void> {
  for (const name of SIDE)
    expect([name, await at.holds(`${folder}/${name}`, repositories)]).toEqual([name, true]);
  at.write(`${folder}/.envrc`, "export A=2\n");
  expect(await at.holds(`${folder}/.envrc`, repositories)).toBe(false);
}

async function expectNotHeld(folder: string, repositories?: readonly string[]): Promise<void> {
  for (const name of SIDE)
    expect([name, await at.holds(`${folder}/${name}`, repositories)]).toEqual([name, false]);
}

/** The objects that stand in files of their own. */
function looseObjects(repository: string): readonly string[] {
  return readdirSync(join(at.top, repository, ".git/objects"))
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(at.top, repository, ".git/objects", name)));
}

function packs(repository: string, ext: string): readonly string[] {
  const folder = join(at.top, repository, ".git/objects/pack");
  return readdirSync(folder)
    .filter((name) => name.endsWith(ext))
    .map((name) => join(folder, name));
}

describe("what a commit held before is found however git stored it:", () => {
  it.each([
    ["as objects of their own", []],
    ["packed, with packed branches", ["gc -q --prune=now"]],
    ["packed with an index of large offsets", ["gc -q --prune=now", "LARGE"]],
    ["with an index of the working tree of version 4", ["update-index --index-version 4"]],
  ])("%s", async (_, words) => {
    await at.repository("r");
    for (const line of words)
      if (line !== "LARGE") at.git("r", line);
      else
        for (const pack of packs("r", ".pack")) {
          rmSync(pack.replace(/pack$/, "idx"), { force: true });
          at.git("r", `index-pack --index-version=2,0x100 ${pack}`);
        }
    if (words.includes("gc -q --prune=now")) expect(looseObjects("r")).toEqual([]);
    await at.begin();
    at.git("r", "checkout -q side");
    await expectHeld("r");
  });

  it("in a repository of SHA-256, packed or not", async () => {
    await at.repository("r", "--object-format=sha256");
    at.git("r", "checkout -q side");
    await expectHeld("r");
    at.git("r", "checkout -q -f main");
    at.git("r", "gc -q --prune=now");
    await at.begin();
    at.git("r", "checkout -q side");
    await expectHeld("r");
  });

  it.each([
    ["offset", "true"],
    ["name", "false"],
  ])("as differences to others, by their %s", async (_, byOffset) => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    let lines = Array.from({ length: 1_000 }, (__, line) => `export V${line}=${(line * 7_919) % 10_007}\n`);
    for (let version = 0; version < 12; version += 1) {
      lines = lines.with(version * 50, `# ${version}\n`);
      at.write("r/.envrc", lines.join(""));
      at.git("r", "commit -q -a -m next");
      at.git("r", `tag -a -m tag v${version}`);
    }
    at.git("r", `-c repack.useDeltaBaseOffset=${byOffset} repack -q -a -d -f`);
    at.git("r", "pack-refs --all");
    const told = packs("r", ".idx").map((index) => at.git("r", `verify-pack -v ${index}`));
    expect(told.join("")).toMatch(/chain length = [2-9]: \d+ object/);
    await at.begin();
    for (const version of [0, 5, 11]) {
      at.git("r", `checkout -q v${version}`);
      await expectHeld("r");
      at.git("r", "checkout -q -f main");
    }
  });

  it("in a clone and in a worktree of the repository, but not in a folder that is none", async () => {
    await at.repository("r");
    at.git("", "clone -q -b side r clone");
    at.git("r", "worktree add -q ../tree side");
    await expectHeld("clone");
    await expectHeld("tree");
    at.git("", "clone -q -b side r plain");
    rmSync(join(at.top, "plain/.git"), { recursive: true });
    await expectNotHeld("plain");
  });

  it("in a worktree that was there, by the file that leads to its repository", async () => {
    await at.repository("r");
    at.git("r", "worktree add -q ../tree main~0 --detach");
    await at.begin();
    at.git("tree", "checkout -q side");
    await expectHeld("tree", ["tree/.git/file"]);
  });

  it("in a submodule that was there, and in one that git makes anew of what it kept", async () => {
    await at.repository("s");
    at.git("s", "checkout -q side");
    at.git("", "init -q -b main r");
    at.git("r", "submodule --quiet add ../s sub");
    at.git("r", "commit -q -m sub");
    at.git("r/sub", "checkout -q --detach origin/side");
    const repositories = ["r/.git", "r/.git/modules/sub"];
    for (const again of [
      () => at.git("r/sub", "checkout -q -f side"),
      () => {
        at.git("r", "submodule --quiet deinit -f sub");
        expect(existsSync(join(at.top, "r/sub/.envrc"))).toBe(false);
        at.git("r", "submodule --quiet update --init");
      },
    ]) {
      await at.begin();
      again();
      await expectHeld("r/sub", repositories);
      await at.begin();
    }
    // The repository around it alone does not tell what the submodule holds.
    at.git("r/sub", "checkout -q -f side");
    await expectNotHeld("r/sub", ["r/.git"]);
  });

  it("not where another repository alone has the objects, unless that was there, too", async () => {
    await at.repository("s");
    at.git("", "clone -q --shared s r");
    at.git("r", "branch -q side origin/side");
    await at.begin();
    at.git("r", "checkout -q side");
    await expectNotHeld("r", ["r/.git"]);
    await expectHeld("r", ["r/.git", "s/.git"]);
  });

  it("not in an index of packs that git has not written since 2007", async () => {
    await at.repository("r");
    at.git("r", "gc -q --prune=now");
    await at.begin();
    at.git("r", "checkout -q side");
    for (const pack of packs("r", ".pack")) {
      rmSync(pack.replace(/pack$/, "idx"), { force: true });
      at.git("r", `index-pack --index-version=1 ${pack}`);
    }
    await expectNotHeld("r");
  });
});

describe("what the call itself made does not count:", () => {
  it("a commit of the call, a branch that it moved, a branch that it made, or packed branches that it wrote", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    at.write("r/.envrc", "export B=1\n");
    at.git("r", "commit -q -a -m next");
    expect(await at.holds("r/.envrc")).toBe(false);
    at.git("r", "branch -q more");
    at.git("r", "checkout -q --detach");
    expect(await at.holds("r/.envrc")).toBe(false);
    at.git("r", "pack-refs --all");
    expect(await at.holds("r/.envrc")).toBe(false);
    // The twin: for the next call they were there.
    await at.begin();
    expect(await at.holds("r/.envrc")).toBe(true);
  });

  it("what the commit has elsewhere, or not as it stands there", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    at.write("r/.mcp.json", "{}\n");
    expect(await at.holds("r/.mcp.json")).toBe(false);
    chmodSync(join(at.top, "r/.envrc"), 0o755);
    expect(await at.holds("r/.envrc")).toBe(false);
    expect(await at.holds("r/.husky")).toBe(true);
    chmodSync(join(at.top, "r/.husky/pre-commit"), 0o644);
    expect(await at.holds("r/.husky")).toBe(false);
    chmodSync(join(at.top, "r/.husky/pre-commit"), 0o755);
    rmSync(join(at.top, "r/.husky/_"), { recursive: true });
    expect(await at.holds("r/.husky")).toBe(true);
    at.write("r/.husky/pre-push", "#!/bin/sh\n", 0o755);
    expect(await at.holds("r/.husky")).toBe(false);
  });

  it("a link whose end the call changed, or whose end no commit has", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    expect(await at.holds("r/.claude")).toBe(true);
    at.write("r/.agents/a.md", "b\n");
    expect(await at.holds("r/.claude")).toBe(false);
    at.git("r", "checkout -q -f side");
    at.link("r/.envrc2", "../elsewhere");
    at.git("r", "add .envrc2");
    at.git("r", "commit -q -m link");
    await at.begin();
    expect(await at.holds("r/.envrc2")).toBe(false);
    at.write("elsewhere", "x");
    expect(await at.holds("r/.envrc2")).toBe(false);
  });
});

describe("objects are what their names say, or missing:", () => {
  const oid = (name: string) => at.git("r", `rev-parse ${name}`);
  const fileOf = (name: string) => join(at.top, "r/.git/objects", name.slice(0, 2), name.slice(2));
  const forge = (name: string, bytes: Buffer): void => {
    rmSync(fileOf(name), { force: true });
    writeFileSync(fileOf(name), bytes);
  };

  it("no file counts that has another name, nor what holds one or leads to one, until that is gone", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    const files = [".envrc", ".husky/_/husky.sh", "deep/er/.mcp.json", ".agents/a.md"];
    for (const [index, file] of files.entries())
      linkSync(join(at.top, "r", file), join(at.top, `other${index}`));
    for (const name of SIDE.filter((one) => one !== ".husky/pre-commit"))
      expect([name, await at.likenessOf(`r/${name}`)]).toEqual([name, "linked"]);
    expect(await at.likenessOf("r/.husky/pre-commit")).toBe("same");
    at.write("r/.envrc", "evil\n");
    expect(await at.likenessOf("r/.envrc")).toBe("other");
    at.git("r", "checkout -q -- .envrc");
    for (const index of files.keys()) rmSync(join(at.top, `other${index}`));
    await expectHeld("r");
  });

  it("no commit, tree or file that was forged in the place of another counts", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    at.write("r/.envrc", "evil\n");
    const [commit, tree] = [oid("side"), oid("side^{tree}")];
    const [real, realTree] = [readFileSync(fileOf(commit)), readFileSync(fileOf(tree))];
    at.git("r", "commit -q -a -m evil");
    const [evil, evilTree] = [readFileSync(fileOf(oid("side"))), readFileSync(fileOf(oid("side^{tree}")))];
    at.git("r", `update-ref refs/heads/side ${commit}`);
    await at.begin();
    for (const [name, forged, own] of [
      [commit, evil, real],
      [tree, evilTree, realTree],
    ] as const) {
      forge(name, forged);
      expect(await at.holds("r/.envrc")).toBe(false);
      forge(name, own);
    }
    at.git("r", "checkout -q -f side");
    await expectHeld("r");
  });

  it("no name of a pack's index that leads to another object counts", async () => {
    await at.repository("r");
    at.git("r", "checkout -q side");
    at.write("r/.envrc", "evil\n");
    at.git("r", "commit -q -a -m evil");
    const [evil, commit] = [oid("side"), oid("side~1")];
    at.git("r", "branch -q keep");
    at.git("r", "reset -q --soft side~1");
    at.git("r", "gc -q --prune=now");
    at.git("r", "update-ref -d refs/heads/keep");
    await at.begin();
    const [index = ""] = packs("r", ".idx");
    const bytes = readFileSync(index);
    const names = bytes.subarray(8 + 1024);
    const count = bytes.readUInt32BE(8 + 1020);
    const positionOf = (name: string): number => {
      for (let one = 0; one < count; one += 1)
        if (names.toString("hex", one * 20, one * 20 + 20) === name) return one;
      throw new Error(`${name} is not packed`);
    };
    const offsetOf = (name: string): number => 8 + 1024 + count * 24 + positionOf(name) * 4;
    bytes.writeUInt32BE(bytes.readUInt32BE(offsetOf(evil)), offsetOf(commit));
    chmodSync(index, 0o644);
    writeFileSync(index, bytes);
    expect(await at.holds("r/.envrc")).toBe(false);
    // The twin: to git this is the commit.
    expect(at.git("r", `cat-file -p ${commit}`)).toContain("evil");
  });
});
