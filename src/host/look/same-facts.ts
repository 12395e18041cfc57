import { isDeepStrictEqual } from "node:util";
import type { Facts } from "../../backend/facts.ts";

/** The facts that each look makes again. */
const MADE_AGAIN: ReadonlySet<string> = new Set([
  "nodes",
  "ways",
  "hits",
  "shown",
  "repositories",
  "copies",
  "gitLinks",
  "strayLinks",
  "unsearched",
  "nameFiles",
  "deviceNodes",
] satisfies readonly (keyof Facts)[]);

/** True if two looks found the same: what each look makes again is compared by content, all else by identity. */
export function isSameFacts(a: Facts, b: Facts): boolean {
  return Object.keys({ ...a, ...b }).every((name) => {
    const one: unknown = Reflect.get(a, name);
    const other: unknown = Reflect.get(b, name);
    return MADE_AGAIN.has(name) ? isDeepStrictEqual(one, other) : Object.is(one, other);
  });
}
