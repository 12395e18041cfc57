import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileRequest } from "../../../src/tool/files/protocol.ts";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf, faultOf } from "../../support/worker/told.ts";
import { masks, TestTree } from "../../support/worker/tree.ts";

type Search = Extract<FileRequest, { op: "search" }>;

const find = async (
  worker: WorkerClient,
  path: string,
  glob: string | null,
  maxFound = 1000,
  timeMs = 10_000,
) => worker.ask({ op: "find", path, glob, maxFound, timeMs });
const search = async (
  worker: WorkerClient,
  path: string,
  wanted: string | Search["wanted"],
  rest: Partial<Search> = {},
) =>
  worker.ask({
    op: "search",
    path,
    wanted: typeof wanted === "string" ? { kind: "text", text: wanted, ignoreCase: false } : wanted,
    context: 0,
    glob: null,
    maxFound: 1000,
    timeMs: 20_000,
    ...rest,
  });

test("files are found by the profile's patterns, below the folder, and never through a link", async () => {
  using tree = new TestTree();
  for (const name of ["a.ts", "d/b.ts", "d/e/c.ts", "d/x.md", "hidden/s.ts", ".dot/z.ts"])
    tree.file(name, "12");
  writeFileSync(join(tree.outside, "o.ts"), "");
  symlinkSync(tree.outside, join(tree.root, "l"));
  symlinkSync("a.ts", join(tree.root, "l.ts"));
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("**/hidden") }));
  const names = async (glob: string | null, folder = ""): Promise<readonly string[]> => {
    const { found } = answerOf(await find(worker, join(tree.root, folder), glob));
    return found.map(({ path, kind, bytes }) => `${path.slice(tree.root.length + 1)} ${kind} ${bytes}`);
  };
  const ts = [".dot/z.ts file 2", "a.ts file 2", "d/b.ts file 2", "d/e/c.ts file 2", "l.ts link 4"];
  expect(await names("*.ts")).toEqual(ts);
  expect(await names("**/*.ts")).toEqual(ts);
  expect(await names("/*.ts")).toEqual(["a.ts file 2", "l.ts link 4"]);
  expect(await names("/d/**")).toEqual(["d/b.ts file 2", "d/e/c.ts file 2", "d/x.md file 2"]);
  expect(await names("{b,x}.*", "d")).toEqual(["d/b.ts file 2", "d/x.md file 2"]);
  expect((await names(null)).length).toBe(7);
  expect(faultOf(await find(worker, tree.root, "a\\b"))).toBe(`BAD_PATTERN ${tree.root}`);
  expect(faultOf(await find(worker, join(tree.root, "hidden"), null))).toBe(
    `DENIED ${tree.root}/hidden read`,
  );
  expect(faultOf(await find(worker, join(tree.root, "a.ts"), null))).toBe(`WRONG_KIND ${tree.root}/a.ts`);
});

test("what may not be read is not found: no name behind a mask, nothing in a folder that is closed", async () => {
  using tree = new TestTree();
  for (const name of ["a.ts", "d/b.ts", "d/secret.ts", "e/closed/open/c.ts", "e/closed/f.ts"])
    tree.file(name, "12");
  const entry = (name: string, access: "none" | "read") =>
    ({ path: tree.path(name), access, suffixes: "any" }) as const;
  const files = [entry("e/closed", "none"), entry("e/closed/open", "read")];
  await using worker = await WorkerClient.of(tree.profile({ files, masks: masks("**/secret*") }));
  const names = async (folder = "") =>
    answerOf(await find(worker, join(tree.root, folder), null)).found.map(({ path }) =>
      path.slice(tree.root.length + 1),
    );
  expect(await names()).toEqual(["a.ts", "d/b.ts"]);
  expect(await names("e/closed/open")).toEqual(["e/closed/open/c.ts"]);
});

test("a walk ends where its bounds are, and says at which", async () => {
  using tree = new TestTree();
  for (let at = 0; at < 30; at += 1) tree.file(`d${at % 3}/f${at}`, "a\n");
  await using worker = await WorkerClient.of(tree.profile());
  const stopped = async (maxFound: number, timeMs = 10_000) => {
    const { found, stopped: why } = answerOf(await find(worker, tree.root, null, maxFound, timeMs));
    return [found.length, why];
  };
  expect([await stopped(30), await stopped(29), await stopped(0), await stopped(30, 0)]).toEqual([
    [30, null],
    [29, "found"],
    [0, "found"],
    [0, "time"],
  ]);
  const some = answerOf(await search(worker, tree.root, "a", { maxFound: 7 }));
  expect([some.matches.length, some.stopped]).toEqual([7, "found"]);
});

test("a tree of more than 200,000 names is walked up to there", async () => {
  using tree = new TestTree("/dev/shm");
  execFileSync(
    "sh",
    ["-c", "mkdir d e && cd d && seq 1 110000 | xargs touch && cd ../e && seq 1 110000 | xargs touch"],
    { cwd: tree.root },
  );
  await using worker = await WorkerClient.of(tree.profile());
  const { found, stopped } = answerOf(await find(worker, tree.root, "none", 10, 60_000));
  expect([found, stopped]).toEqual([[], "entries"]);
});

test("lines that match are told with place and context, in text and by expression", async () => {
  using tree = new TestTree();
  const path = tree.file("a.txt", "one\r\ntwo\nThree two\nfour\n");
  tree.file("b.bin", Buffer.from("two\0"));
  tree.file("c.txt", Buffer.from([0x74, 0x77, 0x6f, 0xff]));
  tree.file("secret.txt", "two");
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("**/secret*") }));
  const match = (line: number, column: number, text: string, before: string[], after: string[]) => ({
    path,
    line,
    column,
    text,
    isCut: false,
    before,
    after,
  });
  expect(answerOf(await search(worker, tree.root, "two", { context: 1 }))).toEqual({
    target: tree.root,
    matches: [match(2, 1, "two", ["one"], ["Three two"]), match(3, 7, "Three two", ["two"], ["four"])],
    files: 1,
    passedOver: 3,
    stopped: null,
  });
  const lines = async (wanted: Search["wanted"]) =>
    answerOf(await search(worker, path, wanted)).matches.map((one) => one.line);
  expect(await lines({ kind: "text", text: "THREE", ignoreCase: true })).toEqual([3]);
  expect(await lines({ kind: "text", text: "t.o", ignoreCase: true })).toEqual([]);
  expect(await lines({ kind: "regex", source: "^t.o$|x$", flags: "gy" })).toEqual([2]);
  expect(await lines({ kind: "regex", source: "e$", flags: "g" })).toEqual([1]);
  expect(await lines({ kind: "regex", source: "^t", flags: "i" })).toEqual([2, 3]);
  for (const [source, flags] of [
    ["(", ""],
    ["a", "xx"],
  ] as const)
    expect((await search(worker, path, { kind: "regex", source, flags })).fault?.fault).toBe("BAD_PATTERN");
  expect(faultOf(await search(worker, join(tree.root, "secret.txt"), "two"))).toBe(
    `DENIED ${tree.root}/secret.txt read`,
  );
  const last = answerOf(await search(worker, tree.root, "two", { maxFound: 1, context: 3 }));
  expect(last.matches).toEqual([match(2, 1, "two", ["one"], ["Three two", "four"])]);
});

test("an answer that fits no frame is too large, and a smaller one is told", async () => {
  using tree = new TestTree();
  const path = tree.file("a", `${"x".repeat(399)}\n`.repeat(2500));
  await using worker = await WorkerClient.of(tree.profile());
  const max = { maxFound: 2500 };
  expect(faultOf(await search(worker, path, "x", { ...max, context: 2500 }))).toBe(`TOO_LARGE ${path}`);
  expect(faultOf(await search(worker, path, "x", { ...max, context: 100 }))).toBe(`TOO_LARGE ${path}`);
  expect(answerOf(await search(worker, path, "x", { ...max, context: 1 })).matches.length).toBe(2500);
});

test("long lines are cut, in what is matched and in what is shown; large files are passed over", async () => {
  using tree = new TestTree();
  const path = tree.file("long", `${"é".repeat(60_000)}near${"x".repeat(10_000_000)}far\nshort far\n`);
  truncateSync(tree.file("sparse"), 2 ** 30);
  truncateSync(tree.file("text", "far\n".repeat(3000)), 65 * 1024 ** 2);
  await using worker = await WorkerClient.of(tree.profile());
  const near = answerOf(await search(worker, tree.root, "near"));
  expect(
    near.matches.map(({ line, column, text, isCut }) => [
      line,
      column,
      text.length,
      text.includes("near"),
      isCut,
    ]),
  ).toEqual([[1, 60_001, 400, true, true]]);
  expect([near.files, near.passedOver]).toEqual([1, 2]);
  const large = answerOf(await search(worker, join(tree.root, "text"), "far"));
  expect([large.matches, large.files, large.passedOver]).toEqual([[], 0, 1]);
  const far = answerOf(await search(worker, path, "far"));
  expect(far.matches.map(({ line, text, isCut }) => [line, text, isCut])).toEqual([[2, "short far", false]]);
});
