import { visible } from "../errors.ts";
import { Scope, type ScopeLimits } from "../policy/decision.ts";
import { knownWord, usage } from "./arguments.ts";

/** How far an answer reaches: its scope, and its limits. */
export interface GivenReach {
  readonly scope: Scope;
  readonly limits: ScopeLimits;
}

/** The options of approvals alone. */
export const SCOPED: readonly string[] = ["scope", "minutes", "times"];

/** The reach that the options give. Throws `USAGE`. */
export function reachOf(values: {
  readonly session?: boolean | undefined;
  readonly scope?: string | undefined;
  readonly minutes?: string | undefined;
  readonly times?: string | undefined;
}): GivenReach {
  const { session = false, scope, minutes, times } = values;
  const given = scope === undefined ? null : knownWord("approvals", "scope", scope, Scope.options);
  const limits = {
    ...(minutes === undefined ? {} : { minutes: countIn("--minutes", minutes, 60 * 24 * 365) }),
    ...(times === undefined ? {} : { uses: countIn("--times", times, 1_000) }),
  };
  const isLimited = Object.keys(limits).length > 0;
  return { scope: given ?? (session || isLimited ? "session" : "once"), limits };
}

function countIn(option: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
  throw usage(
    "approvals",
    `invalid \`${option}\`: ${visible(text)}`,
    `write a whole number from 1 to ${max}`,
  );
}
