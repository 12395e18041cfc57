import type { ConnectionOptions } from "node:tls";
import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";

/** Where a server is and who one is to it. What is not said comes from PGHOST, PGUSER and their like, or from `~/.pgpass`. */
export interface PostgresConnection {
  /** A name or an address, or the folder of a Unix socket. */
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  /** Asked for again with every connection, where it is a function. */
  readonly password?: string | (() => string | Promise<string>);
  /** True, or how: then a server without TLS is refused. */
  readonly ssl?: boolean | ConnectionOptions;
}

/** Where a store is, and how much it keeps. */
export interface PostgresOptions {
  /** A URL, as `postgres://user:password@host:5432/database?sslmode=verify-full`, or its parts. */
  readonly connection: string | PostgresConnection;
  /** The schema of its tables, which is made where it is not there. Default `cofferdam`. */
  readonly schema?: string;
  /** So many connections at most, besides the one that listens while somebody watches. Default 4. */
  readonly mostConnections?: number;
  /** So long a step is tried again when connections are lost or not to be had, in milliseconds. Default 10,000. */
  readonly patienceMs?: number;
  /** What the server lists these connections as. Default `cofferdam`. */
  readonly applicationName?: string;
  /** Events, for subscribers that come back. Default 1,000,000. */
  readonly mostEvents?: number;
  /** Requests that are over, so that a late answer is told from one to nothing. Default 20,000. */
  readonly mostSettled?: number;
}

/** Options, each with its value. */
export type Settings = Required<PostgresOptions>;

const count = z.int({ error: "is a whole number above 0" }).positive({ error: "is a whole number above 0" });

const Options = z.strictObject({
  connection: z.union([z.string().refine(isWhole), z.looseObject({})], {
    error: "is an object of its parts, or a URL, in which `%2F` stands for `/`, `%40` for `@` and so on",
  }),
  // Postgres cuts longer names off, and then two may be one (NAMEDATALEN).
  schema: z
    .string({ error: "is a name" })
    .refine((name) => /^[^\0]+$/.test(name) && name.isWellFormed() && Buffer.byteLength(name) <= 63, {
      error: "is a name of at most 63 bytes",
    }),
  mostConnections: count,
  patienceMs: count,
  applicationName: z.string({ error: "is a text" }),
  mostEvents: count,
  mostSettled: count,
});

/** Throws `USAGE` for what is no option, and for a value that an option can't have. */
export function settingsOf(given: PostgresOptions): Settings {
  const settings: Settings = {
    schema: "cofferdam",
    mostConnections: 4,
    patienceMs: 10_000,
    applicationName: "cofferdam",
    mostEvents: 1_000_000,
    mostSettled: 20_000,
    ...given,
  };
  const issue = Options.safeParse(settings).error?.issues[0];
  if (issue === undefined) return settings;
  const option = visible(issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : String(issue.path[0]));
  if (issue.code === "unrecognized_keys")
    throw new CofferdamError("USAGE", `${option} is no option of a store in Postgres`, {
      hint: `it takes ${Object.keys(Options.shape).map(visible).join(", ")}`,
    });
  throw new CofferdamError("USAGE", `${option} is not what a store in Postgres takes`, {
    hint: `${option} ${issue.message}`,
  });
}

/** A password with a `/` in it makes another host of a URL, which errors would tell: behind a host there is no `@`. */
function isWhole(url: string): boolean {
  const withHost = url.replace("@/", "@host/");
  return /^postgres(ql)?:\/\/(?![^/?#]*[/?#][^=]*@)/.test(url) && URL.canParse(withHost);
}

/** What must not be told of a connection: its password, as it stands there and as it is meant. */
export function secretsOf(connection: string | PostgresConnection): readonly string[] {
  if (typeof connection !== "string")
    return typeof connection.password === "string" ? [connection.password] : [];
  const inUrl = [/:\/\/[^/?#]*?:([^/?#]*)@/, /[?&]password=([^&#]*)/].flatMap(
    (place) => place.exec(connection)?.[1] ?? [],
  );
  return [connection, ...inUrl.flatMap((found) => [found, decoded(found)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
