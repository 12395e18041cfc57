import { defineConfig } from "vitest/config";
import usual from "../../../vitest.config.ts";

/** For the examples under another Node than the one that runs all tests: what they start is bundled by then. */
export default defineConfig({
  test: {
    alias: usual.test?.alias ?? {},
    include: ["examples/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: usual.test?.expect ?? {},
  },
});
