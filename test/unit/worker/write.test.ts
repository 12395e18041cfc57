import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf, expectedAt, faultOf, lookAt, temporaryName, writeTo } from "../../support/worker/told.ts";
import { handOver, masks, ORDINARY, TestTree } from "../../support/worker/tree.ts";

test("a new file is made, an old one replaced, and the version answered is the one that is seen next", async () => {
  using tree = new TestTree();
  const path = join(tree.root, "a");
  await using worker = await WorkerClient.of(tree.profile());
  const made = answerOf(await writeTo(worker, path, "one"));
  expect([made.isNew, readFileSync(path, "utf8"), (await lookAt(worker, path)).version]).toEqual([
    true,
    "one",
    made.version,
  ]);
  const replaced = answerOf(await writeTo(worker, path, "two"));
  expect([replaced.isNew, readFileSync(path, "utf8"), (await lookAt(worker, path)).version]).toEqual([
    false,
    "two",
    replaced.version,
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(readdirSync(tree.root)).toEqual(["a"]);
});

test("an old file keeps its mode and owner, without setuid; its other names keep the old content", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "old");
  const [owner, group] = ORDINARY.uid === undefined ? [process.getuid?.(), process.getgid?.()] : [1234, 1235];
  if (owner !== undefined && group !== undefined) chownSync(path, owner, group);
  chmodSync(path, 0o6751);
  linkSync(path, join(tree.root, "b"));
  await using worker = await WorkerClient.of(tree.profile());
  answerOf(await writeTo(worker, path, "new"));
  const { mode, uid, gid } = statSync(path);
  expect([mode & 0o7777, uid, gid]).toEqual([0o751, owner, group]);
  expect(readFileSync(join(tree.root, "b"), "utf8")).toBe("old");
});

test("a file that is not what was expected is left as it is", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "one");
  await using worker = await WorkerClient.of(tree.profile());
  const expected = await expectedAt(worker, path);
  writeFileSync(path, "two");
  const write = { op: "write", path, temporary: temporaryName(), folders: false } as const;
  const body = Buffer.from("mine");
  expect(faultOf(await worker.ask({ ...write, expected }, body))).toBe(`CHANGED ${path}`);
  expect(faultOf(await worker.ask({ ...write, expected: { kind: "missing" } }, body))).toBe(
    `CHANGED ${path}`,
  );
  const other = join(tree.root, "b");
  expect(faultOf(await worker.ask({ ...write, path: other, expected }, body))).toBe(`CHANGED ${other}`);
  expect([readFileSync(path, "utf8"), readdirSync(tree.root)]).toEqual(["two", ["a"]]);
  expect(answerOf(await worker.ask({ ...write, expected: await expectedAt(worker, path) }, body)).isNew).toBe(
    false,
  );
});

test("missing folders are made when that is asked for, and go again when nothing comes of it", async () => {
  using tree = new TestTree();
  const path = join(tree.root, "x/y/z");
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("/**/q/z") }));
  expect(faultOf(await writeTo(worker, path, "1"))).toBe(`NOT_FOUND ${tree.root}/x`);
  expect(answerOf(await writeTo(worker, path, "1", true)).isNew).toBe(true);
  expect(faultOf(await writeTo(worker, join(tree.root, "p/q/z"), "1", true))).toMatch(
    /^DENIED .*\/p\/q\/z write$/,
  );
  const wrong = {
    op: "write",
    path: join(tree.root, "p/new"),
    temporary: temporaryName(),
    folders: true,
  } as const;
  expect(faultOf(await worker.ask({ ...wrong, expected: { kind: "node", version: "1" } }))).toMatch(
    /^CHANGED/,
  );
  expect(readdirSync(tree.root)).toEqual(["x"]);
});

test("write is demanded of each folder that is made, and of the one that holds it, before any is", async () => {
  using tree = new TestTree();
  const path = join(tree.root, "x/y/z");
  const entry = { path: tree.path("x/y"), access: "write", suffixes: "any" } as const;
  await using worker = await WorkerClient.of(tree.profile({ access: "read", files: [entry] }));
  expect(faultOf(await writeTo(worker, path, "1", true))).toBe(`DENIED ${tree.root}/x write`);
  expect(readdirSync(tree.root)).toEqual([]);
  mkdirSync(join(tree.root, "x/y"), { recursive: true });
  expect(answerOf(await writeTo(worker, path, "1", true)).isNew).toBe(true);
});

test("folders that were made go again when the disk is full or the file may not be that large", async () => {
  using tree = new TestTree();
  // Some shells count in blocks of 512 bytes, some in blocks of 1024.
  const limited = ["/bin/sh", "-c", 'ulimit -f 2; exec "$0" "$@"', process.execPath];
  await using worker = await WorkerClient.of(tree.profile(), { command: limited });
  const path = join(tree.root, "x/y");
  expect(faultOf(await writeTo(worker, path, "x".repeat(2049), true))).toBe(`TOO_LARGE ${path}`);
  expect(readdirSync(tree.root)).toEqual([]);
  expect(answerOf(await writeTo(worker, path, "x".repeat(1024), true)).isNew).toBe(true);
});

test("write is demanded of the file and of the folder that holds it", async () => {
  using tree = new TestTree();
  const path = tree.file("d/a", "old");
  const entry = (name: string, access: "read" | "write") => ({
    path: tree.path(name),
    access,
    suffixes: "any" as const,
  });
  const tries: readonly (readonly [Parameters<TestTree["profile"]>[0], string])[] = [
    [{ access: "read" }, `DENIED ${path} write`],
    [{ access: "read", files: [entry("d/a", "write")] }, `DENIED ${tree.root}/d write`],
    [{ files: [entry("d/a", "read")] }, `DENIED ${path} write`],
    [{ masks: masks("**/a", "read") }, `DENIED ${path} write`],
    [{ access: "read", files: [entry("d", "write")] }, "no fault"],
  ];
  for (const [parts, expected] of tries) {
    await using worker = await WorkerClient.of(tree.profile(parts));
    expect(faultOf(await writeTo(worker, path, "new"))).toMatch(expected);
    expect(readFileSync(path, "utf8")).toBe(expected === "no fault" ? "new" : "old");
  }
});

test("a link is written through to the file that it leads to, and stays", async () => {
  using tree = new TestTree();
  const path = tree.file("d/a", "old");
  symlinkSync("d/a", join(tree.root, "l"));
  symlinkSync("d/new", join(tree.root, "dangling"));
  symlinkSync("../outside/new", join(tree.root, "out"));
  await using worker = await WorkerClient.of(tree.profile());
  expect(answerOf(await writeTo(worker, join(tree.root, "l"), "new")).target).toBe(path);
  expect(answerOf(await writeTo(worker, join(tree.root, "dangling"), "new")).target).toBe(
    join(tree.root, "d/new"),
  );
  const out = {
    op: "write",
    path: join(tree.root, "out"),
    temporary: temporaryName(),
    folders: true,
  } as const;
  expect(faultOf(await worker.ask({ ...out, expected: { kind: "missing" } }))).toBe(
    `DENIED ${tree.outside}/new write`,
  );
  expect([
    readFileSync(path, "utf8"),
    lstatSync(join(tree.root, "l")).isSymbolicLink(),
    readdirSync(tree.outside),
  ]).toEqual(["new", true, []]);
});

test("a name that a temporary should have and that is taken stays as it is, file or link", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "old");
  writeFileSync(join(tree.outside, "o"), "outside");
  await using worker = await WorkerClient.of(tree.profile());
  for (const plant of [
    (at: string) => writeFileSync(at, "planted"),
    (at: string) => symlinkSync("../outside/o", at),
  ]) {
    const temporary = temporaryName();
    plant(join(tree.root, temporary));
    const write = {
      op: "write",
      path,
      expected: await expectedAt(worker, path),
      temporary,
      folders: false,
    } as const;
    expect(faultOf(await worker.ask(write, Buffer.from("new")))).toBe(`EXISTS ${tree.root}/${temporary}`);
    expect(
      lstatSync(join(tree.root, temporary)).isFile() ||
        lstatSync(join(tree.root, temporary)).isSymbolicLink(),
    ).toBe(true);
  }
  expect([readFileSync(path, "utf8"), readFileSync(join(tree.outside, "o"), "utf8")]).toEqual([
    "old",
    "outside",
  ]);
});

test("a user writes what the system lets them, and no more", async () => {
  using tree = new TestTree();
  const [mine, theirs, fixed] = [
    tree.file("d/mine", "old"),
    tree.file("d/theirs", "old"),
    tree.file("d/fixed", "old"),
  ];
  chmodSync(tree.base, 0o755);
  handOver(join(tree.root, "d"), mine, fixed);
  for (const path of ORDINARY.uid === undefined ? [fixed, theirs] : [fixed]) chmodSync(path, 0o444);
  chmodSync(tree.root, 0o555);
  await using worker = await WorkerClient.of(tree.profile(), ORDINARY);
  expect(answerOf(await writeTo(worker, mine, "new")).isNew).toBe(false);
  for (const path of [theirs, fixed]) {
    const { fault } = await writeTo(worker, path, "new");
    expect([fault?.fault, fault?.why, readFileSync(path, "utf8")]).toEqual(["SYSTEM", "EACCES", "old"]);
  }
  expect((await writeTo(worker, join(tree.root, "new"), "x")).fault?.why).toBe("EACCES");
  expect(readdirSync(join(tree.root, "d"))).toEqual(["fixed", "mine", "theirs"]);
  chmodSync(tree.root, 0o755);
});

test("a temporary that was left is swept, and nothing else that has such a name", async () => {
  using tree = new TestTree();
  const [file, folder] = [temporaryName(), temporaryName()];
  tree.file(file, "left");
  mkdirSync(join(tree.root, folder));
  await using worker = await WorkerClient.of(tree.profile());
  const sweep = async (prefix: string, at: string = tree.root) =>
    worker.ask({ op: "sweep", folder: at, prefix });
  expect([answerOf(await sweep(file)), answerOf(await sweep(file)), answerOf(await sweep(folder))]).toEqual([
    { removed: 1 },
    { removed: 0 },
    { removed: 0 },
  ]);
  expect(answerOf(await sweep(file, join(tree.root, "missing")))).toEqual({ removed: 0 });
  expect(faultOf(await sweep(file, tree.outside))).toBe(`DENIED ${tree.outside} write`);
  expect(readdirSync(tree.root)).toEqual([folder]);
});
