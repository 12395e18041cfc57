import { z } from "zod";

/** What may be done to a path, least first: nothing, read and list, change as well. Write includes read. */
export const Access = z.enum(["none", "read", "write"]);
export type Access = z.infer<typeof Access>;

const RANK = { none: 0, read: 1, write: 2 } as const satisfies Record<Access, number>;

/** The lesser of two accesses. */
export function lesser(a: Access, b: Access): Access {
  return RANK[a] <= RANK[b] ? a : b;
}

/** True when `a` allows no more than `b`. */
export function isAtMost(a: Access, b: Access): boolean {
  return RANK[a] <= RANK[b];
}

/** What a process tries to do to a path that the model speaks about. */
export type Operation = "read" | "list" | "write" | "create" | "remove" | "rename" | "link";

/**
 * What the operation needs of the path and of the folder that holds it: reading and listing need read,
 * changing the content of an existing file needs write, and making or removing a name needs write on
 * the path *and* on its parent. `rename` and `link` need that of both of their names.
 */
export function neededAccess(operation: Operation): { readonly path: Access; readonly parent: Access } {
  switch (operation) {
    case "read":
    case "list":
      return { path: "read", parent: "none" };
    case "write":
      return { path: "write", parent: "none" };
    case "create":
    case "remove":
    case "rename":
    case "link":
      return { path: "write", parent: "write" };
  }
}
