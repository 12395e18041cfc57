import type { ConnectionOptions } from "node:tls";
import { z } from "zod";
import { assertOptions, count, type OptionsOf } from "../../policy/options.ts";
import { decoded } from "../../profile/upstream.ts";

/** The address of a server and the user. Defaults come from PGHOST, PGUSER and so on, or from `~/.pgpass`. */
export interface PostgresConnection {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly user?: string;
  /** A function is called again for every connection. */
  readonly password?: string | (() => string | Promise<string>);
  /** True, or TLS options: then a server without TLS is refused. */
  readonly ssl?: boolean | ConnectionOptions;
}

/** The place of a store, and its limits. */
export interface PostgresOptions {
  /** A URL, as `postgres://user:password@host:5432/database?sslmode=verify-full`, or its parts. */
  readonly connection: string | PostgresConnection;
  /** The schema of its tables, created if missing. Default `cofferdam`. */
  readonly schema?: string;
  /** Maximum of connections, besides the one that listens while the store is watched. Default 4. */
  readonly maxConnections?: number;
  /** How long a step is tried again when connections are lost or unavailable, in milliseconds. Default 10,000. */
  readonly patienceMs?: number;
  /** The name of these connections in the server's list. Default `cofferdam`. */
  readonly applicationName?: string;
  /** Events kept for subscribers that come back. Default 1,000,000. */
  readonly maxEvents?: number;
  /** Ended requests that are kept, so that a late answer differs from one to an unknown request. Default 20,000. */
  readonly maxSettled?: number;
}

/** All options with their values. */
export type Settings = Required<PostgresOptions>;

const OPTIONS: OptionsOf<PostgresOptions> = z.strictObject({
  connection: z.union([z.string().refine(isWhole), z.looseObject({})], {
    error: "an object, or a URL with percent-encoded parts (`%2F` for `/`, `%40` for `@`)",
  }),
  // Postgres truncates longer names, and then two may be the same (NAMEDATALEN).
  schema: z
    .string({ error: "a name" })
    .refine((name) => /^[^\0]+$/.test(name) && name.isWellFormed() && Buffer.byteLength(name) <= 63, {
      error: "a name of at most 63 bytes",
    }),
  maxConnections: count(),
  patienceMs: count(),
  applicationName: z.string({ error: "a string" }),
  maxEvents: count(),
  maxSettled: count(),
});

/** Throws `USAGE` for an unknown option, and for an invalid value. */
export function settingsOf(given: PostgresOptions): Settings {
  const settings: Settings = {
    schema: "cofferdam",
    maxConnections: 4,
    patienceMs: 10_000,
    applicationName: "cofferdam",
    maxEvents: 1_000_000,
    maxSettled: 20_000,
    ...given,
  };
  assertOptions("PostgresStore", OPTIONS, settings);
  return settings;
}

/** False for a password with `/`: it changes the URL's host, which errors show. After a host there is no `@`. */
function isWhole(url: string): boolean {
  const withHost = url.replace("@/", "@host/");
  return /^postgres(ql)?:\/\/(?![^/?#]*[/?#][^=]*@)/.test(url) && URL.canParse(withHost);
}

/** The secrets of a connection: its password, as written and as decoded. */
export function secretsOf(connection: string | PostgresConnection): readonly string[] {
  if (typeof connection !== "string")
    return typeof connection.password === "string" ? [connection.password] : [];
  const inUrl = [/:\/\/[^/?#]*?:([^/?#]*)@/, /[?&]password=([^&#]*)/].flatMap(
    (place) => place.exec(connection)?.[1] ?? [],
  );
  return [connection, ...inUrl.flatMap((found) => [found, decoded(found)])];
}
