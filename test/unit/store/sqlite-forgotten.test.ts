import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { type AbsolutePath, joinPath } from "../../../src/profile/path.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import { requestWith } from "../../support/approval/request.ts";
import { folderOfTest } from "../../support/store/folders.ts";
import { abandoned, answered, asked } from "../../support/store/news.ts";

const RUN = "run-1";
const SECRET = randomBytes(12).toString("hex");
const NO = rejected("bob");
const YES = approved("ann");
const EXPIRED = { status: "expired" } as const;
/** How a request comes to its end. */
const ENDS = ["rejected", "expired", "done", "abandoned"] as const;

afterEach(() => void vi.useRealTimers());

/** Which of the files in the folder hold the secret. Another process reads: to close a file here takes SQLite's locks. */
function holding(folder: AbsolutePath): readonly string[] {
  const { stdout } = spawnSync("grep", ["-rlaF", SECRET, folder], { encoding: "utf8" });
  return stdout
    .split("\n")
    .flatMap((path) => (path === "" ? [] : [path.slice(folder.length + 1)]))
    .toSorted();
}

/** Requests with the secret in their calls, of sizes that lie in a page, fill one, and go over several. */
async function ask(store: SqliteStore, count: number): Promise<readonly string[]> {
  await store.keepAlive(RUN, 60_000);
  const ids = Array.from({ length: count }, (_, index) => `r ${index}`);
  for (const [index, approvalId] of ids.entries()) {
    const request = requestWith({ approvalId });
    const text = `${SECRET}${"x".repeat(([0, 700, 3_900, 20_000][index % 4] ?? 0) + index)}${SECRET}`;
    const call = { input: { text }, cwd: "/w" } as const;
    await store.add(request, { call, presentation: { type: "text", content: text } }, asked(request));
  }
  return ids;
}

async function end(store: SqliteStore, approvalId: string, how: (typeof ENDS)[number]): Promise<void> {
  const request = requestWith({ approvalId });
  if (how === "rejected") return void (await store.resolve(approvalId, NO, answered(request, NO)));
  if (how === "expired") return void (await store.resolve(approvalId, EXPIRED, answered(request, EXPIRED)));
  const yes = { ...YES, editedInput: { text: SECRET } };
  await store.resolve(approvalId, yes, answered(request, yes));
  await store.claim(approvalId, how === "done" ? RUN : "gone");
  if (how === "done") await store.finish(approvalId, RUN, "done");
  else await store.abandon(approvalId, abandoned(request));
}

test("what belonged to requests that are over is in no byte of the file, however each came to its end", async () => {
  const folder = folderOfTest();
  const store = new SqliteStore(joinPath(folder, "approvals.sqlite"));
  const ids = await ask(store, 60);
  const last = ids.at(-1) ?? "";
  // Not in their order, so that pages are joined and divided.
  const shuffled = ids.slice(0, -1).toSorted((a, b) => Number(a.slice(-1)) - Number(b.slice(-1)));
  for (const [index, id] of shuffled.entries()) await end(store, id, ENDS[index % 4] ?? "done");
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual(["approvals.sqlite"]);
  // One is still open.
  expect(holding(folder)).toEqual(["approvals.sqlite"]);
  await end(store, last, "rejected");
  expect(holding(folder)).toEqual([]);
  await using other = new SqliteStore(joinPath(folder, "approvals.sqlite"));
  expect(await other.find("r 0")).not.toBeNull();
});

test("its bytes stay until what overwrites them is moved into the file: some seconds later, also while another has that open", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const folder = folderOfTest();
  const file = joinPath(folder, "approvals.sqlite");
  await using store = new SqliteStore(file);
  await using other = new SqliteStore(file);
  const [id = ""] = await ask(store, 1);
  await other.pending();
  // What is done soon after a file is opened is over by now.
  vi.advanceTimersByTime(5_000);
  await end(store, id, "done");
  expect(await store.belongings(id)).toBeNull();
  expect(holding(folder)).toEqual(["approvals.sqlite", "approvals.sqlite-wal"]);
  vi.advanceTimersByTime(5_000);
  expect(holding(folder)).toEqual([]);
  expect(statSync(`${file}-wal`).size).toBe(0);
});

test("what one that was killed left in the log is out of it soon after another opens the file", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const [folder, copy] = [folderOfTest(), folderOfTest()];
  await using store = new SqliteStore(joinPath(folder, "approvals.sqlite"));
  const [id = ""] = await ask(store, 1);
  await end(store, id, "done");
  // What would be there if the machine had stopped here.
  spawnSync("cp", ["-p", ...readdirSync(folder).map((name) => joinPath(folder, name)), copy]);
  await using next = new SqliteStore(joinPath(copy, "approvals.sqlite"));
  expect(await next.find(id)).toMatchObject({ status: "done" });
  expect(holding(copy)).toEqual(["approvals.sqlite-wal"]);
  vi.advanceTimersByTime(5_000);
  expect(holding(copy)).toEqual([]);
});
