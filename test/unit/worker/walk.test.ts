import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knownPath, pathFromBytes, pathToBytes } from "../../../src/profile/path.ts";
import { normalProfile, OPEN } from "../../../src/profile/profile.ts";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf, faultOf, lookAt, textOf, writeTo } from "../../support/worker/told.ts";
import { handOver, masks, ORDINARY, TestTree } from "../../support/worker/tree.ts";

const read = (worker: WorkerClient, path: string) =>
  worker.ask({ op: "read", path, from: 0, maxBytes: 1000 });

test("a file is read in the root, and denied outside of it, whatever is there", async () => {
  using tree = new TestTree();
  const path = tree.file("a.txt", "mine");
  writeFileSync(join(tree.outside, "secret"), "secret");
  await using worker = await WorkerClient.of(tree.profile());
  expect(textOf(await read(worker, path))).toBe("mine");
  for (const name of ["secret", "missing", "secret/x", ""]) {
    const other = join(tree.outside, name);
    expect(faultOf(await read(worker, other))).toBe(
      `DENIED ${other === `${tree.outside}/secret/x` ? `${tree.outside}/secret` : other} read`,
    );
    expect((await worker.ask({ op: "look", path: other, end: "followed" })).fault?.fault).toBe("DENIED");
    expect((await worker.ask({ op: "list", path: other, after: null, maxNames: 9 })).fault?.fault).toBe(
      "DENIED",
    );
  }
});

test("links lead to where they say, by the rules of the place where they lead", async () => {
  using tree = new TestTree();
  tree.file("d/a.txt", "mine");
  tree.file("d/e/b.txt", "other");
  writeFileSync(join(tree.outside, "secret"), "secret");
  const link = (name: string, text: string): string => {
    symlinkSync(text, join(tree.root, name));
    return join(tree.root, name);
  };
  await using worker = await WorkerClient.of(tree.profile());
  const inside = [
    link("relative", "d/a.txt"),
    link("absolute", join(tree.root, "d/a.txt")),
    link("up", "d/e/../a.txt"),
    link("dots", ".//d/./a.txt"),
    link("above", "../root/d/a.txt"),
    link("far-above", `${"../".repeat(60)}${tree.root.slice(1)}/d/a.txt`),
    link("two", "relative"),
  ];
  link("folder", "d/e");
  for (const path of inside) {
    const reply = await read(worker, path);
    expect([textOf(reply), answerOf(reply).target]).toEqual(["mine", tree.path("d/a.txt")]);
  }
  expect(textOf(await read(worker, join(tree.root, "folder/b.txt")))).toBe("other");
  for (const path of [link("out", join(tree.outside, "secret")), link("out-up", "../outside/secret")])
    expect(faultOf(await read(worker, path))).toBe(`DENIED ${tree.outside}/secret read`);
  // The real folder above is meant, not the one that the link stands in.
  link("deep", "d/e");
  expect(textOf(await read(worker, link("through", "deep/../a.txt")))).toBe("mine");
});

test("40 links are followed, 41 are not, and a circle is no hang", async () => {
  using tree = new TestTree();
  tree.file("l0", "end");
  for (let at = 1; at <= 41; at += 1) symlinkSync(`l${at - 1}`, join(tree.root, `l${at}`));
  symlinkSync("circle", join(tree.root, "circle"));
  await using worker = await WorkerClient.of(tree.profile());
  expect(textOf(await read(worker, join(tree.root, "l40")))).toBe("end");
  expect(faultOf(await read(worker, join(tree.root, "l41")))).toMatch(/^BAD_PATH /);
  expect(faultOf(await read(worker, join(tree.root, "circle")))).toBe(`BAD_PATH ${tree.root}/circle`);
});

test("a link at the end is looked at itself, or where it leads", async () => {
  using tree = new TestTree();
  const target = tree.file("a", "12345");
  const link = join(tree.root, "link");
  symlinkSync("a", link);
  symlinkSync("new/name", join(tree.root, "dangling"));
  await using worker = await WorkerClient.of(tree.profile());
  expect(await lookAt(worker, link)).toMatchObject({
    target,
    kind: "file",
    bytes: 5,
    leadsTo: null,
    folder: tree.root,
  });
  expect(await lookAt(worker, link, "itself")).toMatchObject({ target: link, kind: "link", leadsTo: "a" });
  expect(await lookAt(worker, join(tree.root, "dangling"))).toEqual({
    target: join(tree.root, "new/name"),
    kind: "missing",
    version: "",
    bytes: 0,
    mode: 0,
    folder: tree.root,
    leadsTo: null,
  });
});

test("a mask and a suffix list hold for where a link leads, and for what is not there yet", async () => {
  using tree = new TestTree();
  tree.file(".env", "secret");
  tree.file("d/.env.local", "secret");
  tree.file("a.md", "text");
  tree.file("a.key", "secret");
  symlinkSync(".env", join(tree.root, "innocent.md"));
  symlinkSync("a.key", join(tree.root, "key.md"));
  symlinkSync("a.md", join(tree.root, "text.md"));
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("**/.env*"), suffixes: [".md"] }));
  expect(textOf(await read(worker, join(tree.root, "text.md")))).toBe("text");
  expect(faultOf(await read(worker, join(tree.root, "innocent.md")))).toBe(`DENIED ${tree.root}/.env read`);
  expect(faultOf(await read(worker, join(tree.root, "key.md")))).toBe(`DENIED ${tree.root}/a.key read`);
  expect(faultOf(await writeTo(worker, join(tree.root, "b.key"), "x"))).toBe(
    `DENIED ${tree.root}/b.key write`,
  );
  expect(faultOf(await writeTo(worker, join(tree.root, "d/.env.md"), "x"))).toBe(
    `DENIED ${tree.root}/d/.env.md write`,
  );
  expect(answerOf(await writeTo(worker, join(tree.root, "b.md"), "x")).isNew).toBe(true);
});

test("of what may not be read the kind is told where its folder may be listed, and nothing more", async () => {
  using tree = new TestTree();
  const path = tree.file(".env", "secret");
  const below = tree.file("hidden/a", "secret");
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("{**/.env,**/hidden}") }));
  expect(await lookAt(worker, path)).toMatchObject({ kind: "file", bytes: 0, version: "", mode: 0 });
  expect(await lookAt(worker, join(tree.root, "hidden"))).toMatchObject({ kind: "folder", version: "" });
  for (const hidden of [below, join(tree.root, "hidden/none")])
    expect(faultOf(await worker.ask({ op: "look", path: hidden, end: "followed" }))).toBe(
      `DENIED ${hidden} read`,
    );
  expect(faultOf(await read(worker, `${below}/x`))).toBe(`DENIED ${below} read`);
});

/** macOS takes no name that is not UTF-8. */
const TAKES_ANY_BYTES = process.platform !== "darwin";

test("names of any bytes are worked on, and a mask knows a name in each of its spellings", async () => {
  using tree = new TestTree();
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("**/é.env") }));
  const notUtf8 = pathFromBytes(Uint8Array.of(0x66, 0xff, 0xc3));
  const names = ["new\nline", " ", "\u202e", "💀", "a\\b", ...(TAKES_ANY_BYTES ? [notUtf8] : [])];
  for (const name of names) {
    const path = `${tree.root}/${name}`;
    expect(answerOf(await writeTo(worker, path, name)).target).toBe(path);
    expect(textOf(await read(worker, path))).toBe(Buffer.from(name).toString());
  }
  const listed = answerOf(await worker.ask({ op: "list", path: tree.root, after: null, maxNames: 99 }));
  expect(listed.entries.map((one) => one.name).toSorted()).toEqual(names.toSorted());
  const order = listed.entries.map((one) => Buffer.from(pathToBytes(one.name)));
  expect(order).toEqual(order.toSorted(Buffer.compare));
  tree.file("é.env", "secret");
  for (const name of ["é.env", "\udcc3\udca9.env"])
    expect(faultOf(await read(worker, `${tree.root}/${name}`))).toBe(`DENIED ${tree.root}/é.env read`);
  // A name with the replacement character is not the one whose bytes are shown by it.
  if (TAKES_ANY_BYTES) writeFileSync(Buffer.from(pathToBytes(`${tree.root}/r\udcff`)), "bytes");
  expect(await lookAt(worker, `${tree.root}/r\ufffd`)).toMatchObject({ kind: "missing" });
});

test("a path is read as the kernel reads it: `..` is left to what stands there, `//` and `.` say nothing", async () => {
  using tree = new TestTree();
  tree.file("dir/a", "inside");
  symlinkSync(join(tree.root, "dir"), join(tree.root, "link"));
  await using worker = await WorkerClient.of(tree.profile());
  for (const name of [
    "dir/a",
    "dir//a",
    "./dir/./a",
    "dir/../dir/a",
    "link/../dir/a",
    "dir/a/",
    "dir/../link/a",
  ])
    expect([name, textOf(await read(worker, `${tree.root}/${name}`))]).toEqual([name, "inside"]);
  expect(faultOf(await read(worker, `${tree.root}/none/../dir/a`))).toMatch(/^NOT_FOUND /);
  expect(faultOf(await read(worker, `${tree.root}/../${tree.outside}/secret`))).toMatch(/^DENIED /);
});

test.each(["relative", "/a\0b", `/${"a".repeat(5000)}`])("no path: %j", async (path) => {
  await using worker = await WorkerClient.of(OPEN);
  expect((await worker.ask({ op: "look", path, end: "followed" })).fault?.fault).toBe("BAD_PATH");
});

test("a name that is too long is a bad path, and one that just fits is none", async () => {
  using tree = new TestTree();
  await using worker = await WorkerClient.of(tree.profile());
  expect(faultOf(await read(worker, `${tree.root}/${"a".repeat(256)}`))).toMatch(/^BAD_PATH/);
  expect(await lookAt(worker, `${tree.root}/${"a".repeat(255)}`)).toMatchObject({ kind: "missing" });
});

test("a pipe, a socket, a device and a folder are no files, and none is opened", async () => {
  using tree = new TestTree();
  const fifo = join(tree.root, "fifo");
  execFileSync("mkfifo", [fifo]);
  mkdirSync(join(tree.root, "folder"));
  const device = tree.profile({ files: [{ path: knownPath("/dev"), access: "write", suffixes: "any" }] });
  await using worker = await WorkerClient.of(device);
  for (const path of [fifo, "/dev/zero", join(tree.root, "folder")]) {
    expect(faultOf(await read(worker, path))).toBe(`WRONG_KIND ${path}`);
    expect(faultOf(await worker.ask({ op: "read-lines", path, first: 1, maxLines: 1, maxBytes: 1 }))).toBe(
      `WRONG_KIND ${path}`,
    );
    expect(faultOf(await writeTo(worker, path, "x"))).toBe(`WRONG_KIND ${path}`);
  }
  expect(await lookAt(worker, fifo)).toMatchObject({ kind: "other" });
  const file = tree.file("file");
  expect(faultOf(await read(worker, `${file}/x`))).toBe(`WRONG_KIND ${file}`);
  expect(faultOf(await worker.ask({ op: "list", path: file, after: null, maxNames: 1 }))).toBe(
    `WRONG_KIND ${file}`,
  );
});

test("what the system itself refuses to this user is said with its code", async () => {
  using tree = new TestTree();
  const path = tree.file("closed/a", "x");
  const own = tree.file("own", "y");
  chmodSync(tree.base, 0o755);
  handOver(own);
  chmodSync(own, 0o600);
  chmodSync(join(tree.root, "closed"), 0);
  await using worker = await WorkerClient.of(tree.profile(), ORDINARY);
  const denied = await read(worker, path);
  expect([denied.fault?.fault, denied.fault?.why]).toEqual(["SYSTEM", "EACCES"]);
  expect(textOf(await read(worker, own))).toBe("y");
  chmodSync(join(tree.root, "closed"), 0o700);
});

test("a root that was replaced since the hello is found where it is now", async () => {
  using tree = new TestTree();
  tree.file("a", "old");
  await using worker = await WorkerClient.of(tree.profile());
  renameSync(tree.root, join(tree.base, "elsewhere"));
  const path = tree.file("a", "new");
  expect(textOf(await read(worker, path))).toBe("new");
});

test("an entry for one file grants it and nothing beside it", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "one");
  const other = tree.file("b", "two");
  linkSync(path, join(tree.outside, "c"));
  await using worker = await WorkerClient.of(
    normalProfile({ files: [{ path: tree.path("a"), access: "write", suffixes: "any" }] }),
  );
  expect(textOf(await read(worker, path))).toBe("one");
  expect(faultOf(await read(worker, other))).toBe(`DENIED ${other} read`);
  expect(faultOf(await worker.ask({ op: "list", path: tree.root, after: null, maxNames: 9 }))).toBe(
    `DENIED ${tree.root} read`,
  );
});
