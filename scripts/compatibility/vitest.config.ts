import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFirst } from "../lib/slow-first.ts";
import { leftOutOfTier } from "../lib/tiers.ts";

process.env["TMPDIR"] = realpathSync(tmpdir());

/** `scripts/test --room compatibility` */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["scripts/compatibility/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...leftOutOfTier()],
    // As in the main config: sandboxes are started from a process's main thread.
    pool: "forks",
    globalSetup: ["scripts/lib/bundle.ts", "test/support/run.ts"],
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
