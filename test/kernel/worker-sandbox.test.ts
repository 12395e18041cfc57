import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorkerClient } from "../support/worker/client.ts";
import { answerOf, faultOf, lookAt, moveTo, writeTo } from "../support/worker/told.ts";
import { TestTree } from "../support/worker/tree.ts";

/** A worker in a sandbox with these mounts. */
async function inSandbox(tree: TestTree, mounts: readonly string[]): Promise<WorkerClient> {
  const launcher = [
    "bwrap",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--bind",
    tree.root,
    tree.root,
    ...mounts,
  ];
  return WorkerClient.of(tree.profile(), {
    command: [...launcher, "--unshare-all", "--proc", "/proc", "--", process.execPath],
  });
}

test("in a sandbox with a process list of its own, files are found at the host's paths", async () => {
  using tree = new TestTree();
  const path = tree.file("d/a", "old");
  await using worker = await inSandbox(tree, []);
  expect(answerOf(await writeTo(worker, path, "new")).isNew).toBe(false);
  expect([(await lookAt(worker, path)).target, readFileSync(path, "utf8")]).toEqual([path, "new"]);
  expect(faultOf(await worker.ask({ op: "read", path: "/etc/passwd", from: 0, maxBytes: 9 }))).toBe(
    "DENIED /etc/passwd read",
  );
});

test("a disk that is full leaves the old file and no temporary", async () => {
  using tree = new TestTree();
  const path = join(tree.root, "small/a");
  await using worker = await inSandbox(tree, ["--size", "65536", "--tmpfs", join(tree.root, "small")]);
  answerOf(await writeTo(worker, path, "old"));
  expect(faultOf(await writeTo(worker, path, "x".repeat(200_000)))).toBe(`DISK_FULL ${path}`);
  const { entries } = answerOf(
    await worker.ask({ op: "list", path: join(tree.root, "small"), after: null, maxNames: 9 }),
  );
  expect(entries).toEqual([{ name: "a", kind: "file", bytes: 3 }]);
  expect(answerOf(await writeTo(worker, path, "x".repeat(20_000))).isNew).toBe(false);
});

test("what is mounted read-only, or is itself a mount, is not replaced", async () => {
  using tree = new TestTree();
  const [fixed, mounted, plain] = [
    tree.file("fixed/a", "old"),
    tree.file("mounted", "old"),
    tree.file("plain", "old"),
  ];
  await using worker = await inSandbox(tree, [
    "--ro-bind",
    join(tree.root, "fixed"),
    join(tree.root, "fixed"),
    "--bind",
    mounted,
    mounted,
  ]);
  expect(faultOf(await writeTo(worker, fixed, "new"))).toBe(`READ_ONLY ${fixed}`);
  expect(faultOf(await writeTo(worker, join(tree.root, "fixed/b"), "new"))).toMatch(/^READ_ONLY/);
  const busy = await writeTo(worker, mounted, "new");
  expect([busy.fault?.fault, busy.fault?.why]).toEqual(["SYSTEM", "EBUSY"]);
  const moved = await moveTo(worker, mounted, join(tree.root, "elsewhere"));
  expect([moved.fault?.fault, moved.fault?.why]).toEqual(["SYSTEM", "EBUSY"]);
  answerOf(await writeTo(worker, plain, "new"));
  expect([fixed, mounted, plain].map((path) => readFileSync(path, "utf8"))).toEqual(["old", "old", "new"]);
  expect([existsSync(join(tree.root, "elsewhere")), readdirSync(tree.root)]).toEqual([
    false,
    ["fixed", "mounted", "plain"],
  ]);
});
