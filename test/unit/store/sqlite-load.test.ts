import { afterEach, expect, test, vi } from "vitest";
import { absolutePath } from "../../../src/profile/path.ts";
import { loadSqlite } from "../../../src/store/sqlite/load.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";

test("SQLite is not loaded by who makes a store, watches it and finds nothing", async () => {
  const loaded = (): unknown => Reflect.get(process, "moduleLoadList");
  await using store = new SqliteStore(absolutePath("/nowhere/approvals.sqlite"));
  using _watch = store.watch(() => undefined);
  expect(await store.pending()).toEqual([]);
  expect(loaded()).not.toContain("NativeModule sqlite");
  loadSqlite();
  expect(loaded()).toContain("NativeModule sqlite");
});

afterEach(() => void vi.restoreAllMocks());

/** A Node that loads SQLite, or none, and warns meanwhile, as Node 22 does. */
function nodeThat(warns: () => void, has = true): readonly unknown[] {
  const warned: unknown[] = [];
  const real = process.getBuiltinModule("node:sqlite");
  vi.spyOn(process, "emitWarning").mockImplementation((warning: string | Error) => void warned.push(warning));
  vi.spyOn(process, "getBuiltinModule").mockImplementation(() => {
    warns();
    return has ? real : undefined;
  });
  return warned;
}

test("that SQLite is an experiment of this Node is not said to everybody; all other warnings are", () => {
  const other = new Error("something else");
  const warned = nodeThat(() => {
    process.emitWarning(
      "SQLite is an experimental feature and might change at any time",
      "ExperimentalWarning",
    );
    process.emitWarning(
      "WASI is an experimental feature and might change at any time",
      "ExperimentalWarning",
    );
    process.emitWarning("SQLite is old", { type: "DeprecationWarning" });
    process.emitWarning(other);
  });
  const before = process.emitWarning;
  expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
  expect(warned).toEqual([
    "WASI is an experimental feature and might change at any time",
    "SQLite is old",
    other,
  ]);
  expect(process.emitWarning).toBe(before);
});

test("a Node without SQLite is told of, and warns as before", () => {
  nodeThat(() => undefined, false);
  const before = process.emitWarning;
  expect(() => loadSqlite()).toThrow("this Node was built without SQLite");
  expect(process.emitWarning).toBe(before);
});
