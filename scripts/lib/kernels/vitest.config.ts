import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** For tests in an emulated machine: their programs were bundled on the host, and everything takes ten times as long. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../../.."),
    include: ["test/kernel/*.test.ts"],
    globalSetup: ["test/support/run.ts"],
    pool: "forks",
    // Node runs the sources as they are: nothing is transformed.
    experimental: { viteModuleRunner: false },
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
