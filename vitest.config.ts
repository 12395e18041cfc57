import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFirst } from "./scripts/lib/slow-first.ts";
import { ALONE } from "./test/support/alone.ts";
import { leftOutOn } from "./test/support/linux-only.ts";

/** Which test files each tier leaves out; `scripts/test` sets the tier. */
const outOf: Readonly<Record<string, readonly string[]>> = {
  quick: ["**/*.slow.test.ts", "**/*.long.test.ts"],
  all: ["**/*.long.test.ts"],
  long: [],
};

const tier = process.env["COFFERDAM_TEST_TIER"] ?? "quick";
const outOfTier = outOf[tier];
if (outOfTier === undefined) throw new Error(`COFFERDAM_TEST_TIER is quick, all or long, not \`${tier}\``);

const elsewhere = leftOutOn(process.platform);
for (const [files, reason] of Object.entries(elsewhere))
  console.warn(`${files}: not tried here, it ${reason}`);

// On macOS it lies behind a link, and what tests expect are paths as they are when links are followed.
process.env["TMPDIR"] = realpathSync(tmpdir());

const leftOut = [...configDefaults.exclude, ...outOfTier, ...Object.keys(elsewhere)];
const alone = Object.keys(ALONE);

export default defineConfig({
  test: {
    // Examples name the package as its users do; here that is the checkout.
    alias: {
      "cofferdam/ai-sdk": `${import.meta.dirname}/src/adapters/ai-sdk.ts`,
      "cofferdam/http": `${import.meta.dirname}/src/http/index.ts`,
      "cofferdam/mcp": `${import.meta.dirname}/src/mcp/index.ts`,
      "cofferdam/langchain": `${import.meta.dirname}/src/adapters/langchain.ts`,
      "cofferdam/telegram": `${import.meta.dirname}/src/channel/telegram.ts`,
      "cofferdam/openai-agents": `${import.meta.dirname}/src/adapters/openai-agents.ts`,
      "cofferdam/postgres": `${import.meta.dirname}/src/store/postgres.ts`,
      "cofferdam/testing": `${import.meta.dirname}/src/testing/index.ts`,
      cofferdam: `${import.meta.dirname}/src/index.ts`,
    },
    // Sandboxes must be started from a process's main thread: the kernel kills bubblewrap with the thread
    // that started it (--die-with-parent), so worker threads would end them at random.
    pool: "forks",
    projects: [
      { extends: true, test: { name: "alone", include: alone, exclude: leftOut } },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...leftOut, ...alone],
          isolate: false,
          // What one file leaves is no other's.
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
    ],
    globalSetup: ["scripts/lib/bundle.ts", "test/support/run.ts"],
    // With four, two processors are busy throughout: some tests wait while others work.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text", "html"] },
  },
});
