import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";
import { folded, otherSpelling } from "./spelling.ts";

/** The names of a tool's arguments, by their case-folded form. */
export type ArgumentNames = ReadonlyMap<string, string>;

const MAX_NAMES = 1_000;

/** The argument names in a tool's definition, or null if there are more than the maximum. */
export function argumentNames(definition: unknown): ArgumentNames | null {
  const properties = objectOf(memberOf(memberOf(definition, "inputSchema"), "properties"));
  const names = Object.keys(properties ?? {});
  return names.length > MAX_NAMES ? null : new Map(names.map((name) => [folded(name), name]));
}

/** The params of `tools/call` that are forwarded. Others are unknown to the protocol and not shown to approvers. */
const CALL_PARAMS = ["name", "arguments", "_meta", "task", "inputResponses", "requestState"];

/** The params of a call without members that `tools/call` does not have. */
export function callParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => CALL_PARAMS.includes(name)));
}

/** The reason why a call is ambiguous, or null: a reader that ignores case could see other arguments than approvers. */
export function ambiguity(params: JsonObject, names: ArgumentNames): string | null {
  const given = memberOf(params, "arguments");
  return (
    otherSpelling(Object.keys(params), CALL_PARAMS) ??
    otherSpelling(Object.keys(objectOf(given) ?? {}), names) ??
    ambiguityWithin(given)
  );
}

function ambiguityWithin(value: unknown): string | null {
  const members = objectOf(value) ?? {};
  const within: readonly unknown[] = Array.isArray(value) ? value : Object.values(members);
  let found = otherSpelling(Object.keys(members), []);
  for (const one of within) if (typeof one === "object") found ??= ambiguityWithin(one);
  return found;
}
