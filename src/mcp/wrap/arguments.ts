import { folded, otherSpelling } from "./spelling.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** The names of a tool's arguments, by how a reader that does not tell cases apart knows them. */
export type ArgumentNames = ReadonlyMap<string, string>;

/** More arguments than these no tool has. */
const MOST_NAMES = 1_000;

/** The names that a tool's definition lists; null where they are more than any tool has. */
export function namesOf(definition: unknown): ArgumentNames | null {
  const properties = membersOf(memberOf(memberOf(definition, "inputSchema"), "properties"));
  const names = Object.keys(properties ?? {});
  return names.length > MOST_NAMES ? null : new Map(names.map((name) => [folded(name), name]));
}

/** The params of a call that go on: no others are known, and nobody is shown them. */
const OF_A_CALL = ["name", "arguments", "_meta", "task", "inputResponses", "requestState"];

/** A call's params without what no call has. */
export function callParams(params: Members): Members {
  return Object.fromEntries(Object.entries(params).filter(([name]) => OF_A_CALL.includes(name)));
}

/**
 * Why a call could be read in two ways; null where it can't. Some readers don't tell cases apart, and of two names that differ by
 * that alone take the last: what they would see is not what rules and people saw.
 */
export function ambiguity(params: Members, names: ArgumentNames): string | null {
  const given = memberOf(params, "arguments");
  return (
    otherSpelling(Object.keys(params), OF_A_CALL) ??
    otherSpelling(Object.keys(membersOf(given) ?? {}), names) ??
    ambiguityWithin(given)
  );
}

/** The same of all objects in a value. */
function ambiguityWithin(value: unknown): string | null {
  const members = membersOf(value) ?? {};
  const within: readonly unknown[] = Array.isArray(value) ? value : Object.values(members);
  let found = otherSpelling(Object.keys(members), []);
  for (const one of within) if (typeof one === "object") found ??= ambiguityWithin(one);
  return found;
}
