import { opendirSync, readdirSync } from "node:fs";
import { pathFromBytes } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";

/** The names in a folder; none if there is no such folder, or it can't be read. */
export function namesIn(folder: string): readonly string[] {
  return orNull(() => readdirSync(folder)) ?? [];
}

/** Same as `firstNamesIn`; none if the folder can't be read. */
export function firstNamesOrNone(folder: string | Buffer, max: number): readonly string[] {
  return orNull(() => firstNamesIn(folder, max)) ?? [];
}

/** Names in a folder, in no order: all of them, or the first `max`. Throws node's errors. */
export function firstNamesIn(folder: string | Buffer, max: number): readonly string[] {
  const names: string[] = [];
  const entries = opendirSync(folder, { encoding: "latin1", bufferSize: 1_024 });
  try {
    while (names.length < max) {
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
