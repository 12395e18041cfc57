import { readdirSync } from "node:fs";
import type { AbsolutePath } from "../profile/path.ts";

/** The names in a folder; none where there is no such folder, or it can't be read. */
export function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
