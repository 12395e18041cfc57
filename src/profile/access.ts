import { z } from "zod";

/** Access to a path, least first: nothing, read and list, change as well. Write includes read. */
export const Access = z.enum(["none", "read", "write"]);
export type Access = z.infer<typeof Access>;

const RANK = { none: 0, read: 1, write: 2 } as const satisfies Record<Access, number>;

/** The lesser of two accesses. */
export function lesser(a: Access, b: Access): Access {
  return RANK[a] <= RANK[b] ? a : b;
}

/** True if `a` allows no more than `b`. */
export function isAtMost(a: Access, b: Access): boolean {
  return RANK[a] <= RANK[b];
}
