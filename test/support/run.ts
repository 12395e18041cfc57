import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder of one run of the tests, which everybody can read and which goes with it. */
    readonly runFolder: string;
  }
}

/** Makes the folder of a run of the tests, and returns what removes it. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-run-"));
  chmodSync(folder, 0o755);
  provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
