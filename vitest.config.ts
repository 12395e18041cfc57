import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFirst } from "./scripts/lib/slow-first.ts";
import { leftOutOfTier } from "./scripts/lib/tiers.ts";
import { ALONE } from "./test/support/alone.ts";
import { leftOutOn } from "./test/support/linux-only.ts";
import { NIGHTLY } from "./test/support/nightly.ts";

const elsewhere = leftOutOn(process.platform);
for (const [files, reason] of Object.entries(elsewhere))
  console.warn(`${files}: not tried here, it ${reason}`);

// On macOS it lies behind a link, and what tests expect are paths as they are when links are followed.
process.env["TMPDIR"] = realpathSync(tmpdir());

const nightly = Object.values(NIGHTLY).map((folder) => `${folder}/**`);
const leftOut = [...configDefaults.exclude, ...leftOutOfTier(), ...nightly, ...Object.keys(elsewhere)];
const alone = Object.keys(ALONE);

export default defineConfig({
  test: {
    // Examples name the package as its users do; here that is the checkout.
    alias: {
      "cofferdam/compat": `${import.meta.dirname}/src/entry/compat.ts`,
      "cofferdam/gate": `${import.meta.dirname}/src/entry/gate.ts`,
      "cofferdam/profile": `${import.meta.dirname}/src/entry/profile.ts`,
      "cofferdam/ai-sdk": `${import.meta.dirname}/src/adapters/ai-sdk.ts`,
      "cofferdam/http": `${import.meta.dirname}/src/http/index.ts`,
      "cofferdam/mcp": `${import.meta.dirname}/src/mcp/index.ts`,
      "cofferdam/langchain": `${import.meta.dirname}/src/adapters/langchain.ts`,
      "cofferdam/telegram": `${import.meta.dirname}/src/channel/telegram.ts`,
      "cofferdam/webhook": `${import.meta.dirname}/src/entry/webhook.ts`,
      "cofferdam/openai-agents": `${import.meta.dirname}/src/adapters/openai-agents.ts`,
      "cofferdam/postgres": `${import.meta.dirname}/src/store/postgres.ts`,
      "cofferdam/testing": `${import.meta.dirname}/src/testing/index.ts`,
      "cofferdam/types": `${import.meta.dirname}/src/entry/types.ts`,
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
    // A busy machine takes long for what an idle one does at once; what never comes ends by the test's timeout.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text", "html"] },
  },
});
