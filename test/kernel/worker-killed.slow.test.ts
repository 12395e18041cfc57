import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TEMPORARY } from "../../src/tool/files/protocol.ts";
import { IS_LONG } from "../support/long.ts";
import { WorkerClient } from "../support/worker/client.ts";
import { expectedAt, temporaryName } from "../support/worker/told.ts";
import { TestTree } from "../support/worker/tree.ts";

test("a worker that is killed at any moment of a write leaves the old file or the new one, whole", {
  timeout: 120_000,
}, async () => {
  using tree = new TestTree(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const bodies = ["a", "b"].map((letter) => Buffer.alloc(4 * 1024 ** 2, letter));
  const [first, second] = bodies;
  if (first === undefined || second === undefined) throw new Error("no bodies");
  const path = tree.file("file", first);
  const seen = new Map<string, number>();
  const tookMs = await timeOf(tree, path, first);
  const isBehind = () => seen.has("answered, new");
  for (let round = 0; round < ROUNDS || (round < 4 * ROUNDS && !isBehind()); round += 1) {
    const worker = await WorkerClient.of(tree.profile());
    const before = readFileSync(path)[0];
    const body = before === first[0] ? second : first;
    const expected = await expectedAt(worker, path);
    const write = { op: "write", path, expected, temporary: temporaryName(), folders: false } as const;
    const written = worker.ask(write, body).then(
      () => "answered",
      () => "killed",
    );
    await new Promise((resolve) => setTimeout(resolve, (2.5 * tookMs * round) / ROUNDS));
    worker.child.kill("SIGKILL");
    const how = await written;
    await worker.ended;
    const content = readFileSync(path);
    expect(bodies.some((one) => one.equals(content))).toBe(true);
    const word = `${how}, ${content[0] === before ? "old" : "new"}`;
    seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  const others = readdirSync(tree.root).filter((name) => name !== "file");
  expect(others.filter((name) => !name.startsWith(TEMPORARY))).toEqual([]);
  // The twin: it was killed before and behind the moment that counts.
  expect(seen.get("killed, old")).toBeGreaterThan(0);
  expect(seen.get("answered, new")).toBeGreaterThan(0);
  expect(seen.get("answered, old")).toBeUndefined();
  await using worker = await WorkerClient.of(tree.profile());
  for (const prefix of others) await worker.ask({ op: "sweep", folder: tree.root, prefix });
  expect(readdirSync(tree.root)).toEqual(["file"]);
  expect(join(tree.root, "file")).toBe(path);
});

/** Kills are spread over more than the time that a write took here, and over more still where writes got slower. */
const ROUNDS = IS_LONG ? 80 : 12;

async function timeOf(tree: TestTree, path: string, body: Buffer): Promise<number> {
  await using worker = await WorkerClient.of(tree.profile());
  const expected = await expectedAt(worker, path);
  const began = performance.now();
  await worker.ask({ op: "write", path, expected, temporary: temporaryName(), folders: false }, body);
  return performance.now() - began;
}
