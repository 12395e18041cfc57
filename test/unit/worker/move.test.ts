import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf, expectedAt, faultOf, moveTo } from "../../support/worker/told.ts";
import { handOver, masks, ORDINARY, TestTree } from "../../support/worker/tree.ts";

test("files, links and empty folders are removed, and nothing that they lead to", async () => {
  using tree = new TestTree();
  const path = tree.file("d/a", "x");
  symlinkSync("d/a", join(tree.root, "l"));
  await using worker = await WorkerClient.of(tree.profile());
  const remove = async (at: string) =>
    worker.ask({ op: "remove", path: at, expected: await expectedAt(worker, at, "itself") });
  expect(faultOf(await remove(join(tree.root, "d")))).toBe(`NOT_EMPTY ${tree.root}/d`);
  expect(answerOf(await remove(join(tree.root, "l")))).toEqual({ target: join(tree.root, "l") });
  expect(readFileSync(path, "utf8")).toBe("x");
  answerOf(await remove(path));
  answerOf(await remove(join(tree.root, "d")));
  expect(readdirSync(tree.root)).toEqual([]);
  expect(faultOf(await remove(path))).toBe(`NOT_FOUND ${path}`);
});

test("what changed since it was looked at, a pipe, and what may not be written, are not removed", async () => {
  using tree = new TestTree();
  const [path, kept, masked] = [tree.file("a", "x"), tree.file("kept/b", "x"), tree.file(".env", "x")];
  execFileSync("mkfifo", [join(tree.root, "fifo")]);
  const readOnly = { path: tree.path("kept"), access: "read", suffixes: "any" } as const;
  await using worker = await WorkerClient.of(tree.profile({ files: [readOnly], masks: masks("**/.env") }));
  const expected = await expectedAt(worker, path);
  writeFileSync(path, "yy");
  expect(faultOf(await worker.ask({ op: "remove", path, expected }))).toBe(`CHANGED ${path}`);
  expect(faultOf(await worker.ask({ op: "remove", path, expected: { kind: "missing" } }))).toBe(
    `CHANGED ${path}`,
  );
  for (const [at, fault] of [
    [kept, `DENIED ${kept} write`],
    [masked, `DENIED ${masked} write`],
    [tree.root, `DENIED ${tree.base} write`],
    [join(tree.root, "fifo"), `WRONG_KIND ${tree.root}/fifo`],
  ] as const)
    expect(faultOf(await worker.ask({ op: "remove", path: at, expected }))).toBe(fault);
  expect(readdirSync(tree.root)).toEqual([".env", "a", "fifo", "kept"]);
  answerOf(await worker.ask({ op: "remove", path, expected: await expectedAt(worker, path) }));
  expect(existsSync(path)).toBe(false);
});

test("a file, a link and a folder are moved as they are, into folders that are made", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "x");
  const { ino } = statSync(path);
  symlinkSync("nowhere", join(tree.root, "l"));
  tree.file("d/e/f", "deep");
  await using worker = await WorkerClient.of(tree.profile());
  const to = (name: string): string => join(tree.root, name);
  expect(faultOf(await moveTo(worker, path, to("n/m/a")))).toBe(`NOT_FOUND ${tree.root}/n`);
  expect(answerOf(await moveTo(worker, path, to("n/m/a"), true))).toEqual({ target: path, to: to("n/m/a") });
  answerOf(await moveTo(worker, to("l"), to("n/l")));
  answerOf(await moveTo(worker, to("d"), to("n/d")));
  expect([statSync(to("n/m/a")).ino, readlinkSync(to("n/l")), readFileSync(to("n/d/e/f"), "utf8")]).toEqual([
    ino,
    "nowhere",
    "deep",
  ]);
  expect(readdirSync(tree.root)).toEqual(["n"]);
});

test("nothing that exists is replaced by a move, not even an empty folder or a dangling link", async () => {
  using tree = new TestTree();
  const [path, folder] = [tree.file("a", "x"), join(tree.root, "d")];
  mkdirSync(folder);
  mkdirSync(join(tree.root, "empty"));
  symlinkSync("nowhere", join(tree.root, "dangling"));
  await using worker = await WorkerClient.of(tree.profile());
  for (const from of [path, folder])
    for (const name of ["empty", "dangling", "a"])
      expect(faultOf(await moveTo(worker, from, join(tree.root, name)))).toBe(`EXISTS ${tree.root}/${name}`);
  expect(faultOf(await moveTo(worker, folder, join(folder, "in")))).toBe(`BAD_PATH ${folder}/in`);
  expect(readdirSync(tree.root)).toEqual(["a", "d", "dangling", "empty"]);
});

test("across mounts a file is copied with its mode, a link made anew, and a folder left", async () => {
  using tree = new TestTree();
  using far = new TestTree("/dev/shm");
  const path = tree.file("a", Buffer.alloc(3_000_000, "abc"));
  chmodSync(path, 0o750);
  symlinkSync("nowhere", join(tree.root, "l"));
  tree.file("d/x");
  expect(statSync(tree.root).dev).not.toBe(statSync(far.root).dev);
  await using worker = await WorkerClient.of(tree.profile({ files: far.profile().files }));
  answerOf(await moveTo(worker, path, join(far.root, "n/a"), true));
  answerOf(await moveTo(worker, join(tree.root, "l"), join(far.root, "l")));
  const folder = await moveTo(worker, join(tree.root, "d"), join(far.root, "d"));
  expect([folder.fault?.fault, folder.fault?.why]).toEqual(["SYSTEM", "EXDEV"]);
  expect([readdirSync(tree.root), readdirSync(far.root), readdirSync(join(far.root, "n"))]).toEqual([
    ["d"],
    ["l", "n"],
    ["a"],
  ]);
  expect(statSync(join(far.root, "n/a")).mode & 0o777).toBe(0o750);
  expect(readFileSync(join(far.root, "n/a")).equals(Buffer.alloc(3_000_000, "abc"))).toBe(true);
  expect(lstatSync(join(far.root, "l")).isSymbolicLink()).toBe(true);
});

test("where a user may not make a second name for a file, it is renamed, and still replaces nothing", async () => {
  using tree = new TestTree();
  // protected_hardlinks (proc_sys_fs(5)): another's file that may not be written gets no second name.
  const path = tree.file("d/a", "x");
  chmodSync(tree.base, 0o755);
  chmodSync(path, 0o600);
  handOver(join(tree.root, "d"));
  await using worker = await WorkerClient.of(tree.profile(), ORDINARY);
  answerOf(await moveTo(worker, path, join(tree.root, "d/b")));
  writeFileSync(path, "y");
  expect(faultOf(await moveTo(worker, path, join(tree.root, "d/b")))).toBe(`EXISTS ${tree.root}/d/b`);
  expect([readFileSync(join(tree.root, "d/b"), "utf8"), readdirSync(join(tree.root, "d"))]).toEqual([
    "x",
    ["a", "b"],
  ]);
});

test("write is demanded of both names of all that a moved folder holds", async () => {
  using tree = new TestTree();
  tree.file("d/e/.env", "secret");
  tree.file("src/e/hook", "x");
  tree.file("plain/x", "x");
  await using worker = await WorkerClient.of(
    tree.profile({ masks: [...masks("**/.env"), ...masks("**/git/e/hook", "read")] }),
  );
  const to = (name: string): string => join(tree.root, name);
  expect(faultOf(await moveTo(worker, to("d"), to("moved")))).toBe(`DENIED ${tree.root}/d/e/.env write`);
  expect(faultOf(await moveTo(worker, to("src"), to("git")))).toBe(`DENIED ${tree.root}/git/e/hook write`);
  expect(faultOf(await moveTo(worker, to("plain/x"), to(".env")))).toBe(`DENIED ${tree.root}/.env write`);
  expect(faultOf(await moveTo(worker, to("plain"), join(tree.outside, "p")))).toBe(
    `DENIED ${tree.outside}/p write`,
  );
  answerOf(await moveTo(worker, to("plain"), to("git")));
  expect(readdirSync(tree.root)).toEqual(["d", "git", "src"]);
});

test("a folder with more than 10,000 names is not moved, one with so many is", {
  timeout: 60_000,
}, async () => {
  using tree = new TestTree("/dev/shm");
  mkdirSync(join(tree.root, "d"));
  execFileSync("sh", ["-c", "seq 1 10000 | xargs touch"], { cwd: join(tree.root, "d") });
  await using worker = await WorkerClient.of(tree.profile());
  answerOf(await moveTo(worker, join(tree.root, "d"), join(tree.root, "e")));
  tree.file("e/one-more");
  expect(faultOf(await moveTo(worker, join(tree.root, "e"), join(tree.root, "f")))).toBe(
    `TOO_LARGE ${tree.root}/e`,
  );
  expect(readdirSync(tree.root)).toEqual(["e"]);
});
