import { opendirSync, readdirSync } from "node:fs";
import { type AbsolutePath, pathFromBytes } from "../profile/path.ts";

/** The names in a folder; none where there is no such folder, or it can't be read. */
export function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** As `firstNamesIn`; none where the folder can't be read. */
export function firstNamesOrNone(folder: string | Buffer, most: number): readonly string[] {
  try {
    return firstNamesIn(folder, most);
  } catch {
    return [];
  }
}

/** Names that a folder holds, in no order: all of them, or the first so many. Throws node's errors. */
export function firstNamesIn(folder: string | Buffer, most: number): readonly string[] {
  const names: string[] = [];
  const entries = opendirSync(folder, { encoding: "latin1", bufferSize: 1_024 });
  try {
    while (names.length < most) {
      const entry = entries.readSync();
      if (entry === null) break;
      // One character for each byte, so that names in any encoding come back as they are.
      names.push(pathFromBytes(Buffer.from(entry.name, "latin1")));
    }
  } finally {
    entries.closeSync();
  }
  return names;
}
