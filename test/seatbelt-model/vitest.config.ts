import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFirst } from "../../scripts/lib/slow-first.ts";
import { leftOutOfTier } from "../../scripts/lib/tiers.ts";

/** `scripts/test --room seatbelt-model`; nothing is started, so nothing is bundled before. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["test/seatbelt-model/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...leftOutOfTier()],
    pool: "forks",
    isolate: false,
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
