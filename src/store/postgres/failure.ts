import { CofferdamError, thrownText, visible } from "../../errors.ts";
import { codeOf } from "../../host/system-error.ts";

/** The store can't be used: `what` says why, behind "the store in Postgres". */
export function unavailable(what: string, hint: string): CofferdamError {
  return new CofferdamError("STORE_UNAVAILABLE", `the store in Postgres ${what}`, { hint });
}

/**
 * What a driver, a server or the system threw, as `STORE_UNAVAILABLE`. It is told in words alone: what was thrown may hold
 * on to the connection, and with it to a password.
 */
export function told(thrown: unknown, secrets: readonly string[]): CofferdamError {
  if (thrown instanceof CofferdamError) return thrown;
  const code = codeOf(thrown);
  const said = wordsOf(thrown) || code;
  const hint = HINTS.find(([meant]) => meant.test(code) || meant.test(said))?.[1] ?? LOOK;
  return unavailable(`can't be used: ${visible(secrets.reduce(withoutSecret, said))}`, hint);
}

/**
 * True for what another try may not meet: a connection that was lost or not to be had, a server that stops, starts or has
 * become a standby, steps that stood in each other's way. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isPassing(thrown: unknown): boolean {
  return PASSING.test(codeOf(thrown)) || LOST.test(wordsOf(thrown));
}

/** True where a statement was refused because what it would add is there already, by the name of what forbids two. */
export function isTwice(thrown: unknown, constraint: string): boolean {
  return codeOf(thrown) === "23505" && Reflect.get(Object(thrown), "constraint") === constraint;
}

const PASSING =
  /^(08...|57P0[1235]|57014|40001|40P01|53300|25006|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT|EAI_AGAIN)$/;

/** What `pg` says of connections by itself, without a code. */
const LOST =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered a connection error|Client was closed)/;

const LOOK = "see whether the server runs, and what it says in its log";

/** By code, or by what was said. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^28P01$|password must be a string/, "set the password in the connection, or in PGPASSWORD"],
  [/no encryption$/, "the server wants TLS: add `sslmode=verify-full` to the connection's URL"],
  [/does not support SSL/, "the server has no TLS: turn it on there"],
  [/^28...$/, "see that `pg_hba.conf` lets this user in from here"],
  [
    /certificate|self.signed|^ERR_TLS|altname/i,
    "name the authority of the server's certificate by `sslrootcert`",
  ],
  [/^3D000$/, "create the database, or correct its name in the connection"],
  [/^42501$/, "let this user create the schema, or read and write its tables"],
  [/^(42P01|3F000|42703)$/, "its tables were removed or changed: restore them from a backup"],
  [/^(42P07|42710)$/, "other tables are in the way: give the store a schema of its own"],
  [/^53300$/, "let the server take more connections, or make `mostConnections` smaller"],
  [/^25006$/, "the server only reads: name one that writes"],
  [
    /unsupported startup parameter/,
    "let the pooler pass `statement_timeout`, or connect to the server itself",
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "correct the name of the host in the connection"],
];

/** Of several addresses that were tried, each one's own words. */
function wordsOf(thrown: unknown): string {
  return thrown instanceof AggregateError ? thrown.errors.map(thrownText).join("; ") : thrownText(thrown);
}

function withoutSecret(said: string, secret: string): string {
  return secret === "" ? said : said.replaceAll(secret, "…");
}
