import { existsSync, fstatSync, openSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { joinPath } from "../../../src/profile/path.ts";
import { Flush } from "../../../src/store/sqlite/flush.ts";
import { OpenFile } from "../../../src/store/sqlite/open-file.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { folderOfTest } from "../../support/store/folders.ts";

/** A disk that is done with a flush when it is told to be. */
function slowDisk() {
  const waiting: { readonly end: () => void; readonly fail: (cause: Error) => void }[] = [];
  const sync = (): Promise<void> => new Promise((end, fail) => waiting.push({ end, fail }));
  return { waiting, sync };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

const anyFile = (): number => openSync(joinPath(folderOfTest(), "log"), "w");

describe("a flush", () => {
  test("that began before a step was written does not count for it; those who wait share the next", async () => {
    const { waiting, sync } = slowDisk();
    using flush = new Flush(anyFile(), sync);
    const done: string[] = [];
    const wait = (name: string) => void flush.done().then(() => done.push(name));
    wait("first");
    await turns();
    wait("second");
    wait("third");
    await turns();
    expect(waiting).toHaveLength(1);
    waiting[0]?.end();
    await turns();
    expect(done).toEqual(["first"]);
    expect(waiting).toHaveLength(2);
    waiting[1]?.end();
    await turns();
    expect(done).toEqual(["first", "second", "third"]);
  });

  test("that fails is told to those who waited for it; the next is tried", async () => {
    const { waiting, sync } = slowDisk();
    using flush = new Flush(anyFile(), sync);
    const said: string[] = [];
    const wait = (name: string) =>
      void flush.done().then(
        () => said.push(name),
        (cause) => said.push(String(cause)),
      );
    wait("first");
    await turns();
    wait("second");
    waiting[0]?.fail(new Error("EIO: i/o error"));
    await turns();
    expect(said).toEqual(["Error: EIO: i/o error"]);
    waiting[1]?.end();
    await turns();
    expect(said).toEqual(["Error: EIO: i/o error", "second"]);
  });

  test("is ended before its file is closed", async () => {
    const { waiting, sync } = slowDisk();
    const fd = anyFile();
    const flush = new Flush(fd, sync);
    const done = flush.done();
    await turns();
    flush[Symbol.dispose]();
    expect(fstatSync(fd).isFile()).toBe(true);
    waiting[0]?.end();
    await done;
    expect(() => fstatSync(fd)).toThrow("EBADF");
  });
});

describe("a step that changes something", () => {
  test("is seen at once, and is done only when it would outlive the machine; one that does not waits for nothing", async () => {
    const { waiting, sync } = slowDisk();
    const file = joinPath(folderOfTest(), "approvals.sqlite");
    await using open = new OpenFile({
      file,
      migrations: MIGRATIONS,
      sync,
      patienceMs: 100,
      onChange: () => undefined,
    });
    let isDone = false;
    const step = open.make((rows) => rows.run("live", "run-1", 1)).then(() => (isDone = true));
    await turns();
    expect([isDone, waiting.length, existsSync(file)]).toEqual([false, 1, true]);
    expect(await open.read(null, (rows) => rows.get("alive", "run-1", 0))).not.toBeUndefined();
    expect(await open.change(1, (rows) => rows.run("revoke", "nothing"))).toBe(0);
    waiting[0]?.end();
    await step;
  });

  test("and can't be flushed is answered with why", async () => {
    const file = joinPath(folderOfTest(), "approvals.sqlite");
    const sync = () => Promise.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
    await using open = new OpenFile({
      file,
      migrations: MIGRATIONS,
      sync,
      patienceMs: 100,
      onChange: () => undefined,
    });
    await expect(open.make((rows) => rows.run("live", "run-1", 1))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringMatching(/can't be used: EIO: i\/o error, fdatasync$/),
    });
  });
});
