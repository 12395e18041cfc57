import { describe, expect, test } from "vitest";
import { MemoryStore, SqliteStore } from "../../../src/index.ts";
import { PostgresStore } from "../../../src/store/postgres.ts";

const STORES = {
  MemoryStore: (options: object) => Reflect.construct(MemoryStore, [options]),
  SqliteStore: (options: object) => Reflect.construct(SqliteStore, ["/nowhere/store.db", options]),
  PostgresStore: (options: object) =>
    Reflect.construct(PostgresStore, [{ connection: "postgres://u@localhost/d", ...options }]),
};

describe.each(Object.entries(STORES))("%s", (name, made) => {
  const refused = (options: object): unknown => {
    try {
      made(options);
    } catch (error) {
      return error;
    }
    return null;
  };

  test("refuses an unknown option, and names the near one", () => {
    expect(refused({ mostEvents: 10 })).toMatchObject({
      code: "USAGE",
      message: `unknown option \`mostEvents\` of \`${name}\``,
      hint: expect.stringContaining("maxEvents"),
    });
    expect(refused({ maxEvent: 10 })).toMatchObject({ hint: "did you mean `maxEvents`?" });
  });

  test("refuses a value that is no whole number", () => {
    expect(refused({ maxSettled: "many" })).toMatchObject({
      code: "USAGE",
      message: `invalid option \`maxSettled\` of \`${name}\``,
      hint: "`maxSettled` must be a whole number above 0",
    });
  });

  test("takes its own options", () => {
    expect(refused({ maxEvents: 10, maxSettled: 10 })).toBeNull();
  });
});
