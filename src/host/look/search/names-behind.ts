import { statSync } from "node:fs";
import { CofferdamError, visible } from "../../../errors.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import { RecentMap } from "../../recent-map.ts";
import { firstNamesIn } from "../names-in.ts";
import { systemPath } from "../nodes.ts";

/** Maximum of names in a folder after a link that are compared with a wildcard: there is no honest use for more. */
const MAX_NAMES = 10_000;
/** Maximum of names after all links of one walk; a folder that several links lead to counts for each of them. */
const MAX_NAMES_OF_ALL = 200_000;

const MAX_REMEMBERED = 8;

/** Lists folders after links, within the bounds of one walk. */
export class NamesBehind {
  readonly #known = new RecentMap<string, readonly string[]>(MAX_REMEMBERED);
  #left = MAX_NAMES_OF_ALL;

  /** The names in a folder; none if it is missing or can't be read. Throws `NOT_ENFORCEABLE` if there are too many. */
  in(folder: AbsolutePath): readonly string[] {
    const names = this.#namesIn(folder);
    this.#left -= names.length;
    if (names.length > MAX_NAMES) throw tooMany(folder, `leads to more than ${MAX_NAMES} files`);
    if (this.#left < 0) throw tooMany(folder, `and other links lead to more than ${MAX_NAMES_OF_ALL} files`);
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
    `the link ${visible(folder)} ${what}, which can't be protected`,
    { hint: "remove the link, or replace it with a folder" },
  );
}
