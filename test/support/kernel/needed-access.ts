import type { Access } from "../../../src/profile/access.ts";

/** An operation of a process on a path, in the model's terms. */
export type Operation = "read" | "list" | "write" | "create" | "remove" | "rename" | "link";

/**
 * The access that the operation needs on the path and on its folder. Reading and listing need read, and changing the
 * content of an existing file needs write. Making or removing a name needs write on the path *and* on its parent.
 * `rename` and `link` need that for both of their names.
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
