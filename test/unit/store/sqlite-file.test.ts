import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { approved } from "../../../src/approval/factories.ts";
import { type AbsolutePath, joinPath } from "../../../src/profile/path.ts";
import { connect } from "../../../src/store/sqlite/connection.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import { requestWith } from "../../support/approval/request.ts";
import { folderOfTest } from "../../support/store/folders.ts";
import { answered, asked } from "../../support/store/news.ts";

const REQUEST = requestWith();
const { approvalId, runId } = REQUEST;
const YES = approved("ann");
const NOTHING = { call: null, presentation: null };
const isRoot = process.geteuid?.() === 0;
const umask = process.umask();
afterEach(() => void process.umask(umask));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

async function add(file: AbsolutePath): Promise<void> {
  await using store = new SqliteStore(file);
  await store.add(REQUEST, NOTHING, asked(REQUEST));
}

/** A store's file as one process left it. */
async function usedFile(folder = folderOfTest()): Promise<AbsolutePath> {
  const file = joinPath(folder, "approvals.sqlite");
  await add(file);
  return file;
}

describe("the file of a store", () => {
  test("is not made by whoever reads, nor by what could change nothing, and reads as an empty one", async () => {
    const folder = joinPath(folderOfTest(), "state/cofferdam");
    await using store = new SqliteStore(joinPath(folder, "approvals.sqlite"));
    using _watch = store.watch(() => undefined);
    const news = answered(REQUEST, YES);
    expect([
      await store.find(approvalId),
      await store.belongings(approvalId),
      await store.resolve(approvalId, YES, news),
      await store.claim(approvalId, runId),
      await store.finish(approvalId, runId, "done"),
      await store.abandon(approvalId, news),
      await store.pending(),
      await store.keepAlive(runId, 0),
      await store.isAlive(runId),
      await store.overdue(),
      await store.grants(null),
      await store.grants("s1"),
      await store.findGrant("g1"),
      await store.removeGrant("g1", news),
      await store.note(approvalId, "page", "7"),
      await store.noted(approvalId, "page"),
      await store.eventsAfter(null, 10, null),
      await store.eventsAfter(7, 10, "run-1"),
      await store.lastSeq(),
    ]).toEqual([
      null,
      null,
      "unknown",
      false,
      false,
      false,
      [],
      undefined,
      false,
      { expired: [], abandoned: [], grants: [] },
      [],
      [],
      null,
      false,
      undefined,
      null,
      [],
      [],
      -1,
    ]);
    expect(existsSync(folder)).toBe(false);
    await store.append(news);
    expect(existsSync(folder)).toBe(true);
    expect(await store.lastSeq()).toBe(0);
  });

  test("is found by one who found none before, when another made it", async () => {
    const file = joinPath(folderOfTest(), "approvals.sqlite");
    await using store = new SqliteStore(file);
    expect(await store.pending()).toEqual([]);
    await add(file);
    expect(await store.pending()).toEqual([REQUEST]);
  });

  test("is its user's alone, with all that stands beside it, whatever the umask", async () => {
    process.umask(0);
    const folder = joinPath(folderOfTest(), "state/cofferdam");
    await using store = new SqliteStore(joinPath(folder, "approvals.sqlite"));
    await store.append(asked(REQUEST));
    expect(readdirSync(folder).toSorted()).toEqual([
      "approvals.sqlite",
      "approvals.sqlite-shm",
      "approvals.sqlite-wal",
    ]);
    expect([modeOf(folder), ...readdirSync(folder).map((name) => modeOf(joinPath(folder, name)))]).toEqual([
      0o700, 0o600, 0o600, 0o600,
    ]);
  });

  test("is whole by itself when its last user has closed it", async () => {
    const file = await usedFile();
    expect(readdirSync(folderOf(file))).toEqual(["approvals.sqlite"]);
  });
});

describe("what is no file of a store is refused, and stays as it is", () => {
  /** What spoils a used file, and what is said of it. */
  const spoilt: readonly (readonly [what: string, spoil: (file: AbsolutePath) => void, said: RegExp])[] = [
    [
      "text",
      (file) => writeFileSync(file, "notes\n".repeat(1_000)),
      /is not a store: file is not a database$/,
    ],
    [
      "another program's database",
      (file) => edited(file, "PRAGMA application_id = 0"),
      /is a database of another program$/,
    ],
    [
      "a newer version",
      (file) => edited(file, `PRAGMA user_version = ${MIGRATIONS.length + 1}`),
      new RegExp(
        `has version ${MIGRATIONS.length + 1}, but the latest supported version is ${MIGRATIONS.length}$`,
      ),
    ],
    ["a damaged page", damaged, /is damaged: database disk image is malformed$/],
    [
      "a table that is gone",
      (file) => edited(file, "DROP TABLE notes; DROP TABLE belongings; DROP TABLE requests"),
      /can't be used: no such table/,
    ],
    [
      "a file that others can read",
      (file) => chmodSync(file, 0o640),
      /can be read or changed by other users$/,
    ],
    [
      "a file that others can change",
      (file) => chmodSync(file, 0o602),
      /can be read or changed by other users$/,
    ],
    [
      "a folder that others can change",
      (file) => chmodSync(folderOf(file), 0o720),
      /is in a folder that other users can write$/,
    ],
  ];

  test.each(spoilt)("%s", async (_, spoil, said) => {
    const file = await usedFile();
    spoil(file);
    const before = readFileSync(file);
    const store = new SqliteStore(file);
    const refused = {
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(said),
      hint: expect.any(String),
    };
    await expect(store.pending()).rejects.toMatchObject(refused);
    await expect(store.add(requestWith({ approvalId: "b" }), NOTHING, asked(REQUEST))).rejects.toMatchObject(
      refused,
    );
    await expect(store.find(approvalId)).rejects.toMatchObject(refused);
    await store[Symbol.asyncDispose]();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("a symlink to a file of a store, and a folder; the file itself is none of these", async () => {
    const folder = folderOfTest();
    const file = await usedFile(folder);
    symlinkSync(file, joinPath(folder, "link"));
    mkdirSync(joinPath(folder, "folder"));
    const said = (name: string) => new SqliteStore(joinPath(folder, name)).pending();
    await expect(said("link")).rejects.toMatchObject({ message: expect.stringContaining("is a symlink") });
    await expect(said("folder")).rejects.toMatchObject({
      message: expect.stringContaining("is not a regular file"),
    });
    await expect(said("approvals.sqlite/x")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await using store = new SqliteStore(file);
    expect(await store.pending()).toEqual([REQUEST]);
  });

  test.skipIf(!isRoot)("another user's file, or one in another user's folder", async () => {
    const file = await usedFile();
    for (const [mine, path, said] of [
      [0, file, "belongs to user 1001"],
      [0, folderOf(file), "is in a folder of user 1001"],
    ] as const) {
      chownSync(path, 1001, 1001);
      await expect(new SqliteStore(file).pending()).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringContaining(said),
      });
      chownSync(path, mine, mine);
    }
    await using store = new SqliteStore(file);
    expect(await store.pending()).toEqual([REQUEST]);
  });
});

describe("what a row holds", () => {
  const grant = {
    kind: "call",
    grantId: "g1",
    sessionId: "s1",
    tool: "deploy",
    key: { cacheKey: "k", toolVersion: "1", program: null, granted: null },
    covers: "every use of deploy",
    by: "ann",
    grantedAt: 1_900_000_000_000,
  } as const;
  const rows: readonly (readonly [
    what: string,
    sql: string,
    reads: (store: SqliteStore) => Promise<unknown>,
  ])[] = [
    ["no JSON", "UPDATE requests SET request = '{'", (store) => store.pending()],
    [
      "a request with more in it",
      "UPDATE requests SET request = json_set(request, '$.more', 1)",
      (store) => store.find(approvalId),
    ],
    [
      "a request with less in it",
      "UPDATE requests SET request = json_remove(request, '$.demandsPerson')",
      (store) => store.pending(),
    ],
    [
      "another request under its id",
      "UPDATE requests SET request = json_set(request, '$.approvalId', 'b')",
      (store) => store.find(approvalId),
    ],
    [
      "a yes that is no",
      `UPDATE requests SET status = 'approved', decision = '{"status":"rejected","by":"ann"}'`,
      (store) => store.find(approvalId),
    ],
    ["a yes without an answer", "UPDATE requests SET status = 'approved'", (store) => store.find(approvalId)],
    [
      "a status that there is not",
      "UPDATE requests SET status = 'granted'",
      (store) => store.resolve(approvalId, YES, answered(REQUEST, YES)),
    ],
    [
      "a call that is none",
      `UPDATE belongings SET call = '{"input":1}'`,
      (store) => store.belongings(approvalId),
    ],
    ["a grant of another session", "UPDATE grants SET session_id = 's2'", (store) => store.grants("s2")],
    ["a grant under another id", "UPDATE grants SET grant_id = 'g2'", (store) => store.findGrant("g2")],
    [
      "an event that is none",
      "UPDATE events SET event = json_set(event, '$.type', 'call.ended')",
      (store) => store.eventsAfter(null, 9, null),
    ],
    ["a note that is none", "UPDATE notes SET note = '7'", (store) => store.noted(approvalId, "page")],
  ];

  test.each(rows)("is not taken for what it might mean: %s", async (_, sql, reads) => {
    const file = joinPath(folderOfTest(), "approvals.sqlite");
    await using store = new SqliteStore(file);
    await store.add(REQUEST, { call: { input: 1, cwd: "/w" }, presentation: null }, asked(REQUEST));
    await store.saveGrant(grant, runId, answered(REQUEST, YES));
    await store.note(approvalId, "page", "7");
    expect(await reads(store)).not.toBeUndefined();
    edited(file, sql);
    await expect(reads(store)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("contains an invalid row of "),
    });
  });
});

describe("a version", () => {
  const NEXT = [...MIGRATIONS, "ALTER TABLE requests ADD COLUMN place_of TEXT NOT NULL DEFAULT 'here'"];
  const versionOf = (file: AbsolutePath): unknown =>
    selected(file, "PRAGMA user_version").map(({ user_version }) => user_version)[0];

  test("is made of the one before with all that it holds, once, by whoever comes first", async () => {
    const file = await usedFile();
    using first = connect({ file, migrations: NEXT });
    using second = connect({ file, migrations: NEXT });
    for (const one of [first, second])
      expect(one.read((rows) => rows.get("status", approvalId))).toEqual({ status: "pending" });
    expect(versionOf(file)).toBe(MIGRATIONS.length + 1);
    expect(selected(file, "SELECT place_of FROM requests")).toEqual([{ place_of: "here" }]);
    await expect(new SqliteStore(file).pending()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  test("that can't be made leaves the one before", async () => {
    const file = await usedFile();
    const broken = [...NEXT, "CREATE TABLE more (a); SELECT a FROM nowhere"];
    expect(() => connect({ file, migrations: broken })).toThrow("no such table: nowhere");
    expect(versionOf(file)).toBe(MIGRATIONS.length);
    await using store = new SqliteStore(file);
    expect(await store.pending()).toEqual([REQUEST]);
  });

  test("that a newer program makes while this one has the file open ends its use here", async () => {
    const file = await usedFile();
    await using store = new SqliteStore(file);
    expect(await store.pending()).toEqual([REQUEST]);
    connect({ file, migrations: NEXT })[Symbol.dispose]();
    const refused = {
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/was upgraded to version 3 while it was open$/),
    };
    await expect(store.pending()).rejects.toMatchObject(refused);
    await expect(store.resolve(approvalId, YES, answered(REQUEST, YES))).rejects.toMatchObject(refused);
  });
});

function folderOf(file: AbsolutePath): string {
  return file.slice(0, file.lastIndexOf("/"));
}

function edited(file: AbsolutePath, sql: string): void {
  using database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(sql);
}

function selected(file: AbsolutePath, sql: string): readonly Record<string, unknown>[] {
  using database = new DatabaseSync(file);
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

/** Every page behind the first says nothing. */
function damaged(file: AbsolutePath): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 4096));
}
