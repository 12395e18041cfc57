import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { TEMPORARY } from "../../src/tool/files/protocol.ts";
import { WorkerClient } from "../support/worker/client.ts";
import { ledOutside } from "../support/worker/naive.ts";
import { temporaryName } from "../support/worker/told.ts";
import { TestTree } from "../support/worker/tree.ts";

const SWAPPER = join(import.meta.dirname, "../support/worker/swapper.ts");
/** Memory, where there is some: the race is about names, and 10,000 syncs of a disk would only take time. */
const ABOVE = existsSync("/dev/shm") ? "/dev/shm" : undefined;

const running: ChildProcess[] = [];
const trees: TestTree[] = [];
afterEach(async () => {
  await hold();
  for (const tree of trees.splice(0)) tree[Symbol.dispose]();
});

/** From now on nothing is swapped. */
async function hold(): Promise<void> {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once("close", resolve));
  }
}

/** A tree that another process swaps names in, and files outside of it that nobody may touch. */
async function swapped(): Promise<TestTree> {
  const tree = new TestTree(ABOVE);
  trees.push(tree);
  for (const name of ["secret", "written", "victim"]) writeFileSync(join(tree.outside, name), "OUTSIDE");
  const child = spawn(process.execPath, [SWAPPER, tree.base], { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return tree;
}

/** Everything outside, name and content. */
function outsideOf(tree: TestTree): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(tree.outside).map((name) => [name, readFileSync(join(tree.outside, name), "utf8")]),
  );
}

const UNTOUCHED = { secret: "OUTSIDE", victim: "OUTSIDE", written: "OUTSIDE" };
const FOLDERS = ["dir", "mid/deep"];

/**
 * What 10,000 requests said, word by word. Some more are made, on a machine that swaps seldom, until each of two
 * words was said a hundred times: that the race was there.
 */
async function askMany(
  ask: (at: number) => Promise<string>,
  words: readonly [string, string],
): Promise<ReadonlyMap<string, number>> {
  const said = new Map<string, number>();
  const raced = (): boolean => words.every((word) => (said.get(word) ?? 0) >= 100);
  for (let at = 0; at < 10_000 || (at < 100_000 && !raced()); at += 1) {
    if (running[0]?.exitCode !== null) throw new Error("the names are no longer swapped");
    const word = await ask(at);
    said.set(word, (said.get(word) ?? 0) + 1);
  }
  expect(raced()).toBe(true);
  return said;
}

test("files.race: no byte of outside is read in 10,000 reads while names are swapped", {
  timeout: 120_000,
}, async () => {
  const tree = await swapped();
  await using worker = await WorkerClient.of(tree.profile());
  const paths = [...FOLDERS.map((folder) => `${folder}/secret`), "file"].map((name) => join(tree.root, name));
  const said = await askMany(
    async (at) => {
      const path = paths[at % paths.length] ?? "";
      const reply =
        at % 2 === 0
          ? await worker.ask({ op: "read", path, from: 0, maxBytes: 100 })
          : await worker.ask({ op: "read-lines", path, first: 1, maxLines: 9, maxBytes: 100 });
      return reply.fault === undefined ? reply.body.toString() : reply.fault.fault;
    },
    ["inside", "DENIED"],
  );
  // A file that is being made anew is empty for a moment; all else is what stands inside, or no.
  expect(["inside", "", "DENIED", "CHANGED", "NOT_FOUND"]).toEqual(expect.arrayContaining([...said.keys()]));
});

test("files.race: who checks a path and then opens it does read and change what is outside", async () => {
  const tree = await swapped();
  expect(await ledOutside(tree, 20_000)).toEqual([true, true]);
});

test("files.race: nothing outside is changed by 10,000 writes, removals and moves while names are swapped", {
  timeout: 240_000,
}, async () => {
  const tree = await swapped();
  await using worker = await WorkerClient.of(tree.profile());
  const said = await askMany(
    (at) => change(worker, join(tree.root, FOLDERS[at % 2] ?? ""), at),
    ["done", "DENIED"],
  );
  expect(outsideOf(tree)).toEqual(UNTOUCHED);
  expect(["done", "CHANGED", "DENIED", "EXISTS", "NOT_FOUND"]).toEqual(
    expect.arrayContaining([...said.keys()]),
  );
  await hold();
  const left = readdirSync(tree.root, { recursive: true }).filter((name) => String(name).includes(TEMPORARY));
  expect(left).toEqual([]);
});

async function change(worker: WorkerClient, folder: string, at: number): Promise<string> {
  const path = join(folder, at % 5 === 0 ? "victim" : "written");
  const looked = await worker.ask({ op: "look", path, end: "itself" });
  if (looked.fault !== undefined) return looked.fault.fault;
  const { kind, version } = looked.answer;
  const expected = kind === "missing" ? ({ kind } as const) : ({ kind: "node", version } as const);
  const write = { op: "write", path, expected, temporary: temporaryName(), folders: at % 3 === 0 } as const;
  const reply =
    at % 5 === 0 && kind !== "missing"
      ? at % 10 === 0
        ? await worker.ask({ op: "remove", path, expected })
        : await worker.ask({ ...write, op: "move", to: `${path}-${at % 7}` })
      : await worker.ask(write, Buffer.from("inside"));
  return reply.fault?.fault ?? "done";
}

test("files.race: lists, finds and searches never tell of outside while names are swapped", {
  timeout: 120_000,
}, async () => {
  const tree = await swapped();
  writeFileSync(join(tree.outside, "only-outside"), "OUTSIDE");
  await using worker = await WorkerClient.of(tree.profile());
  const walk = { glob: null, maxFound: 1000, timeMs: 5000 } as const;
  const wanted = { kind: "text", text: "OUTSIDE", ignoreCase: false } as const;
  let answered = 0;
  for (let at = 0; at < 1500; at += 1) {
    const path = join(tree.root, FOLDERS[at % 2] ?? "");
    for (const reply of [
      await worker.ask({ op: "list", path, after: null, maxNames: 100 }),
      await worker.ask({ op: "find", path: tree.root, ...walk }),
      await worker.ask({ op: "search", path: tree.root, wanted, context: 1, ...walk }),
    ]) {
      expect(JSON.stringify(reply)).not.toMatch(/only-outside|"text":"OUTSIDE/);
      if (reply.fault === undefined) answered += 1;
    }
  }
  expect(answered).toBeGreaterThan(1500);
});
