import { z } from "zod";
import { PostgresStore } from "../../../src/store/postgres.ts";
import type { Store } from "../../../src/store/store.ts";

/** A store that several processes can be told to open: how it is set up. */
const Place = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("postgres"),
    connection: z.string(),
    schema: z.string(),
    patienceMs: z.int(),
    mostConnections: z.int(),
  }),
]);
export type Place = z.infer<typeof Place>;

/** Opens the store that a text names, the JSON of a place. */
export function openStore(text: string): Store {
  const {
    kind,
    connection,
    schema,
    patienceMs = 10_000,
    mostConnections = 4,
  } = Place.parse(JSON.parse(text));
  switch (kind) {
    case "postgres":
      return new PostgresStore({ connection, schema, patienceMs, mostConnections });
  }
}
