import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether names that differ in case are one in the place for temporary files, as the disk itself shows. */
export const FOLDS_CASE = foldsCaseIn(tmpdir());

function foldsCaseIn(above: string): boolean {
  const folder = mkdtempSync(join(above, "cofferdam-case-"));
  try {
    writeFileSync(join(folder, "name"), "");
    return existsSync(join(folder, "NAME"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
