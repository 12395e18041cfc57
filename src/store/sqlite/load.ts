import { CofferdamError } from "../../errors.ts";

type Sqlite = typeof import("node:sqlite");

/**
 * Node's own SQLite, loaded on first use. Only Node 22's warning that it is experimental is suppressed: it is loaded
 * synchronously, as other code could warn during an `import()`. Throws `STORE_UNAVAILABLE` in a Node without it. A
 * later Node renames it, but `DatabaseSync` stays (https://nodejs.org/api/deprecations.html, DEP0210).
 */
export function loadSqlite(): Sqlite {
  const warn = Object.getOwnPropertyDescriptor(process, "emitWarning");
  const say = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]): void => {
    if (!isExperiment(warning, rest[0])) Reflect.apply(say, process, [warning, ...rest]);
  };
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    if (warn !== undefined) Object.defineProperty(process, "emitWarning", warn);
  }
  throw new CofferdamError("STORE_UNAVAILABLE", "this Node was built without SQLite", {
    hint: "use Node from nodejs.org, or another store",
  });
}

function isExperiment(warning: string | Error, type: unknown): boolean {
  return type === "ExperimentalWarning" && typeof warning === "string" && warning.startsWith("SQLite ");
}
