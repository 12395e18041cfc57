import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { z } from "zod";
import { battery } from "../rolldown.config.ts";
import { moduleFacts } from "../test/support/module-facts.ts";

// How many lines of tests a run of each tier reads: `node scripts/test-lines.ts`; with `--files` also the files, by size.
// Counted are the test files that vitest collects, what these import outside of `src/`, and so on, and what is started or
// bundled for each run.

const ROOT = join(import.meta.dirname, "..");
const TIERS = ["quick", "all", "long"] as const;
const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

const Collected = z.array(z.object({ file: z.string() }));

for (const tier of TIERS) {
  const tests = collected(tier);
  const read = closureOf([...tests, ...startedByEachRun()]);
  const support = [...read].filter((file) => !tests.includes(file));
  const [ofTests, ofSupport] = [tests, support].map((files) =>
    files.reduce((sum, file) => sum + linesOf(file), 0),
  );
  console.log(
    `${tier.padEnd(6)} ${tests.length} test files, ${ofTests} lines; ${support.length} files that they read, ` +
      `${ofSupport} lines; together ${(ofTests ?? 0) + (ofSupport ?? 0)}`,
  );
  if (process.argv.includes("--files"))
    for (const file of [...read].toSorted((one, other) => linesOf(other) - linesOf(one)))
      console.log(`${String(linesOf(file)).padStart(6)} ${relative(ROOT, file)}`);
}

/** The test files of a run of this tier, as vitest finds them. */
function collected(tier: (typeof TIERS)[number]): readonly string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [VITEST, "list", "--filesOnly", "--json"], {
    cwd: ROOT,
    env: { ...process.env, COFFERDAM_TEST_TIER: tier },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return Collected.parse(JSON.parse(stdout)).map(({ file }) => file);
}

/** The global set-up, and the programs that tests start, which are bundled for them. */
function startedByEachRun(): readonly string[] {
  const programs = Array.isArray(battery.input) ? battery.input : [];
  return ["vitest.config.ts", "scripts/lib/bundle.ts", "test/support/run.ts", ...programs].map((name) =>
    join(ROOT, name),
  );
}

/** These files, and all that they import from anywhere but `src/` and packages. */
function closureOf(files: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...files];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const { imports } = moduleFacts(file, readFileSync(file, "utf8"));
    for (const { specifier } of imports) {
      if (!specifier.startsWith(".")) continue;
      const target = join(dirname(file), specifier);
      if (!relative(ROOT, target).startsWith("src/") && existsSync(target) && target.endsWith(".ts"))
        queue.push(target);
    }
  }
  return found;
}

function linesOf(file: string): number {
  return readFileSync(file, "utf8").replace(/\n$/, "").split("\n").length;
}
