import { CofferdamError, thrownText, visible } from "../../errors.ts";
import { codeOf } from "../../host/system-error.ts";

/** The error of an unusable store: `what` says why, after "the store in Postgres". */
export function unavailable(what: string, hint: string): CofferdamError {
  return new CofferdamError("STORE_UNAVAILABLE", `the store in Postgres ${what}`, { hint });
}

/** An error of driver, server or system, as `STORE_UNAVAILABLE`. Only its text: the error may hold a password. */
export function storeError(thrown: unknown, secrets: readonly string[]): CofferdamError {
  if (thrown instanceof CofferdamError) return thrown;
  const code = codeOf(thrown);
  const said = wordsOf(thrown) || code;
  const hint = HINTS.find(([meant]) => meant.test(code) || meant.test(said))?.[1] ?? LOOK;
  return unavailable(`can't be used: ${visible(secrets.reduce(withoutSecret, said))}`, hint);
}

/**
 * True for an error that another try may not meet: a lost or unavailable connection, a server that stops, starts or has
 * become a standby, conflicting steps. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isPassing(thrown: unknown): boolean {
  return PASSING.test(codeOf(thrown)) || LOST.test(wordsOf(thrown));
}

/** True if a statement was refused because its row exists already, by the name of the unique constraint. */
export function isTwice(thrown: unknown, constraint: string): boolean {
  return codeOf(thrown) === "23505" && Reflect.get(Object(thrown), "constraint") === constraint;
}

const PASSING =
  /^(08...|57P0[1235]|57014|40001|40P01|53300|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT|EAI_AGAIN)$/;

/** Errors of connections that `pg` reports itself, without a code. */
const LOST =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered a connection error|Client was closed)/;

const LOOK = "check that the server runs, and read its log";

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^28P01$|password must be a string/, "set the password in the connection, or in PGPASSWORD"],
  [/no encryption$/, "the server requires TLS: add `sslmode=verify-full` to the connection's URL"],
  [/does not support SSL/, "the server has no TLS: enable it there"],
  [/^28...$/, "allow this user and host in `pg_hba.conf`"],
  [
    /certificate|self.signed|^ERR_TLS|altname/i,
    "name the authority of the server's certificate with `sslrootcert`",
  ],
  [/^3D000$/, "create the database, or correct its name in the connection"],
  [/^42501$/, "let this user create the schema, or read and write its tables"],
  [/^(42P01|3F000|42703)$/, "its tables were removed or changed: restore them from a backup"],
  [/^(42P07|42710)$/, "other tables have the same names: use a separate schema for the store"],
  [/^53300$/, "raise the server's `max_connections`, or lower `maxConnections`"],
  [/^25006$/, "the server is read-only: name the primary server"],
  [
    /unsupported startup parameter/,
    "let the pooler pass `statement_timeout`, or connect directly to the server",
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "correct the host name in the connection"],
];

/** The messages of an error; one for each address that was tried. */
function wordsOf(thrown: unknown): string {
  return thrown instanceof AggregateError ? thrown.errors.map(thrownText).join("; ") : thrownText(thrown);
}

function withoutSecret(said: string, secret: string): string {
  return secret === "" ? said : said.replaceAll(secret, "…");
}
