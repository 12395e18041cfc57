import { statSync } from "node:fs";
import { CofferdamError, visible } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { firstNamesIn } from "../names-in.ts";
import { systemPath } from "../nodes.ts";
import { RecentMap } from "../recent-map.ts";

/** The names that are looked through behind a link where a wildcard stands: there is no honest use for more. */
const MAX_NAMES = 10_000;
/** The most names behind all links of one walk; a folder that several links lead to counts for each of them. */
const MAX_NAMES_OF_ALL = 200_000;

/** The folders behind links whose names are remembered. */
const MAX_REMEMBERED = 8;

/** Lists folders behind links, as far as one walk goes. */
export class NamesBehind {
  readonly #known = new RecentMap<string, readonly string[]>(MAX_REMEMBERED);
  #left = MAX_NAMES_OF_ALL;

  /** None where there is no folder, or one that can't be read. Throws `NOT_ENFORCEABLE` where there are too many names. */
  in(folder: AbsolutePath): readonly string[] {
    const names = this.#namesIn(folder);
    this.#left -= names.length;
    if (names.length > MAX_NAMES) throw tooMany(folder, `leads to more than ${MAX_NAMES} names`);
    if (this.#left < 0) throw tooMany(folder, `and others lead to more than ${MAX_NAMES_OF_ALL} names`);
    return names;
  }

  #namesIn(folder: AbsolutePath): readonly string[] {
    try {
      const { dev, ino } = statSync(systemPath(folder));
      const key = `${dev} ${ino}`;
      const names = this.#known.get(key) ?? firstNamesIn(systemPath(folder), MAX_NAMES + 1);
      this.#known.set(key, names);
      return names;
    } catch {
      return [];
    }
  }
}

function tooMany(folder: AbsolutePath, what: string): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `the link ${visible(folder)} ${what}, among which none can be protected`,
    { hint: "remove the link, or make it a folder" },
  );
}
