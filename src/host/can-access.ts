import { accessSync } from "node:fs";

/** True if this user has the access (access(2)), by the modes of `fs.constants`; false for a missing path. */
export function canAccess(path: string | Buffer, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
