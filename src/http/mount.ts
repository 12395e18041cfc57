import { CofferdamError } from "../errors.ts";
import { type Approver, Approvers } from "./approvers.ts";
import type { HttpRefusal } from "./refusal.ts";

/**
 * Another service behind the same access checks, at one path. Its users have tokens of their own that cannot answer
 * requests: otherwise an agent could approve its own calls.
 */
export interface Mount {
  /** `/mcp`. */
  readonly path: string;
  /** The holders of its tokens; `signed`: it checks a signature of each request itself. */
  readonly clients: readonly Approver[] | "signed";
  readonly fetch: (request: Request, by: string) => Promise<MountReply>;
}

/** An answer, or its refusal; `isWritten` if that is recorded already. */
export type MountReply =
  | Response
  | { readonly kind: "refused"; readonly refusal: HttpRefusal; readonly isWritten?: boolean };

/** A mount, and the owners of its tokens. */
export interface Mounted extends Mount {
  /** Null if it checks signatures itself. */
  readonly known: Approvers | null;
}

/** Throws `USAGE` if the path belongs to a route or another mount, or if a token belongs to an approver. */
export function mounted(
  mounts: readonly Mount[],
  approvers: readonly Approver[],
  taken: ReadonlySet<string>,
): readonly Mounted[] {
  const isAnswering = new Set(approvers.map(({ token }) => token));
  for (const { path, clients } of mounts) {
    const isTwice = mounts.filter((one) => one.path === path).length > 1;
    if (isTwice || !/^\/[a-z0-9-]+$/.test(path) || taken.has(path))
      throw new CofferdamError("USAGE", `the path \`${path}\` can't be mounted`, {
        hint: "use another path, for example `/mcp`",
      });
    if (clients !== "signed" && clients.some(({ token }) => isAnswering.has(token)))
      throw new CofferdamError("USAGE", `a token for \`${path}\` is also a token of an approver`, {
        hint: "give agents other tokens: they must not answer their own requests",
      });
  }
  return mounts.map(({ path, clients, fetch }) => ({
    path,
    clients,
    fetch,
    known: clients === "signed" ? null : new Approvers(clients),
  }));
}
