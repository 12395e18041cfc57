import { folded, otherSpelling } from "./spelling.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** The names of a tool's arguments, by how a reader that does not tell cases apart knows them. */
export type ArgumentNames = ReadonlyMap<string, string>;

/** More arguments than these no tool has. */
const MOST_NAMES = 1_000;

/** The names that a tool's definition lists. */
export function namesOf(definition: unknown): ArgumentNames {
  const properties = membersOf(memberOf(memberOf(definition, "inputSchema"), "properties"));
  return new Map(
    Object.keys(properties ?? {})
      .slice(0, MOST_NAMES)
      .map((name) => [folded(name), name]),
  );
}

/**
 * Why a call could be read in two ways; null where it can't. Some readers don't tell cases apart, and of two names that differ by
 * that alone take the last: what they would see is not what rules and people saw.
 */
export function ambiguity(params: Members, names: ArgumentNames): string | null {
  const given = membersOf(memberOf(params, "arguments")) ?? {};
  return (
    otherSpelling(Object.keys(params), ["name", "arguments"]) ?? otherSpelling(Object.keys(given), names)
  );
}
