import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Session } from "../../src/index.ts";
import { type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { toldOf } from "../support/files/told.ts";
import { IS_LONG } from "../support/long.ts";
import { ledOutside } from "../support/worker/naive.ts";
import { TestTree } from "../support/worker/tree.ts";

sandboxMustWork("names that are swapped under the file tools");

const SWAPPER = join(import.meta.dirname, "../support/worker/swapper.ts");
/** So many calls are made while names are swapped. */
const CALLS = IS_LONG ? 10_000 : 250;
const NAMES = ["secret", "written", "victim"];

const running: ChildProcess[] = [];
const open: (Disposable | AsyncDisposable)[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once("close", resolve));
  }
  for (const one of open.splice(0).reverse())
    if (Symbol.asyncDispose in one) await one[Symbol.asyncDispose]();
    else one[Symbol.dispose]();
});

/** A session over a tree, and files outside of it that nobody may touch. */
async function treeAndSession(): Promise<{ readonly tree: TestTree; readonly at: TestSession }> {
  const tree = new TestTree();
  open.push(tree);
  for (const name of NAMES) writeFileSync(join(tree.outside, name), "OUTSIDE");
  const free = { mode: "rw", write_approval: false };
  const at = await testSession(() => undefined, {
    settings: ({ ws }) => ({
      sandbox: { paths: { tree: { root: tree.root, ...free }, ws: { root: ws, ...free } } },
    }),
  });
  open.push(at);
  return { tree, at };
}

/** A plain process of the same user that swaps. */
async function swapOnHost(tree: TestTree): Promise<void> {
  const child = spawn(process.execPath, [SWAPPER, tree.base], { stdio: ["pipe", "pipe", "inherit"] });
  running.push(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
}

/** A call of the shell that swaps, for as long as it is let: what an agent itself can do. */
async function swapInside(tree: TestTree, session: Session): Promise<AsyncDisposable> {
  for (const folder of ["dir", "mid/deep"]) {
    for (const name of NAMES) tree.file(`${folder}/${name}`, "inside");
    symlinkSync(tree.outside, join(tree.root, `${folder}.link`));
  }
  tree.file("file", "inside");
  symlinkSync(join(tree.outside, "secret"), join(tree.root, "file.link"));
  // As SWAPPER does: a folder that a call makes where one has just been goes.
  const program = `use File::Path "rmtree"; chdir $ARGV[0]; $| = 1; print ".";
    sub name { my ($from, $to) = @_; rmtree($to) until rename($from, $to); }
    sub flip { my $p = shift; name($p, "$p.real"); name("$p.link", $p); name($p, "$p.link"); name("$p.real", $p); }
    while (1) { flip("dir"); flip("mid/deep"); flip("file"); name("mid", "mid.moved"); name("mid.moved", "mid"); }`;
  const controller = new AbortController();
  let isThere = (): void => undefined;
  const there = new Promise<void>((resolve) => {
    isThere = resolve;
  });
  const call = session.call(
    "shell",
    { argv: ["perl", "-e", program, tree.root] },
    { signal: controller.signal, sinks: { stdout: () => isThere(), stderr: () => undefined } },
  );
  const early = await Promise.race([there, call, pause(10_000)]);
  if (early !== undefined) throw new Error(`nothing is swapped: ${JSON.stringify(early)}`);
  return {
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      const outcome = await call;
      expect(outcome).toMatchObject({ kind: "failed", receipt: {} });
    },
  };
}

/** One call of each kind in turn, with what it said. */
async function callSome(session: Session, at: number): Promise<string> {
  const folder = `tree:${["dir", "mid/deep"][Math.floor(at / 14) % 2]}`;
  const input: Readonly<Record<string, readonly [string, object]>> = {
    0: ["read_file", { path: `${folder}/secret` }],
    1: ["write_file", { path: `${folder}/written`, content: "inside" }],
    2: ["read_file", { path: "tree:file", as: "base64" }],
    3: ["list_dir", { path: folder }],
    4: ["edit_file", { path: `${folder}/written`, edits: [{ old_text: "inside", new_text: "inside!" }] }],
    5: ["search_files", { path: "tree:", text: "OUTSIDE" }],
    6: ["find_files", { path: folder, pattern: "*" }],
    7: ["move_file", { from: `${folder}/victim`, to: `${folder}/moved/victim` }],
    8: ["move_file", { from: `${folder}/moved/victim`, to: `${folder}/victim` }],
    9: ["delete_file", { path: `${folder}/written` }],
    10: ["write_file", { path: `${folder}/made/deep`, content: "inside" }],
    11: ["delete_file", { path: `${folder}/made/deep` }],
    // Whatever a swap has made of them: there is one to be moved again.
    12: ["write_file", { path: `${folder}/victim`, content: "inside" }],
    13: ["delete_file", { path: `${folder}/moved/victim` }],
  };
  const [tool = "", given] = input[at % 14] ?? [];
  const outcome = await session.call(tool, given);
  const told = toldOf(outcome);
  expect(JSON.stringify(told)).not.toMatch(/"text":"OUTSIDE|only-outside|T1VUU0lERQ/);
  return typeof told === "string" ? told : `done: ${tool}`;
}

async function callMany(session: Session, count: number): Promise<ReadonlyMap<string, number>> {
  const said = new Map<string, number>();
  for (let at = 0; at < count; at += 1) {
    const word = await callSome(session, at);
    said.set(word, (said.get(word) ?? 0) + 1);
  }
  return said;
}

function expectUntouched(tree: TestTree, said: ReadonlyMap<string, number>, count: number): void {
  const outside = Object.fromEntries(
    readdirSync(tree.outside).map((name) => [name, readFileSync(join(tree.outside, name), "utf8")]),
  );
  const expected = Object.fromEntries([...NAMES, "only-outside"].map((name) => [name, "OUTSIDE"]));
  expect(outside).toEqual(expected);
  const words = [...said.keys()].filter((word) => !word.startsWith("done: "));
  expect(words.filter((word) => !/^(DENIED|FACTS_UNSTABLE|FILE_[A-Z_]+)$/.test(word))).toEqual([]);
  const no = words.reduce((sum, word) => sum + (said.get(word) ?? 0), 0);
  // The race was there: calls were refused for where names led, and all kinds of them came through.
  expect(said.get("DENIED") ?? 0).toBeGreaterThan(count / 1_000);
  expect(count - no).toBeGreaterThan(count / 20);
  expect([...said.keys()].filter((word) => word.startsWith("done: ")).length).toBe(8);
}

describe.skipIf(unusable !== null)("names that are swapped while files are worked on", () => {
  it("files.race: by a process of the same user lead no call outside", {
    timeout: 300_000,
  }, async () => {
    const { tree, at } = await treeAndSession();
    writeFileSync(join(tree.outside, "only-outside"), "OUTSIDE");
    await swapOnHost(tree);
    const said = await callMany(at.session, CALLS);
    expectUntouched(tree, said, CALLS);
  });

  it("files.race: by a call that runs at the same time, in the sandbox, lead no call outside", {
    timeout: 300_000,
  }, async () => {
    const { tree, at } = await treeAndSession();
    writeFileSync(join(tree.outside, "only-outside"), "OUTSIDE");
    await using _swapping = await swapInside(tree, at.session);
    const said = await callMany(at.session, CALLS);
    expectUntouched(tree, said, CALLS);
  });

  it("files.race: by such a call do lead outside who checks a path and then opens it", {
    timeout: 60_000,
  }, async () => {
    const { tree, at } = await treeAndSession();
    await using _swapping = await swapInside(tree, at.session);
    expect(await ledOutside(tree, 40_000)).toEqual([true, true]);
  });
});
