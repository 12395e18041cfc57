import { mkdirSync, renameSync, type watch } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type AbsolutePath, joinPath } from "../../../src/profile/path.ts";
import { SqliteWatching } from "../../../src/store/sqlite/watching.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../../support/approval/request.ts";
import { folderOfTest } from "../../support/store/folders.ts";
import { asked } from "../../support/store/news.ts";

const NEWS = asked(requestWith());

/** Counts how often a store calls back. */
function counting(store: Store) {
  const seen = { times: 0 };
  return { seen, watch: store.watch(() => (seen.times += 1)) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(1);
}

const inFolder = (name = "approvals.sqlite"): AbsolutePath => joinPath(folderOfTest(), name);

describe("whoever watches", () => {
  test("is called back by the first step of another into a file that is not there yet, nor its folder", async () => {
    const file = inFolder("state/cofferdam/approvals.sqlite");
    await using store = new SqliteStore(file);
    await using other = new SqliteStore(file);
    const { seen, watch } = counting(store);
    using _watch = watch;
    await other.append(NEWS);
    await until(() => seen.times > 0);
    expect(await store.lastSeq()).toBe(0);
    const before = seen.times;
    await other.append(NEWS);
    await until(() => seen.times > before);
  });

  test("is called back at once by this process, and by another without a look that is due", async () => {
    // No look is ever due.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const file = inFolder();
    await using store = new SqliteStore(file);
    await using other = new SqliteStore(file);
    await store.append(NEWS);
    const { seen, watch } = counting(store);
    using _watch = watch;
    await store.append(NEWS);
    expect(seen.times).toBe(1);
    for (let count = 0; count < 20; count += 1) {
      const before = seen.times;
      await other.append(NEWS);
      await until(() => seen.times > before);
    }
  });

  test("is not called back where nothing changed, however often it is looked", async () => {
    const file = inFolder();
    await using store = new SqliteStore(file);
    await using other = new SqliteStore(file);
    await store.append(NEWS);
    const { seen, watch } = counting(store);
    using _watch = watch;
    await other.claim("nowhere", "run-1");
    for (let count = 0; count < 10; count += 1) await other.eventsAfter(null, 10, null);
    await pause(30);
    expect(seen.times).toBe(0);
    await other.append(NEWS);
    await until(() => seen.times > 0);
  });

  test("is called back by a program that touches nothing behind its step, too, in time", async () => {
    const file = inFolder();
    await using store = new SqliteStore(file);
    await store.append(NEWS);
    const { seen, watch } = counting(store);
    using _watch = watch;
    using database = new DatabaseSync(file);
    database.exec("DELETE FROM grants; UPDATE store SET id = 'other'");
    await until(() => seen.times > 0);
  });

  test("is called back when the file is replaced, to learn it", async () => {
    const file = inFolder();
    await using store = new SqliteStore(file);
    await store.append(NEWS);
    const { seen, watch } = counting(store);
    using _watch = watch;
    renameSync(file, `${file}.aside`);
    await until(() => seen.times > 0);
    await expect(store.lastSeq()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  test("keeps no process alive, and leaves nothing behind; after the end nobody is called", async () => {
    const file = inFolder();
    const store = new SqliteStore(file);
    await using other = new SqliteStore(file);
    await store.append(NEWS);
    const before = process.getActiveResourcesInfo().toSorted();
    const [first, second] = [counting(store), counting(store)];
    expect(process.getActiveResourcesInfo().toSorted()).toEqual(before);
    first.watch[Symbol.dispose]();
    await other.append(NEWS);
    await until(() => second.seen.times > 0);
    expect(first.seen.times).toBe(0);
    await store[Symbol.asyncDispose]();
    const late = counting(store);
    const { times } = second.seen;
    await other.append(NEWS);
    await store.append(NEWS);
    expect([second.seen.times, late.seen.times]).toEqual([times, 0]);
  });
});

describe("where the system can't watch a folder", () => {
  const full: typeof watch = () => {
    throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), {
      code: "ENOSPC",
    });
  };

  test("is looked often, for as long as anybody listens", async () => {
    let [looks, changed, woken] = [0, false, 0];
    const look = (): boolean => {
      looks += 1;
      const has = changed;
      changed = false;
      return has;
    };
    using watching = new SqliteWatching(inFolder(), look, full);
    const watch = watching.add(() => (woken += 1));
    await until(() => looks > 3);
    changed = true;
    await until(() => woken === 1);
    watch[Symbol.dispose]();
    const after = looks;
    await pause(40);
    expect(looks).toBe(after);
  });

  test("is tried again, and then told", async () => {
    const folder = folderOfTest();
    const { seen, watch } = counting(new SqliteStore(joinPath(folder, "later/approvals.sqlite")));
    using _watch = watch;
    mkdirSync(joinPath(folder, "later"), { mode: 0o700 });
    await using other = new SqliteStore(joinPath(folder, "later/approvals.sqlite"));
    await other.append(NEWS);
    await until(() => seen.times > 0);
  });
});
