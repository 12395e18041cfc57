import { searcherOf } from "./regex-automaton.ts";
import { machineOf } from "./regex-machine.ts";
import { parseRegex } from "./regex-syntax.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A regex of a profile, ready to be searched for in the units of a text. */
export interface Regex {
  readonly source: string;
  /** True when it is found anywhere in `units`, which are of `unit`; with `foldsCase` ASCII letters match in both cases. */
  readonly isIn: (units: readonly number[], unit: Unit, foldsCase: boolean) => boolean;
}

/** The regex of a source. It throws a `Fault` on what is not known to mean the same to every system. */
export function regexOf(source: string, line: number): Regex {
  parseRegex(unitsOf(source, "character"), line);
  const searchers: ReturnType<typeof searcherOf>[] = [];
  return {
    source,
    isIn: (units, unit, foldsCase) => {
      const slot = (unit === "byte" ? 0 : 1) + (foldsCase ? 2 : 0);
      searchers[slot] ??= searcherOf(machineOf(parseRegex(unitsOf(source, unit), line), foldsCase));
      return searchers[slot](units);
    },
  };
}
