import { visible } from "../errors.ts";
import { usage } from "./arguments.ts";

/** A run by its id or the beginning of it; the latest if none is named. Throws `USAGE`. */
export function runNamed(runs: readonly string[], named: string | undefined): string {
  const [latest] = runs;
  if (named === undefined) {
    if (latest === undefined)
      throw usage("journal", "no runs are recorded yet", "run a command: `cofferdam run -- ls`");
    return latest;
  }
  const matching = runs.filter((run) => run.startsWith(named));
  const exact = matching.find((run) => run === named);
  const [only, ...others] = matching;
  if (exact !== undefined) return exact;
  if (only !== undefined && others.length === 0) return only;
  const what =
    only === undefined
      ? `unknown run ${visible(named)}`
      : `${matching.length} runs begin with ${visible(named)}`;
  throw usage("journal", what, "run `cofferdam journal --list`");
}
