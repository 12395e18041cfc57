import { CofferdamError } from "../errors.ts";
import { type Approver, Approvers } from "./approvers.ts";

/**
 * Something else that is served behind the same door, all at one path. Whoever uses it has a token of its own, and answers
 * nothing by it: an agent that could answer would ask itself.
 */
export interface Mount {
  /** `/mcp`. */
  readonly path: string;
  readonly clients: readonly Approver[];
  readonly fetch: (request: Request, by: string) => Promise<Response>;
}

/** A mount, and who has its tokens. */
export interface Mounted extends Mount {
  readonly known: Approvers;
}

/** Throws `USAGE` for a path that routes or another mount have, and for a token by which somebody may answer. */
export function mounted(
  mounts: readonly Mount[],
  approvers: readonly Approver[],
  taken: ReadonlySet<string>,
): readonly Mounted[] {
  const isAnswering = new Set(approvers.map(({ token }) => token));
  for (const { path, clients } of mounts) {
    const isTwice = mounts.filter((one) => one.path === path).length > 1;
    if (isTwice || !/^\/[a-z0-9-]+$/.test(path) || taken.has(path))
      throw new CofferdamError("USAGE", `nothing can be served at \`${path}\``, {
        hint: "give a path of its own, as `/mcp`",
      });
    if (clients.some(({ token }) => isAnswering.has(token)))
      throw new CofferdamError("USAGE", `a token for \`${path}\` is also one that answers`, {
        hint: "give agents tokens of their own: they must not answer themselves",
      });
  }
  return mounts.map(({ path, clients, fetch }) => ({ path, clients, fetch, known: new Approvers(clients) }));
}
