import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { approved } from "../../../src/approval/factories.ts";
import { joinPath } from "../../../src/profile/path.ts";
import { OpenFile } from "../../../src/store/sqlite/open-file.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/store/sqlite.ts";
import { requestWith } from "../../support/approval/request.ts";
import { folderOfTest } from "../../support/store/folders.ts";
import { answered, asked } from "../../support/store/news.ts";

const REQUEST = requestWith();
const { approvalId, runId } = REQUEST;
const YES = approved("ann");
const YES_NEWS = answered(REQUEST, YES);
const NOTHING = { call: null, presentation: null };

/** A store with one request, and its file. */
async function storeWith(options: SqliteStoreOptions = {}) {
  const file = joinPath(folderOfTest(), "approvals.sqlite");
  const store = new SqliteStore(file, options);
  await store.add(REQUEST, NOTHING, asked(REQUEST));
  return { file, store };
}

function unavailable(said: RegExp) {
  return { code: "STORE_UNAVAILABLE", message: expect.stringMatching(said), hint: expect.any(String) };
}

describe("another program that holds the file", () => {
  test.each(["IMMEDIATE", "EXCLUSIVE"])(
    "to write (%s) is waited for, not for ever, and holds up nothing else",
    async (how) => {
      const { file, store } = await storeWith({ patienceMs: 60 });
      await using _store = store;
      using other = new DatabaseSync(file);
      other.exec(`BEGIN ${how}`);
      let turns = 0;
      const counting = setInterval(() => (turns += 1), 1);
      const said = store.resolve(approvalId, YES, YES_NEWS);
      expect((await store.find(approvalId))?.status).toBe("pending");
      await expect(said).rejects.toMatchObject(
        unavailable(/is locked by another program: database is locked$/),
      );
      clearInterval(counting);
      expect(turns).toBeGreaterThan(2);
      other.exec("COMMIT");
      expect(await store.lastSeq()).toBe(0);
      expect(await store.resolve(approvalId, YES, YES_NEWS)).toBe("accepted");
    },
  );

  test("and lets go of it in time keeps no step from being done, each once and in its turn", async () => {
    const { file, store } = await storeWith();
    await using _store = store;
    using other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const said = Promise.all([
      store.resolve(approvalId, YES, YES_NEWS),
      store.claim(approvalId, runId),
      store.finish(approvalId, runId, "done"),
    ]);
    await pause(20);
    other.exec("ROLLBACK");
    expect(await said).toEqual(["accepted", true, true]);
  });

  test("for itself alone keeps all others from it, and what it had is there when it is gone", async () => {
    const { file, store } = await storeWith();
    await store[Symbol.asyncDispose]();
    await using late = new SqliteStore(file, { patienceMs: 30 });
    {
      using other = new DatabaseSync(file);
      other.exec(
        `PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = ${MIGRATIONS.length}; BEGIN EXCLUSIVE; COMMIT`,
      );
      await expect(late.pending()).rejects.toMatchObject(unavailable(/is locked by another program/));
      await expect(late.append(YES_NEWS)).rejects.toMatchObject(unavailable(/is locked by another program/));
    }
    expect(await late.pending()).toEqual([REQUEST]);
  });
});

describe("a file that was open", () => {
  test("and is removed is not gone on with: nobody else would see it", async () => {
    const { file, store } = await storeWith();
    await using _store = store;
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`);
    const gone = unavailable(/was replaced or removed while it was open$/);
    await expect(store.pending()).rejects.toMatchObject(gone);
    await expect(store.claim(approvalId, runId)).rejects.toMatchObject(gone);
    await expect(store.append(YES_NEWS)).rejects.toMatchObject(gone);
  });

  test("and is replaced is another store: it answers nothing for the one that was there, until that is back", async () => {
    const { file, store } = await storeWith();
    await using _store = store;
    const aside = (end: string): string => `${file}.aside${end}`;
    for (const end of ["", "-wal", "-shm"]) renameSync(`${file}${end}`, aside(end));
    await using other = new SqliteStore(file);
    await other.add(requestWith({ approvalId: "b" }), NOTHING, asked(REQUEST));
    const replaced = unavailable(/was replaced or removed while it was open$/);
    await expect(store.find("b")).rejects.toMatchObject(replaced);
    await expect(store.resolve(approvalId, YES, YES_NEWS)).rejects.toMatchObject(replaced);
    await other[Symbol.asyncDispose]();
    for (const end of ["", "-wal", "-shm"]) renameSync(aside(end), `${file}${end}`);
    expect(await store.resolve(approvalId, YES, YES_NEWS)).toBe("accepted");
  });
});

describe("a step", () => {
  test("that fails half way is not there at all, and the next is done", async () => {
    const { file, store } = await storeWith();
    await using _store = store;
    const edit = (sql: string): void => {
      using database = new DatabaseSync(file);
      database.exec(sql);
    };
    // The request is decided first, then told of.
    edit(`CREATE TRIGGER no_news BEFORE INSERT ON events BEGIN SELECT raise(ABORT, 'no news'); END`);
    const failed = unavailable(/can't be used: no news$/);
    await expect(store.resolve(approvalId, YES, YES_NEWS)).rejects.toMatchObject(failed);
    await expect(store.add(requestWith({ approvalId: "b" }), NOTHING, asked(REQUEST))).rejects.toMatchObject(
      failed,
    );
    expect(await store.find(approvalId)).toMatchObject({ status: "pending", decision: null });
    expect(await store.find("b")).toBeNull();
    edit("DROP TRIGGER no_news");
    expect(await store.resolve(approvalId, YES, YES_NEWS)).toBe("accepted");
    expect(await store.lastSeq()).toBe(1);
  });

  test("behind a deadline counts by the clock at its turn, not when it was asked for", async () => {
    const clock = { now: 1_000 };
    const { file, store } = await storeWith({ now: () => clock.now });
    await using _store = store;
    const timed = requestWith({ approvalId: "timed", createdAt: 0, expiresAt: 50 });
    await store.add(timed, NOTHING, asked(timed));
    using other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const late = store.resolve("timed", YES, YES_NEWS);
    await pause(5);
    clock.now = 1_050;
    other.exec("ROLLBACK");
    expect(await late).toBe("expired");
    for (const [now, waiting, expired] of [
      [1_049, [REQUEST, timed], []],
      [1_050, [REQUEST], [timed]],
      [9_999, [REQUEST], [timed]],
    ] as const) {
      clock.now = now;
      expect(await store.pending()).toEqual(waiting);
      expect((await store.overdue()).expired).toEqual(expired);
    }
    clock.now = 1_049;
    expect(await store.resolve("timed", YES, YES_NEWS)).toBe("accepted");
  });
});

test("a step that reads sees one moment, whatever others do meanwhile", async () => {
  const { file, store } = await storeWith();
  await using _store = store;
  const use = { file, migrations: MIGRATIONS, patienceMs: 100, onChange: () => undefined };
  await using open = new OpenFile(use);
  using other = new DatabaseSync(file);
  const seen = await open.read(null, (rows) => {
    const before = rows.get("status", approvalId);
    other.exec("UPDATE requests SET status = 'expired'");
    return [before, rows.get("status", approvalId)];
  });
  expect(seen).toEqual([{ status: "pending" }, { status: "pending" }]);
  expect(await open.read(null, (rows) => rows.get("status", approvalId))).toEqual({ status: "expired" });
});

describe("the end", () => {
  test("waits for what was begun, and comes twice without harm", async () => {
    const { file, store } = await storeWith();
    const begun = [store.resolve(approvalId, YES, YES_NEWS), store.claim(approvalId, runId)];
    using busy = new DatabaseSync(file);
    busy.exec("BEGIN IMMEDIATE");
    let hasEnded = false;
    const ends = [store[Symbol.asyncDispose](), store[Symbol.asyncDispose]().then(() => (hasEnded = true))];
    await pause(20);
    expect(hasEnded).toBe(false);
    busy.exec("ROLLBACK");
    await Promise.all(ends);
    await store[Symbol.asyncDispose]();
    expect(await Promise.all(begun)).toEqual(["accepted", true]);
    await using other = new SqliteStore(file);
    expect(await other.find(approvalId)).toMatchObject({ status: "executing" });
  });

  test("keeps no late step from being kept, and that leaves nothing open", async () => {
    const { file, store } = await storeWith();
    await store.resolve(approvalId, YES, YES_NEWS);
    await store.claim(approvalId, runId);
    await store[Symbol.asyncDispose]();
    const late = [store.finish(approvalId, runId, "done"), store.append(YES_NEWS), store.append(YES_NEWS)];
    expect(await Promise.all(late)).toEqual([true, undefined, undefined]);
    expect(await store.find(approvalId)).toMatchObject({ status: "done" });
    // Whoever has it open keeps others from having it alone.
    using alone = new DatabaseSync(file);
    alone.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    expect(alone.prepare("SELECT count(*) AS count FROM events").get()).toEqual({ count: 4 });
  });
});
