import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileAnswer } from "../../../src/tool/files/protocol.ts";
import { makeNames } from "../../support/files/many-names.ts";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf } from "../../support/worker/told.ts";
import { masks, TestTree } from "../../support/worker/tree.ts";

test("a folder is listed with kinds and sizes, and of what may not be read with the name alone", async () => {
  using tree = new TestTree();
  tree.file("b.txt", "12345");
  tree.file(".env", "secret");
  tree.file("a/x");
  symlinkSync("b.txt", join(tree.root, "link"));
  await using worker = await WorkerClient.of(tree.profile({ masks: masks("**/.env") }));
  const list = await worker.ask({ op: "list", path: tree.root, after: null, maxNames: 99 });
  const { target, entries, total, isEnd } = answerOf(list);
  expect({ target, total, isEnd }).toEqual({ target: tree.root, total: 4, isEnd: true });
  expect(entries.map(({ name, kind, bytes }) => [name, kind, kind === "folder" ? 0 : bytes])).toEqual([
    [".env", "other", 0],
    ["a", "folder", 0],
    ["b.txt", "file", 5],
    ["link", "link", 5],
  ]);
});

test("a folder of 100,000 names is told page by page, each once, in order, a page in less than a second", {
  timeout: 120_000,
}, async () => {
  using tree = new TestTree("/dev/shm");
  const names = Array.from({ length: 100_000 }, (_, at) => `file-${(at * 7919) % 100_000}`);
  makeNames(tree.root, names);
  await using worker = await WorkerClient.of(tree.profile());
  const told: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: FileAnswer<"list"> = answerOf(
      await worker.ask({ op: "list", path: tree.root, after, maxNames: 3000 }),
    );
    told.push(...page.entries.map((one) => one.name));
    expect(page.total).toBe(100_000);
    if (page.isEnd) break;
    after = page.entries.at(-1)?.name ?? null;
  }
  expect(told).toEqual(names.toSorted());
});

test("no names are wanted, no names are told, and the rest is not the end", async () => {
  using tree = new TestTree();
  await using worker = await WorkerClient.of(tree.profile());
  const none = { op: "list", path: tree.root, after: null, maxNames: 0 } as const;
  expect(answerOf(await worker.ask(none))).toEqual({ target: tree.root, entries: [], total: 0, isEnd: true });
  tree.file("a");
  expect(answerOf(await worker.ask(none))).toEqual({
    target: tree.root,
    entries: [],
    total: 1,
    isEnd: false,
  });
});
