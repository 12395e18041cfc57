import type { BigIntStats } from "node:fs";
import { lstatSync } from "node:fs";
import type { Descriptor } from "./descriptor.ts";
import { isGone } from "./faults.ts";

/** The names in a folder as `rawText` has them, in the order of their bytes. */
export function rawNames(folder: Descriptor): string[] {
  return folder.names().sort();
}

/** The stat of a name in a folder, of a link itself; null if it is missing. */
export function statOf(folder: Descriptor, name: string): BigIntStats | null {
  try {
    return lstatSync(folder.child(name), { bigint: true });
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
