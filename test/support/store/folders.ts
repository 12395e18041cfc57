import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AbsolutePath, absolutePath } from "../../../src/profile/path.ts";

/** A folder for one test, gone with it; in memory where there is such, if what is tested is not the disk. */
export function folderOfTest(on: "memory" | "disk" = "memory"): AbsolutePath {
  const folder = made(on);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return absolutePath(folder);
}

function made(on: "memory" | "disk"): string {
  const name = "cofferdam-store-";
  try {
    return mkdtempSync(join(on === "memory" ? "/dev/shm" : tmpdir(), name));
  } catch {
    return mkdtempSync(join(tmpdir(), name));
  }
}
