import { CofferdamError } from "../../errors.ts";

type Sqlite = typeof import("node:sqlite");

/**
 * Node's own SQLite, loaded by the first who needs it. Node 22 warns that it is an experiment; that one warning is not
 * let through, any other is. It is loaded in one turn, without `import()`: what else warns meanwhile would be waited for
 * with the warnings of the whole process in our hands. Throws `STORE_UNAVAILABLE` in a Node that was built without it.
 * The name `DatabaseSync` stays when a later Node calls it otherwise (https://nodejs.org/api/deprecations.html, DEP0210).
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
    hint: "use a Node from nodejs.org, or another store",
  });
}

function isExperiment(warning: string | Error, type: unknown): boolean {
  return type === "ExperimentalWarning" && typeof warning === "string" && warning.startsWith("SQLite ");
}
