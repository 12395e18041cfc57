import { inject } from "vitest";
import { joinPath } from "../../../src/profile/path.ts";
import { BIN, PostgresServer } from "../postgres/server.ts";
import { folderOfTest } from "./folders.ts";
import type { Meanwhile } from "./together.ts";

/** A store that processes share, by a word that `openStore` knows, and what happens to it while many work at it. */
export interface Shared extends AsyncDisposable {
  readonly where: string;
  readonly meanwhile: readonly Meanwhile[];
}

/** A kind of store that processes share. */
export interface Place {
  readonly kind: string;
  /** Whether it can be tried here. */
  readonly isThere: boolean;
  readonly fresh: () => Promise<Shared>;
}

/** Every kind. A server is stopped once under those who work at it, and killed once. */
export const PLACES: readonly Place[] = [
  {
    kind: "a file",
    isThere: true,
    fresh: async () => ({
      where: joinPath(folderOfTest("disk"), "approvals.sqlite"),
      meanwhile: [],
      [Symbol.asyncDispose]: async () => undefined,
    }),
  },
  {
    kind: "a PostgreSQL that is stopped and killed meanwhile",
    isThere: BIN !== null,
    fresh: async () => {
      // Only the server ends, never the machine: what it has written is there.
      const server = await PostgresServer.start({ folder: inject("runFolder"), fsync: false });
      return {
        where: server.url(),
        meanwhile: [
          { answered: 500, act: async () => server.restart() },
          { answered: 1_200, act: async () => server.kill() },
        ],
        [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
      };
    },
  },
];
