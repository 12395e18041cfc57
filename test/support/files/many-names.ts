import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** So many names a file may have on every file system; ext4 allows 65,000, btrfs fewer in one folder. */
const NAMES_EACH = 100;

/**
 * Makes many empty files in a folder that is there, as names of few. One made anew takes ext4 up to a millisecond where
 * thousands were removed within the last minute, as tests do: it passes over each of these (fs/ext4/ialloc.c,
 * `recently_deleted`).
 */
export function makeNames(folder: string, names: readonly string[]): void {
  let made = "";
  for (const [at, name] of names.entries()) {
    const path = join(folder, name);
    if (at % NAMES_EACH !== 0) linkSync(made, path);
    else {
      writeFileSync(path, "");
      made = path;
    }
  }
}
